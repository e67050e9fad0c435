"""`arena tune`: better values for the parameters of a bot, from paired games in memory."""
