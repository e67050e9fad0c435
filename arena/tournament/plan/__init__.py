"""Plans and standings of tournaments: pure functions and values, without files, processes or clocks."""
