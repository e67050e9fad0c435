"""Explain a recorded match: why each player's part ended as it did, how likely each player was to win, and which turns decided."""
