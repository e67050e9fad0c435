"""One match: protocol, clocks, policy, and the loop that does the I/O."""
