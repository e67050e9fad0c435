"""The journal, which is the only record of a contest, and the files beside the journal."""
