"""Recorded matches: play them again with the rules, start from their positions, and prepare them for the viewer."""
