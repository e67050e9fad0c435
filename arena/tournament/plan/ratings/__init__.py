"""Ratings: how strong the entrants are, and how sure that is."""
