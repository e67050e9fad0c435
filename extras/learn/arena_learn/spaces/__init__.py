"""Numbers for what a player sees and does, made from the schema of a game."""
