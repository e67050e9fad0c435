"""What pages, terminal and tables show of a contest."""
