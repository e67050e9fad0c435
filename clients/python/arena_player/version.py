"""The version of every Arena distribution. All builds read it from this file."""

__version__ = "0.1.0"
