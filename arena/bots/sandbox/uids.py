"""Lease a separate user id for each seat on the machine, if the referee runs as root."""

from __future__ import annotations

import socket
from dataclasses import dataclass

from arena.errors import ArenaError

FIRST = 60600
LAST = 61100
"""The user id after the last one for seats. No distribution and no part of systemd uses the ids 60578 to 61183."""


@dataclass(frozen=True, slots=True)
class UidLease:
    """A user id that no other seat on this machine uses until `release()`, or until this process ends.

    Attributes:
        uid: The user id, which is also the group id.
    """

    uid: int
    _lock: socket.socket

    def release(self) -> None:
        self._lock.close()


def lease_uid() -> UidLease:
    """Lease the first free id.

    The lock is a bound socket in the abstract namespace. When the process that holds the lock ends, the kernel removes
    the socket. There is no file to clean up.
    """
    for uid in range(FIRST, LAST):
        lock = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        try:
            lock.bind(f"\0arena-seat-uid-{uid}")
        except OSError:
            lock.close()
            continue
        return UidLease(uid, lock)
    raise ArenaError(f"All {LAST - FIRST} user ids for seats are in use.", hint="Play fewer matches at once.")
