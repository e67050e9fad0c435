"""Tournaments: what is to be played (`plan`), playing it (`run`), and showing it (`report`)."""
