"""The checks of `arena doctor`: which layers of isolation hold on this machine, why others do not, and the remedy."""
