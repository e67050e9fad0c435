"""A player's time: bank, increment, cap per turn, grace. Readings are passed in; nothing here reads a clock."""

from __future__ import annotations

from typing import NamedTuple

from arena.game import Clock

GUARD_FACTOR = 4.0
GUARD_SECONDS = 1.0
MATCH_GUARD_SECONDS = 10.0
"""Where CPU time decides, wall time is limited as well, for bots that sleep.

A turn may take ``GUARD_FACTOR`` x (its limit + grace) + ``GUARD_SECONDS``, however many requests it has. All turns of a
player together may take ``GUARD_FACTOR`` x (what the clock has given it so far, and a grace for each turn) +
``MATCH_GUARD_SECONDS``.
"""
SHORTEST_WAIT = 0.001


class Reading(NamedTuple):
    """The clocks of a seat at one moment.

    Attributes:
        wall: Monotonic seconds.
        cpu: CPU seconds of the seat's processes so far; None where they cannot be measured exactly.
        unread: Bytes sent to the program that it has not read.
    """

    wall: float
    cpu: float | None = None
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

    It runs only from "request sent" to "reply complete". Where CPU readings exist they decide, and wall time has guards
    against sleepers; otherwise wall time decides.

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
        "_given",
        "_guard",
        "_match_guard",
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
        self._stopped: float | None = None
        self._given = settings.bank or 0.0
        self._guard = self._match_guard = 0.0
        self.idle_cpu: float | None = None
        self.check_at: float | None = None

    @property
    def turn(self) -> int | None:
        """The number of the turn that the clock is counting; None before the first."""
        return self._turn

    @property
    def running(self) -> bool:
        """Return whether an answer is awaited."""
        return self._since is not None

    def start(self, turn: int, reading: Reading) -> None:
        """Begin to count: a request was sent. A new turn brings its increment, a fresh cap and a fresh guard."""
        if turn != self._turn:
            self._begin_turn(turn)
        if reading.cpu is not None and self._stopped is not None:
            self.idle_cpu = (self.idle_cpu or 0.0) + reading.cpu - self._stopped
        self._since = reading
        limit = self._limit()
        # On one processor CPU time cannot run ahead of wall time: before this moment nothing can have run out.
        soonest = limit if limit is None or reading.cpu is None else min(limit, self._guard_left())
        self.check_at = None if soonest is None else reading.wall + soonest

    def _begin_turn(self, turn: int) -> None:
        self._turn = turn
        self.turns += 1
        self.turn_spent = NOTHING
        if self.bank is not None:
            self.bank += self.settings.increment
            self._given += self.settings.increment
        elif self.settings.turn is not None:
            self._given += self.settings.turn
        self._guard = GUARD_FACTOR * (self._limit() or 0.0) + GUARD_SECONDS
        self._match_guard = GUARD_FACTOR * (self._given + self.turns * self.settings.grace) + MATCH_GUARD_SECONDS

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
        """Return whether limit and grace have passed without a reply; if not, `check_at` is the next time to ask."""
        if self.check_at is None or reading.wall < self.check_at:
            return False
        limit = self._limit()
        if self._since is None or limit is None:
            return False
        used = self._used(reading)
        if used.cpu is None:
            return used.wall > limit
        guard = self._guard_left()
        if used.cpu > limit or used.wall > guard:
            return True
        self.check_at = min(self._since.wall + guard, reading.wall + max(limit - used.cpu, SHORTEST_WAIT))
        return False

    def overrun(self, reading: Reading) -> float:
        """Return by how many seconds wall time has passed its limit; 0 if it has not, or if CPU time decides anyway."""
        limit = self._limit()
        if self._since is None or limit is None:
            return 0.0
        used = self._used(reading)
        if used.cpu is None:
            return max(0.0, used.wall - limit)
        return 0.0 if used.cpu > limit else max(0.0, used.wall - self._guard_left())

    def give_back(self, seconds: float) -> None:
        """Do not count this much of the wall time since the request: the processor was not the player's to use."""
        if self._since is not None:
            self._since = self._since._replace(wall=self._since.wall + seconds)
        if self.check_at is not None:
            self.check_at += seconds

    def _limit(self) -> float | None:
        left = self.left()
        return None if left is None else left + self.settings.grace

    def _guard_left(self) -> float:
        """Return the wall seconds that the present request may take, where CPU time decides."""
        return min(self._guard - self.turn_spent.wall, self._match_guard - self.spent.wall)

    def _used(self, reading: Reading) -> Spent:
        if self._since is None:
            return Spent(0.0, None)
        wall = reading.wall - self._since.wall
        cpu = None if reading.cpu is None or self._since.cpu is None else reading.cpu - self._since.cpu
        return Spent(wall, cpu)


def _add(one: Spent, other: Spent) -> Spent:
    cpu = other.cpu if one.cpu is None else one.cpu if other.cpu is None else one.cpu + other.cpu
    return Spent(one.wall + other.wall, cpu)
