"""The checks of `arena doctor`: which layers of isolation work on this machine, and how to get the others."""
