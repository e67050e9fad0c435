"""Isolation levels 2 and 3: bubblewrap, seccomp, control groups, and a user id for each seat."""
