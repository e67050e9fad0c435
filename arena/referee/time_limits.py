"""The time limits of all seats. Callers pass the clock readings."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

from arena.game import Clock
from arena.referee.clock import GUARD_FACTOR, GUARD_SECONDS, Reading
from arena.referee.seat import Seat


class TimeLimits:
    """Counts the time of the seats that must answer, without the time that other programs took from them."""

    def __init__(self, settings: Clock, seats: Sequence[Seat]) -> None:
        self._settings = settings
        self._seats = seats
        self._startup_ends = inf
        self._returned = 0.0

    def prepare(self, seat: Seat, turn: int | None = None, sharing: int = 1) -> None:
        """Set the limits of a seat that is asked to start up, or to act in a turn. Its time begins with `start`."""
        if turn is None:
            self._startup_ends = inf
            self._returned = 0.0
        elif seat.clock.turn != turn:
            seat.clock.begin_turn(turn, sharing)
            self._returned = 0.0

    def start(self, seat: Seat, reading: Reading) -> None:
        if seat.starting:
            self._startup_ends = reading.wall + self._settings.startup
        else:
            seat.clock.start(reading)

    def next_check(self, player: int) -> float | None:
        """Return the wall time at which `Match.on_time` should be called for a seat; None if no limit can pass."""
        seat = self._seats[player]
        if not seat.asked:
            return None
        return self._startup_ends + self._settings.grace if seat.starting else seat.clock.check_at

    def overrun(self, player: int, reading: Reading) -> float:
        """Return the seconds by which a seat exceeds a limit of wall time.

        Return 0 if no such limit has passed, or if a limit of CPU time has passed.
        """
        seat = self._seats[player]
        if seat.starting:
            return max(0.0, reading.wall - self._startup_ends - self._settings.grace)
        return seat.clock.overrun(reading) if seat.clock.is_over(reading) else 0.0

    def give_back(self, seconds: float) -> None:
        """Do not count these seconds as used time of the asked seats, because they could not use the processor."""
        if seconds:
            self._startup_ends += seconds
            for seat in self._seats:
                seat.clock.give_back(seconds)

    def count_idle(self, player: int, seconds: float) -> None:
        """Count seconds in which a seat could use the processor and did not (see `SeatClock.count_idle`)."""
        self._seats[player].clock.count_idle(seconds)

    def returns_too_much(self, player: int, seconds: float) -> bool:
        """Add seconds to the lost time of this turn or start-up, and return whether the sum is too long.

        The limit of the sum is ``GUARD_FACTOR`` x (the seat's time limit + grace) + ``GUARD_SECONDS``. Up to this
        limit, the seconds are given back (see `give_back`).
        """
        seat = self._seats[player]
        self._returned += seconds
        if seconds and self._returned > GUARD_FACTOR * (self.limit(seat) + self._settings.grace) + GUARD_SECONDS:
            return True
        self.give_back(seconds)
        return False

    def limit(self, seat: Seat) -> float:
        """Return the time limit for a seat's start-up or open request, in seconds; 0 without a limit."""
        return self._settings.startup if seat.starting else seat.clock.left() or 0.0
