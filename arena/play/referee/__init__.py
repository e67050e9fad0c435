"""Play one match: protocol, clocks, penalties, and the loop that does the I/O."""
