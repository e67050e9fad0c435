"""Playing a tournament: its folder, its bots, its journal, the runner, and the engines that play matches."""
