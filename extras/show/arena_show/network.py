"""The address of this machine, as other machines of its network see it."""

from __future__ import annotations

import socket
from urllib.parse import urlsplit, urlunsplit


def address_for_others(address: str) -> str:
    """Return an address that reaches this machine from others, for one that names it as it names itself."""
    parts = urlsplit(address)
    if parts.hostname not in ("localhost", "127.0.0.1", "::1", "0.0.0.0", "::"):
        return address
    port = f":{parts.port}" if parts.port else ""
    return urlunsplit(parts._replace(netloc=f"{_own_address()}{port}"))


def _own_address() -> str:
    """Return the address of this machine in its network. Nothing is sent."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
            return str(probe.getsockname()[0])
        except OSError:
            return "127.0.0.1"
