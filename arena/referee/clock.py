"""A player's time: bank, increment, cap per turn, grace. Readings are passed in; nothing here looks at a clock."""

from __future__ import annotations

from typing import NamedTuple

from arena.game import Clock

GUARD_FACTOR = 4.0
GUARD_SECONDS = 1.0
"""Where CPU time decides, the wall clock still ends a request after ``GUARD_FACTOR`` x limit + ``GUARD_SECONDS``."""
SHORTEST_WAIT = 0.001
QUEUED_SHARE = 0.2
"""A time-out does not count if the program waited for a processor for more than this share of its limit."""


class Reading(NamedTuple):
    """One look at the clocks.

    Attributes:
        wall: Monotonic seconds.
        cpu: CPU seconds of the seat's processes so far; None where they cannot be measured exactly.
        queued: Seconds that the program has waited for a processor so far; None where unknown or not needed.
        unread: Bytes sent to the program that it has not read.
    """

    wall: float
    cpu: float | None = None
    queued: float | None = None
    unread: int = 0


class Spent(NamedTuple):
    """Time used, in seconds."""

    wall: float
    cpu: float | None

    @property
    def deciding(self) -> float:
        """The one of the two that limits are compared with."""
        return self.wall if self.cpu is None else self.cpu


NOTHING = Spent(0.0, None)


class SeatClock:
    """The clock of one player.

    It runs only from "request sent" to "reply complete". Where CPU readings exist they decide, and the wall clock is a
    guard against sleepers; otherwise the wall clock decides.

    Attributes:
        bank: Seconds left for the whole game; None without a bank.
        turn_spent: Time used in the present turn.
        spent: Time used in the game.
        idle_cpu: CPU seconds used while nothing was asked of the player; None where not measured.
        turns: How many turns were asked of the player.
        worst: The longest turn so far, in seconds of the deciding clock.
        check_at: The wall time at which it is worth asking `is_over`; None while nothing can run out.
    """

    __slots__ = (
        "_queued",
        "_since",
        "_stopped",
        "_turn",
        "bank",
        "check_at",
        "idle_cpu",
        "settings",
        "spent",
        "turn_spent",
        "turns",
        "worst",
    )

    def __init__(self, settings: Clock) -> None:
        self.settings = settings
        self.bank = settings.bank
        self.turn_spent = self.spent = NOTHING
        self.turns = 0
        self.worst = 0.0
        self._turn: int | None = None
        self._since: Reading | None = None
        self._queued: float | None = None
        self._stopped: float | None = None
        self.idle_cpu: float | None = None
        self.check_at: float | None = None

    @property
    def turn(self) -> int | None:
        """The number of the turn that the clock is counting; None before the first."""
        return self._turn

    def start(self, turn: int, reading: Reading) -> None:
        """Begin to count: a request was sent. A new turn brings its increment and a fresh cap."""
        if turn != self._turn:
            self._turn = turn
            self.turns += 1
            self.turn_spent = NOTHING
            self._queued = reading.queued
            if self.bank is not None:
                self.bank += self.settings.increment
        if reading.cpu is not None and self._stopped is not None:
            self.idle_cpu = (self.idle_cpu or 0.0) + reading.cpu - self._stopped
        self._since = reading
        limit = self.left()
        # On one processor CPU time cannot run ahead of wall time: before this moment nothing can have run out.
        self.check_at = None if limit is None else reading.wall + limit + self.settings.grace

    def stop(self, reading: Reading) -> None:
        """Stop counting: the reply is complete."""
        if self._since is None:
            return
        used = self._used(reading)
        self.turn_spent = _add(self.turn_spent, used)
        self.spent = _add(self.spent, used)
        self.worst = max(self.worst, self.turn_spent.deciding)
        if self.bank is not None:
            self.bank = max(0.0, self.bank - used.deciding)
        self._since = None
        self._stopped = reading.cpu
        self.check_at = None

    def left(self) -> float | None:
        """Return the seconds that the next reply may take at most, grace apart; None without any limit."""
        turn = self.turn_left()
        if self.bank is None or (turn is not None and turn < self.bank):
            return turn
        return self.bank

    def turn_left(self) -> float | None:
        """Return the seconds left of this turn's cap."""
        return None if self.settings.turn is None else max(0.0, self.settings.turn - self.turn_spent.deciding)

    def is_over(self, reading: Reading) -> bool:
        """Tell whether limit and grace have passed without a reply; if not, `check_at` says when to look again."""
        if self.check_at is None or reading.wall < self.check_at:
            return False
        limit = self.left()
        if self._since is None or limit is None:
            return False
        used = self._used(reading)
        limit += self.settings.grace
        if used.cpu is None:
            return used.wall > limit
        guard = limit * GUARD_FACTOR + GUARD_SECONDS
        if used.cpu > limit or used.wall > guard:
            return True
        self.check_at = min(self._since.wall + guard, reading.wall + max(limit - used.cpu, SHORTEST_WAIT))
        return False

    def host_was_late(self, reading: Reading) -> bool:
        """Tell whether the machine kept the program waiting so long that its time-out is not its own fault.

        That is only so where wall time decides: CPU time does not run while a program waits.
        """
        limit = self.left()
        if limit is None or self._since is None or reading.queued is None or self._queued is None:
            return False
        allowed = limit + self.turn_spent.deciding
        return reading.queued - self._queued > QUEUED_SHARE * allowed

    def _used(self, reading: Reading) -> Spent:
        if self._since is None:
            return Spent(0.0, None)
        wall = reading.wall - self._since.wall
        cpu = None if reading.cpu is None or self._since.cpu is None else reading.cpu - self._since.cpu
        return Spent(wall, cpu)


def _add(one: Spent, other: Spent) -> Spent:
    cpu = other.cpu if one.cpu is None else one.cpu if other.cpu is None else one.cpu + other.cpu
    return Spent(one.wall + other.wall, cpu)
