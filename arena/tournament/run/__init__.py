"""Run tournaments: folder, bots, journal, runner, and the engines that play matches."""
