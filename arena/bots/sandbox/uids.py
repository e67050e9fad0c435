"""A user id of its own for every live seat of the machine, where the referee runs as root."""

from __future__ import annotations

import socket
from dataclasses import dataclass

from arena.errors import ArenaError

FIRST = 60600
LAST = 61100
"""No distribution and no part of systemd gives out user ids from 60578 to 61183."""


@dataclass(frozen=True, slots=True)
class UidLease:
    """A user id that nobody else on this machine uses for a seat until `release()`, or our death.

    Attributes:
        uid: The user id, and the group id.
    """

    uid: int
    _lock: socket.socket

    def release(self) -> None:
        """Give back the id."""
        self._lock.close()


def lease_uid() -> UidLease:
    """Take the first free id.

    The lock is a bound socket in the abstract namespace: it vanishes with its process, however that dies, and
    leaves no file.

    Raises:
        ArenaError: All are taken.
    """
    for uid in range(FIRST, LAST):
        lock = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        try:
            lock.bind(f"\0arena-seat-uid-{uid}")
        except OSError:
            lock.close()
            continue
        return UidLease(uid, lock)
    raise ArenaError(f"all {LAST - FIRST} user ids for seats are in use", hint="Play fewer matches at once.")
