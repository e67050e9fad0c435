"""The journal, which is the only record of a tournament, and the files beside it."""
