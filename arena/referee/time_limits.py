"""The time limits of all seats. Callers pass the clock readings."""

from __future__ import annotations

from collections.abc import Sequence

from arena.game import Clock
from arena.referee.clock import Reading, SeatClock
from arena.referee.seat import Seat


class TimeLimits:
    """Counts the time of the seats that must answer, without the time that other programs took from them."""

    def __init__(self, settings: Clock, seats: Sequence[Seat]) -> None:
        self._seats = seats
        self._limit = Clock(bank=None, increment=0.0, turn=settings.startup, grace=settings.grace)
        self._startup = SeatClock(self._limit)

    def _clock(self, player: int) -> SeatClock:
        seat = self._seats[player]
        return self._startup if seat.starting else seat.clock

    def prepare(self, seat: Seat, turn: int | None = None) -> None:
        """Set the limits of a seat that is asked to start up, or to act in a turn. Its time begins with `start`."""
        if turn is None:
            self._startup = SeatClock(self._limit)
            self._startup.begin_turn(0)
        elif seat.clock.turn != turn:
            seat.clock.begin_turn(turn)

    def start(self, seat: Seat, reading: Reading) -> None:
        if seat.starting:
            self._startup.start(Reading(reading.wall))  # the limit of the start is wall time in any case
        else:
            seat.clock.start(reading)

    def next_check(self, player: int) -> float | None:
        """Return the wall time at which `Match.on_time` should be called for a seat; None if no limit can pass."""
        return self._clock(player).check_at if self._seats[player].asked else None

    def overrun(self, player: int, reading: Reading) -> float:
        """Return the seconds by which a seat exceeds a limit of wall time.

        Return 0 if no such limit has passed, or if a limit of CPU time has passed.
        """
        clock = self._clock(player)
        return clock.overrun(reading) if clock.is_over(reading) else 0.0

    def give_back(self, seconds: float) -> None:
        """Do not count these seconds as used time of the asked seats, because they could not use the processor."""
        if seconds:
            self._startup.give_back(seconds)
            for seat in self._seats:
                seat.clock.give_back(seconds)

    def give_back_waiting(self, player: int, reading: Reading, seconds: float) -> bool:
        """Give back the time in which other programs kept a seat from running (see `SeatClock.give_back_waiting`)."""
        return self._clock(player).give_back_waiting(reading, seconds)

    def count_entitled(self, player: int, seconds: float) -> None:
        """Count seconds of the processor that were a seat's share (see `SeatClock.count_entitled`)."""
        self._clock(player).count_entitled(seconds)

    def count_idle(self, player: int, seconds: float) -> None:
        """Count seconds in which a seat could use the processor and did not (see `SeatClock.count_idle`)."""
        self._clock(player).count_idle(seconds)

    def limit(self, player: int) -> float:
        """Return the time limit for a seat's start-up or open request, in seconds; 0 without a limit."""
        return self._clock(player).left() or 0.0
