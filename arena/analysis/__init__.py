"""Explain a recorded match: why each player's part of it ended as it did."""
