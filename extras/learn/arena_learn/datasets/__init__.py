"""Datasets of what players saw and did, from replays. They need the extra ``datasets``."""
