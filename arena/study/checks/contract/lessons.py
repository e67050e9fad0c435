"""Try the detectors of mistakes on a random game: they raise nothing, are quick, and propose legal actions."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from time import thread_time
from typing import Any

from arena.game import Detector, Document, GameSpec, IllegalAction, MalformedAction, Mistake, PlayerTurn, Seeded, State
from arena.study.checks.contract.report import Ledger
from arena.study.replaying.recorded import describe

SECONDS_A_TURN = 0.01
"""The limit for the processor time of a detector in each turn, on average. A match of 200 turns then costs 2 seconds a
detector, which is what `arena explain` can spend before its first playout."""
FREE_SECONDS = 0.5
"""A detector that takes less in all is quick, however short the match is."""


class TurnsOfPlayers:
    """Divides a game that is being played into the turns of its players, as detectors get them."""

    def __init__(self, game: GameSpec) -> None:
        self._detectors = game.lessons
        self._recorded: list[tuple[int, int, list[Document], State, State]] = []
        self._open: dict[int, list[Document]] = {}
        self._before: State | None = None
        self._number = 0
        self._is_together = False

    def add(self, state: State, player: int, action: Document) -> None:
        """Add an action that is about to be carried out."""
        if not self._detectors:
            return
        begun = self._before
        if begun is not None and (
            state.turn_number() != begun.turn_number() or (not self._is_together and player not in self._open)
        ):
            self._close(state)
        if self._before is None:
            self._number += begun is None or state.turn_number() != begun.turn_number()
            self._before, self._is_together = state.clone(), len(state.to_move()) > 1
        self._open.setdefault(player, []).append(action)

    def _close(self, state: State) -> None:
        assert self._before is not None
        after = state.clone()
        for player, actions in self._open.items():
            self._recorded.append((self._number, player, actions, self._before, after))
        self._open, self._before = {}, None

    def check(self, state: State, place: str, ledger: Ledger) -> None:
        """Try all detectors on the turns of each player, up to a state in which the game has ended."""
        if self._before is not None:
            self._close(state)
        for player in sorted({recorded[1] for recorded in self._recorded}):
            turns = self._of(player, state)
            for detector in self._detectors:
                ledger.place = f"{place}, the {len(turns)} turns of player {player}"
                _check_detector(detector, turns, ledger)

    def _of(self, player: int, end: State) -> list[PlayerTurn[Any]]:
        own = [recorded for recorded in self._recorded if recorded[1] == player]
        turns: list[PlayerTurn[Any]] = []
        for (number, _, actions, before, after), later in pairwise([*own, (0, 0, [], end, end)]):
            part = turns[-1].part + 1 if turns and turns[-1].number == number else 0
            turns.append(PlayerTurn(number, player, actions, before, after, later[3], part))
        return turns


def _check_detector(detector: Detector, turns: Sequence[PlayerTurn[Any]], ledger: Ledger) -> None:
    name = f"the detector {getattr(detector, '__name__', 'lesson')}"
    begun = thread_time()
    try:
        mistakes = list(detector(turns))
    except Exception as error:
        ledger.add("lessons", f"{name} raised {describe(error)}")
        return
    seconds, most = thread_time() - begun, max(FREE_SECONDS, SECONDS_A_TURN * len(turns))
    if seconds > most:  # the first time can include an import, or a collection of garbage
        begun = thread_time()
        list(detector(turns))
        seconds = min(seconds, thread_time() - begun)
    if seconds > most:
        limit = 1000 * SECONDS_A_TURN
        ledger.add("lessons", f"{name} took {1000 * seconds / len(turns):.0f} ms a turn; the limit is {limit:.0f} ms")
    known = {(turn.number, turn.part): turn for turn in turns}
    for mistake in mistakes:
        turn = known.get((mistake.turns[0], mistake.part)) if mistake.turns else None
        if turn is None:
            ledger.add("lessons", f"{name} names the turns {list(mistake.turns)}, and the player had no such turn")
        elif problem := _problem(mistake, turn):
            ledger.add("lessons", f"{name}, in turn {turn.number}: {problem}")


def _problem(mistake: Mistake, turn: PlayerTurn[Any]) -> str:
    """Return what is wrong with a mistake; empty if nothing is. Dice may make the actions after them illegal."""
    if not mistake.text.strip():
        return "its text is empty"
    if mistake.better is None:
        return ""
    if mistake.missing is not None:
        return "it has both better and missing"
    state, chance = turn.before.clone(), Seeded("lessons")
    for action in mistake.better:
        try:
            state.push(turn.player, action, chance)
        except (IllegalAction, MalformedAction) as error:
            return "" if chance.take() else f"better has the action {action}, which is refused there: {error}"
    return ""
