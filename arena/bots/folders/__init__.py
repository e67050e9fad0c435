"""A bot's files: the rules for its folder or archive, its manifest, and its hash."""
