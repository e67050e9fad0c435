"""A season: teams hand in bots for weeks and climb a ladder. One process runs it and writes one journal."""
