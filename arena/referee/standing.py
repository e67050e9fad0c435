"""The players who still play in a match, and the ending of each player."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from arena.game import Outcome, State
from arena.game.leaving import FORFEIT, forfeit, outcome_of, teams_of
from arena.referee.seat import Seat


class Standing:
    """The players who have not failed, and those who left a game for more than two."""

    def __init__(self, state: State, seats: Sequence[Seat]) -> None:
        self._state = state
        self._seats = seats
        self.goes_on = len(seats) > 2 or state.cooperative  # a player whose program fails leaves, and others play on
        self._left: dict[int, int] = {}  # the turn in which each player left

    @property
    def leavers(self) -> Iterable[int]:
        """The players who left, in the order in which they left."""
        return self._left

    def out(self) -> list[int]:
        """Return the players who are out: by the rules, or because they left."""
        return sorted({*self._state.out(), *self._left})

    def count_failure(self, seat: Seat) -> None:
        """Set the ending of a player whose program has failed. The player leaves if the game `goes_on`."""
        assert seat.failure is not None
        seat.ending, seat.detail = seat.failure
        if self.goes_on:
            self._left[seat.player] = self._state.turn_number()

    def is_decided(self) -> bool:
        """Return whether at most one team has a player who has not failed; if cooperative, whether all have failed."""
        teams = {self._state.team_of(seat.player) for seat in self._seats if seat.ending is None}
        return len(teams) < (1 if self._state.cooperative else 2)

    def by_rules(self) -> Outcome | None:
        """Return the outcome by the rules, or None while the game goes on.

        Players who left rank last, unless the rules override `leave` or the outcome has teams.
        """
        return outcome_of(self._state, self._left, len(self._seats))

    def by_forfeit(self) -> Outcome:
        """Return the outcome of a match that is decided by failed programs, not by the rules.

        In a cooperative game, the common score is what `scores` gives at that moment.
        """
        if self._state.cooperative:
            return self._reached(FORFEIT)
        if len(self._seats) > 2:
            return forfeit(self._left, teams_of(self._state, len(self._seats)))
        standing = [seat.player for seat in self._seats if seat.ending is None]
        return Outcome(standing[0] if len(standing) == 1 else None, FORFEIT)

    def voided(self, reason: str) -> Outcome:
        return self._reached(reason) if self._state.cooperative else Outcome(None, reason)

    def _reached(self, reason: str) -> Outcome:
        return Outcome.together(reason, max(self._state.scores(), default=0.0))

    def settle(self, outcome: Outcome, *, void: bool) -> None:
        """Set the ending of each player who has no ending yet."""
        for seat in self._seats:
            if seat.ending is None:
                seat.ending = "void" if void else outcome.verdict(seat.player)
