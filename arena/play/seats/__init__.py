"""Connect external players to a match: people in the browser or at a terminal, and bots on other machines.

Everything here is a client of the protocol. No module needs the rules of a game: the schema says how to show a player's
view, and the referee lists the legal actions.
"""
