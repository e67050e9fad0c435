"""The players who still play in a match, and the ending of each player."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from arena.game import Outcome, State
from arena.game.leaving import forfeit, outcome_of, teams_of
from arena.referee.seat import Seat


class Standing:
    """The players who have not failed, and those who left a game for more than two."""

    def __init__(self, state: State, seats: Sequence[Seat]) -> None:
        self._state = state
        self._seats = seats
        self._left: dict[int, int] = {}  # the turn in which each player left

    @property
    def leavers(self) -> Iterable[int]:
        """The players who left, in the order in which they left."""
        return self._left

    def count_failure(self, seat: Seat) -> None:
        """Set the ending of a player whose program has failed. In a game for more than two, the player leaves."""
        assert seat.failure is not None
        seat.ending, seat.detail = seat.failure
        if len(self._seats) > 2:
            self._left[seat.player] = self._state.turn_number()

    def is_decided(self) -> bool:
        """Return whether at most one team has a player who has not failed."""
        return len({self._state.team_of(seat.player) for seat in self._seats if seat.ending is None}) < 2

    def by_rules(self) -> Outcome | None:
        """Return the outcome by the rules, or None while the game goes on.

        Players who left rank last, unless the rules override `leave` or the outcome has teams.
        """
        return outcome_of(self._state, self._left, len(self._seats))

    def by_forfeit(self) -> Outcome:
        """Return the outcome of a match that is decided by failed programs, not by the rules."""
        if len(self._seats) > 2:
            return forfeit(self._left, teams_of(self._state, len(self._seats)))
        standing = [seat.player for seat in self._seats if seat.ending is None]
        return Outcome(standing[0] if len(standing) == 1 else None, "forfeit")

    def settle(self, outcome: Outcome, *, void: bool) -> None:
        """Set the ending of each player who has no ending yet."""
        for seat in self._seats:
            if seat.ending is None:
                seat.ending = "void" if void else outcome.verdict(seat.player)
