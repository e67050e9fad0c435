"""Read the addresses of servers."""

from __future__ import annotations

from urllib.parse import SplitResult, urlsplit


def address_parts(text: str) -> SplitResult | None:
    """Return the parts of an address such as ``https://arena.example.org`` or ``tcp://[::1]:8786``.

    Return None if the text has no host, or if host, port or path can never be used.
    """
    try:
        parts = urlsplit(text)
        host, _ = parts.hostname or "", parts.port  # an invalid port raises a ValueError
        host.encode("idna")  # look-ups of names do this; a UnicodeError is a ValueError
        parts.path.encode("ascii")
    except ValueError:
        return None
    return parts if host and text.isprintable() and " " not in text else None
