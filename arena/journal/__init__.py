"""The journal, which is the only record of a tournament or season, and the files beside the journal."""
