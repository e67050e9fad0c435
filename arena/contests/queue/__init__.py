"""Play matches of referees: engines, copies of bots, evidence, remote bots. Contests use it."""
