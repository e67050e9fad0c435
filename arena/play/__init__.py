"""One match is played: the referee and its processes, matches in memory, and the seats of people and remote bots."""
