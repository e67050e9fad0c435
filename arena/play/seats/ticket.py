"""The ticket of a remote seat: the address and the key of its gateway, and the key of one client; its settings."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Mapping
from dataclasses import dataclass

from arena.errors import ArenaError, ExitCode
from arena.game.validation import Number, Text, Validator
from arena.match.settings import SECONDS

PREFIX = "arena-ticket-1-"
KEY_SIZE = 32
HOST = re.compile(r"[!-.0-9;-Z\\^-~]+|\[[0-9a-fA-F:.]+\]")
"""A host name or an IP address, without a port. All characters are ASCII, as in a ticket."""
ADDRESS = re.compile(rf"tcp://(?P<host>{HOST.pattern}):(?P<port>[0-9]{{1,5}})")
LISTEN = "tcp://0.0.0.0:5555"
REMOTE_FIELDS: Mapping[str, Validator] = {
    "listen": Text(ADDRESS.pattern, f"an address such as {LISTEN}"),
    "address": Text(HOST.pattern, "a host name such as arena.example.org, without a port"),
    "resume": Number(1, 86_400, "seconds"),
    "wait": SECONDS,
}
"""The table `[remote]` of TOML files: the fields of `RemoteSettings`."""


@dataclass(frozen=True, slots=True)
class RemoteSettings:
    """The settings of the connections to remote bots.

    Attributes:
        listen: The address of the first remote seat. Further seats have the next ports. Port 0 means any free port.
        address: The host name in the tickets; empty for the address of this machine in its network.
        resume: The seconds within which a remote bot can resume a lost connection.
        wait: The seconds for which a contest waits for a bot.
    """

    listen: str = LISTEN
    address: str = ""
    resume: float = 30.0
    wait: float = 600.0

    def listen_for(self, number: int) -> str:
        """Return the address on which the gateway of a remote seat listens. The first seat has the number 0."""
        host, port = split_address(self.listen)
        return f"tcp://{host}:{port and port + number}"


@dataclass(frozen=True, slots=True)
class Ticket:
    """The address and keys with which a remote bot takes its seat.

    Anybody who has the ticket can use it, but only one bot at a time.

    Attributes:
        address: The gateway's address, such as ``tcp://192.0.2.7:5555``.
        client_key: The secret key of the only client that the gateway lets in, 32 bytes.
    """

    address: str
    server_key: bytes
    client_key: bytes

    def __str__(self) -> str:
        data = self.server_key + self.client_key + self.address.encode()
        return PREFIX + base64.urlsafe_b64encode(data).decode().rstrip("=")

    @classmethod
    def parse(cls, text: str, source: str = "This") -> Ticket:
        """Read a ticket.

        Args:
            text: The ticket.
            source: Where it comes from, for the message about another text.

        Raises:
            ArenaError: It is not a ticket.
        """
        encoded = text.strip().removeprefix(PREFIX)
        try:
            data = base64.b64decode(encoded + "=" * (-len(encoded) % 4), altchars=b"-_", validate=True)
            address = data[2 * KEY_SIZE :].decode("ascii")
        except (binascii.Error, UnicodeError, ValueError):
            address = ""
        if not text.strip().startswith(PREFIX) or not ADDRESS.fullmatch(address):
            raise ArenaError(
                f"{source} is not a ticket.",
                hint="A ticket is one long word. `arena play` prints one for each remote seat. Give the ticket, a file "
                "that contains it, or - to read it from standard input.",
                exit_code=ExitCode.BAD_TICKET,
            )
        return cls(address, data[:KEY_SIZE], data[KEY_SIZE : 2 * KEY_SIZE])


def split_address(address: str) -> tuple[str, int]:
    """Return host and port of an address such as ``tcp://0.0.0.0:5555``."""
    match = ADDRESS.fullmatch(address)
    if match is None or int(match["port"]) > 65535:
        raise ArenaError(
            f"{address!r} is not an address to listen on.",
            hint="Write for example tcp://0.0.0.0:5555, for all addresses of this machine.",
            exit_code=ExitCode.BAD_OPTION,
        )
    return match["host"], int(match["port"])
