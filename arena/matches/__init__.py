"""Play matches of referees: engines, copies of bots, evidence, remote bots. Tournaments and seasons share it."""
