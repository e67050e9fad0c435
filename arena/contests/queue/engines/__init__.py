"""What all engines have in common, and the engines that play on this machine (see `arena.contests.engines`)."""
