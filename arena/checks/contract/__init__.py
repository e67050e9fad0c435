"""Checks of a game against the contract: random games, with all checks of many positions on the way."""
