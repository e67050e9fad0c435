"""Tournaments: formats, pairings, standings, ratings, the journal of results and what runs the matches."""
