"""What authors of bots and maps work with: typed classes of a game, and map files."""
