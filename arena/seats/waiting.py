"""A Unix socket on which an external player waits for matches. The program `arena.bots.seat_program` connects to it."""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import socket
import tempfile
import weakref
from pathlib import Path
from typing import Final, Self

from arena.bots.seat_program import FINISHED
from arena.bots.system.surroundings import socket_folder

LONGEST_ENDPOINT = 4_096
PREFIX: Final = "arena-seat-"


class SeatOffer:
    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        with connection.makefile("r", encoding="utf-8") as lines:
            self.endpoint = lines.readline(LONGEST_ENDPOINT).strip()

    def end(self, code: int = FINISHED, line: str = "") -> None:
        with contextlib.suppress(OSError):
            self._connection.sendall(f"{code} {line}".encode())
        self._connection.close()


class Waiting:
    """Accepts the seats of one player, one for each match. Only programs of this user can connect.

    The socket is in a folder of its own. `close()` or the end of this process removes the folder. A killed process
    leaves it to the next one that makes a socket.
    """

    def __init__(self) -> None:
        _remove_leftovers()
        folder, lock = _locked_folder()
        self._remove = weakref.finalize(self, _remove, folder, lock, os.getpid())
        self.address = f"{folder}/seat"
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(self.address)
        self._listener.listen()

    def fileno(self) -> int:
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
        self._remove()


def _locked_folder() -> tuple[str, int]:
    """Create a folder that only this user can enter. Return it with a descriptor that locks it.

    The kernel releases the lock when the last process with the descriptor ends. The folder gets its final name when it
    is locked, so that `_remove_leftovers` of another process never finds it without a lock.
    """
    new = tempfile.mkdtemp(prefix=f".{PREFIX}", dir=socket_folder())
    lock = os.open(new, os.O_RDONLY | os.O_DIRECTORY)
    with contextlib.suppress(OSError):  # without locks in this file system, leftovers stay
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    folder = f"{Path(new).parent}/{Path(new).name[1:]}"
    os.rename(new, folder)
    return folder, lock


def _remove(folder: str, lock: int, maker: int) -> None:
    os.close(lock)
    if os.getpid() == maker:  # not in a forked process, which ends earlier
        shutil.rmtree(folder, ignore_errors=True)


def _remove_leftovers() -> None:
    """Remove the folders of processes that were killed: those without a lock."""
    for folder in Path(socket_folder()).glob(f"{PREFIX}*"):
        with contextlib.suppress(OSError):  # of another user, or removed already
            lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(folder)
            finally:
                os.close(lock)
