"""`arena game report`: how a game plays, measured with the search and the built-in bots in memory."""
