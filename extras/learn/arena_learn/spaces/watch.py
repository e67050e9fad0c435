"""What all players of one match see, brought up to date when somebody asks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arena_learn.spaces.actions import Actions
from arena_learn.spaces.layout import Layout
from arena_learn.spaces.tracker import Tracker

if TYPE_CHECKING:
    from arena.game import Document, State


class Watch:
    """Follows the state of a match for all players. It commits the state, so nobody else may.

    A player is brought up to date when the player is asked, so that all changes since the last time come as one delta.
    Where players move simultaneously, all of them are brought up to date together: what all see is computed once.

    Args:
        layout: The layout.

    Attributes:
        state: The state of the match.
        trackers: What each player sees.
        actions: The numbers of each player's actions.
    """

    state: State

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.trackers = [Tracker(layout, player) for player in range(layout.players)]
        self.actions = [Actions(tracker) for tracker in self.trackers]
        self._marks = [0] * layout.players
        self._together = False

    def start(self, state: State) -> None:
        """Take the first position of a match."""
        self.state = state
        self._marks = [0] * self.layout.players
        self._together = len(state.to_move()) > 1
        for player, tracker in enumerate(self.trackers):
            tracker.start(state.view(player))

    def sync(self, player: int) -> None:
        """Bring what a player sees up to date."""
        state, marks = self.state, self._marks
        mark = marks[player]
        if mark == state.mark:
            return
        if self._together:
            players = [one for one, other in enumerate(marks) if other == mark]
            deltas = [delta for delta, _ in state.updates(mark, players)]
        else:
            players, deltas = [player], [state.delta(mark, player)]
        out = state.out()
        for one, delta in zip(players, deltas, strict=True):
            self.trackers[one].apply(delta)
            if out:
                self.trackers[one].show_out(out)
            marks[one] = state.mark
        if min(marks) == state.mark:
            state.commit()
            self._marks = [0] * len(marks)

    def ask(self, player: int) -> dict[int, Document]:
        """Bring a player up to date, and return the legal actions by number: none if it is not the player's move."""
        self.sync(player)
        to_move = self.state.to_move()
        return self.actions[player].note(self.state.legal_actions(player) if player in to_move else [])
