"""The live page of a tournament: standings, bracket, running matches, recent replays, bots. It is read-only."""
