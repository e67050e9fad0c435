"""The stages of a contest: who meets whom, from what was played. Pure functions and values, without files or clocks."""
