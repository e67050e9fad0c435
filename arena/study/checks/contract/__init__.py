"""Check a game against the game contract: play random games and run all checks on many of their positions."""
