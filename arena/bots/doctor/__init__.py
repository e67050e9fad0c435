"""What `arena doctor` knows: how well a machine isolates bots, how to get more, and which Python is the fastest."""
