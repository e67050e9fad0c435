"""The players who still play in a match, and the ending of each player. `TimeLimits` has the clocks of all seats."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from arena.game import Clock, Outcome, State
from arena.game.outcome import FORFEIT, forfeit
from arena.game.state import outcome_of, teams_of
from arena.match.void import VOID
from arena.play.referee.clock import Reading, SeatClock
from arena.play.referee.seat import Seat


class Standing:
    """The players who have not failed, and those who left a game for more than two."""

    def __init__(self, state: State, seats: Sequence[Seat]) -> None:
        self._state = state
        self._seats = seats
        self.others_play_on = len(seats) > 2 or state.cooperative  # a player whose program fails leaves
        self._left: dict[int, int] = {}  # the turn in which each player left

    @property
    def leavers(self) -> Iterable[int]:
        """The players who left, in the order in which they left."""
        return self._left

    def out(self) -> list[int]:
        """Return the players who are out: by the rules, or because they left."""
        return sorted({*self._state.out(), *self._left})

    def count_failure(self, seat: Seat) -> None:
        """Set the ending of a player whose program has failed. The player leaves if the game `others_play_on`."""
        assert seat.failure is not None
        seat.ending, seat.detail = seat.failure
        if self.others_play_on:
            self._left[seat.player] = self._state.turn_number()

    def is_decided(self) -> bool:
        """Return whether at most one team has a player who has not failed; if cooperative, whether all have failed."""
        teams = {self._state.team_of(seat.player) for seat in self._seats if seat.ending is None}
        return len(teams) < (1 if self._state.cooperative else 2)

    def by_rules(self) -> Outcome | None:
        """Return the outcome by the rules, or None while the game is played.

        Players who left rank last, unless the rules override `leave` or the outcome has teams.
        """
        return outcome_of(self._state, self._left, len(self._seats))

    def by_forfeit(self) -> Outcome:
        """Return the outcome of a match that is decided by failed programs, not by the rules.

        In a cooperative game, the common score is what `scores` gives at that moment.
        """
        if self._state.cooperative:
            return self._common_outcome(FORFEIT)
        if len(self._seats) > 2:
            return forfeit(self._left, teams_of(self._state, len(self._seats)))
        remaining = [seat.player for seat in self._seats if seat.ending is None]
        return Outcome(remaining[0] if len(remaining) == 1 else None, FORFEIT)

    def void_outcome(self, reason: str) -> Outcome:
        """Return the outcome of a void match. In a cooperative game it has the score that was reached."""
        return self._common_outcome(reason) if self._state.cooperative else Outcome(None, reason)

    def _common_outcome(self, reason: str) -> Outcome:
        return Outcome.together(reason, max(self._state.scores(), default=0.0))

    def settle(self, outcome: Outcome, *, void: bool) -> None:
        """Set the ending of each player who has no ending yet."""
        for seat in self._seats:
            if seat.ending is None:
                seat.ending = VOID if void else outcome.verdict(seat.player)


# The time limits of all seats. Callers pass the clock readings.


class TimeLimits:
    """Counts the time of the seats that must answer, without the time that other programs took from them."""

    def __init__(self, settings: Clock, seats: Sequence[Seat]) -> None:
        self._seats = seats
        self._limit = Clock(bank=None, increment=0.0, turn=settings.startup, grace=settings.grace)
        self._startup = SeatClock(self._limit)

    def clock(self, player: int) -> SeatClock:
        """Return the clock that runs for a seat: that of its start-up, or that of its turns."""
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
        return self.clock(player).check_at if self._seats[player].asked else None

    def overrun(self, player: int, reading: Reading) -> float:
        """Return the seconds by which a seat exceeds a limit of wall time.

        Return 0 if no such limit has passed, or if a limit of CPU time has passed.
        """
        clock = self.clock(player)
        return clock.overrun(reading) if clock.is_over(reading) else 0.0

    def give_back(self, seconds: float) -> None:
        """Do not count these seconds as used time of the asked seats, because they could not use the processor."""
        if seconds:
            self._startup.give_back(seconds)
            for seat in self._seats:
                seat.clock.give_back(seconds)
