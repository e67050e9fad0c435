"""What authors of bots and maps work with: the kits and typed classes for languages other than Python, and map files.

`languages` makes the files of a bot from the kit of its language (clients/LANGUAGE) and the schema of the game; the
typed module of Python is `arena_player.sdk`. `maps` reads map files that may be wrong, asks the game's editor what is
wrong, and writes maps that people can read.
"""
