"""Read the addresses of servers."""

from __future__ import annotations

from urllib.parse import SplitResult, urlsplit


def address_parts(text: str) -> SplitResult | None:
    """Return the parts of an address such as ``https://arena.example.org`` or ``tcp://[::1]:8786``.

    Return None if the text has no host, or if the host, the port or the path is invalid.
    """
    try:
        parts = urlsplit(text)
        host, _ = parts.hostname or "", parts.port  # an invalid port raises a ValueError
        host.encode("idna")  # an invalid host raises a UnicodeError, which is a ValueError
        parts.path.encode("ascii")
    except ValueError:
        return None
    return parts if host and text.isprintable() and " " not in text else None
