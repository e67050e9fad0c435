"""A Unix socket on which an external player waits for matches. The program `arena.bots.seat_program` connects to it."""

from __future__ import annotations

import contextlib
import shutil
import socket
import tempfile
from typing import Self

from arena.bots.seat_program import FINISHED

LONGEST_ENDPOINT = 4_096


class SeatOffer:
    """The seat of an external player in a match that begins.

    Args:
        connection: The connection to the program on the seat.

    Attributes:
        endpoint: The endpoint of the seat; empty if the program has ended.
    """

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        with connection.makefile("r", encoding="utf-8") as lines:
            self.endpoint = lines.readline(LONGEST_ENDPOINT).strip()

    def end(self, code: int = FINISHED, line: str = "") -> None:
        """End the program on the seat.

        Args:
            code: Its exit code.
            line: The line that it prints to its standard error.
        """
        with contextlib.suppress(OSError):
            self._connection.sendall(f"{code} {line}".encode())
        self._connection.close()


class Waiting:
    """Accepts the seats of one player, one for each match. Only programs of this user can connect.

    Attributes:
        address: The path of the socket.
    """

    def __init__(self) -> None:
        self._folder = tempfile.mkdtemp(prefix="arena-seat-")
        self.address = f"{self._folder}/seat"
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(self.address)
        self._listener.listen()

    def fileno(self) -> int:
        """Return the descriptor to poll."""
        return self._listener.fileno()

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> SeatOffer:
        try:
            return SeatOffer(self._listener.accept()[0])
        except OSError:
            raise StopIteration from None

    def close(self) -> None:
        """Stop waiting. Any thread can call this method."""
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)  # ends the call of `accept` in another thread
        self._listener.close()
        shutil.rmtree(self._folder, ignore_errors=True)
