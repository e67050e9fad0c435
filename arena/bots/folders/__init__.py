"""A bot's files: check its folder or archive, read its manifest, and compute its hash."""
