"""A separate user id for every live seat of the machine, if the referee runs as root."""

from __future__ import annotations

import socket
from dataclasses import dataclass

from arena.errors import ArenaError

FIRST = 60600
LAST = 61100
"""The range is free: no distribution and no part of systemd uses 60578 to 61183."""


@dataclass(frozen=True, slots=True)
class UidLease:
    """A user id that no other seat on this machine uses until `release()`, or until this process ends.

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

    The lock is a bound socket in the abstract namespace. It disappears with its process in any case, and leaves no
    file.

    Raises:
        ArenaError: All ids are in use.
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
