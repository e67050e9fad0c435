"""A bot's files: what may be in its folder or archive, its manifest, and its hash."""
