"""What plays the matches: processes on this machine, or workers on many."""
