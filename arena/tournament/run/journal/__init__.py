"""The journal of results: the only truth about what was played, and the files beside it."""
