"""Plans and standings of tournaments: pure functions and values, without processes or clocks.

Only the readers of `league.toml` and of rubrics open files.
"""
