"""What is to be played, and how it stands: pure functions and values, without files, processes or clocks."""
