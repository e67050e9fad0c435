"""Ratings: estimates of strength, with their uncertainty."""
