"""The pages of a season."""
