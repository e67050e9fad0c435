"""Measure how strong a bot is: compare two bots, climb a ladder, grade by a rubric."""
