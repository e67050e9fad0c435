"""Check what players and spectators are sent: views, deltas, events."""

from __future__ import annotations

from typing import Any

from arena.game import GameSpec, State
from arena.study.checks.contract.fold import FoldError, Objects, check_wire, fold
from arena.study.checks.contract.report import Ledger
from arena.study.replaying.difference import canonical, first_difference, show
from arena_replays.state import CLASS


def name_of(player: int | None) -> str:
    return "the spectator" if player is None else f"player {player}"


class Observers:
    """Follows a game by its deltas, as clients do, and compares the result with the views."""

    def __init__(self, game: GameSpec, state: State, ledger: Ledger) -> None:
        self._ledger = ledger
        self._everybody: tuple[int | None, ...] = (None, *range(game.players_in(state.options)))
        self._folded: dict[int | None, Objects] = {}
        self._mark = state.mark
        for player in self._everybody:
            self._start(state, player)

    def follow(self, state: State) -> None:
        """Apply the delta since the last call, and compare the result with the view."""
        for player in self._everybody:
            try:
                fold(self._folded[player], state.delta(self._mark, player))
                view = fold({}, state.view(player))
            except FoldError as error:
                self._ledger.add("delta", f"for {name_of(player)}: {error}")
                self._start(state, player)
                continue
            difference = first_difference(view, self._folded[player])
            what = f"the objects of {name_of(player)} after the deltas differ from the view at"
            if not self._ledger.compare("delta", what, difference):
                self._folded[player] = view
            self._check_events(state, player)
        self._mark = state.mark

    def _start(self, state: State, player: int | None) -> None:
        try:
            self._folded[player] = fold({}, state.view(player))
        except FoldError as error:
            self._folded[player] = {}
            self._ledger.add("delta", f"the view of {name_of(player)}: {error}")

    def _check_events(self, state: State, player: int | None) -> None:
        everything = [canonical(event) for event in state.events(self._mark)]
        for event in state.events(self._mark, player):
            if type(event) is not dict or type(event.get("kind")) is not str:
                self._ledger.add("events", f"the event {event!r} has no kind")
            if canonical(event) not in everything:
                self._ledger.add("events", f"{name_of(player)} gets {show(event)}, which the spectator is not sent")
            try:
                check_wire(event, f"the event {event.get('kind')}")
            except FoldError as error:
                self._ledger.add("events", str(error))


def hidden(everything: Objects, visible: Objects) -> dict[tuple[str, str], Any]:
    """Return the values that an observer does not see, as a map from (id, field) to the value."""
    return {
        (id_, name): value
        for id_, fields in everything.items()
        for name, value in fields.items()
        if name != CLASS and (id_ not in visible or (value is not None and visible[id_].get(name) is None))
    }
