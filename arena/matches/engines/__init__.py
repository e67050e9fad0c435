"""Engines that play matches: with processes on this machine, or with workers on many machines."""
