"""Replaying a trace against the rules, line by line, up to the first difference."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from arena.conform.difference import first_difference, show
from arena.conform.legal import compare_legal
from arena.conform.report import Disagreement, Mismatch, TraceReport, UnusableTrace, disagree
from arena.conform.trace_lines import Line, check_action, check_first, parse
from arena.game import GameSpec, IllegalAction, OptionError, Scripted, ScriptError, Seeded, State

T = TypeVar("T")

_FIRST_KEYS = {"kind", "version", "game", "options", "initial", "to_move", "outcome", "legal_actions", "setup_draws"}
_LINE_KEYS = {"player", "action", "ok", "draws", "state", "to_move", "outcome", "legal_actions", "error"}


def conform(game: GameSpec, lines: Iterable[str | bytes], name: str = "trace") -> TraceReport:
    """Compare a recorded game with the rules.

    State, legal actions, refusal codes, whose move it is, the outcome, draws and further keys that the game's
    `TraceFormat` knows are compared exactly, up to the first difference.

    Args:
        game: The game whose rules are to be followed.
        lines: The lines of the trace.
        name: What to call the trace in the report.
    """
    replay = _Replay(game)
    try:
        replay.run(lines)
    except UnusableTrace as error:
        return replay.report(name, problem=error.problem, line=error.line)
    except Disagreement as error:
        return replay.report(name, mismatch=replay.mismatch(error))
    return replay.report(name)


class _Replay:
    """One trace on its way through the rules."""

    def __init__(self, game: GameSpec) -> None:
        self._game = game
        self._format = game.trace
        self._state: Any = None
        self._number = 0
        self._line: Line = {}
        self._agreed = self._refused = 0
        self._unchecked: dict[str, None] = {}

    def run(self, lines: Iterable[str | bytes]) -> None:
        for number, line in parse(lines):
            self._number, self._line = number, line
            if self._state is None:
                check_first(line, self._game)
                self._state = self._start(line)
                self._compare_initial(line)
            else:
                check_action(line, number, self._game)
                self._play(line)
            self._agreed += 1

    def report(
        self,
        name: str,
        mismatch: Mismatch | None = None,
        problem: str = "",
        line: int = 0,
    ) -> TraceReport:
        finished = self._state is not None and mismatch is None and not problem and not self._state.to_move()
        return TraceReport(name, self._agreed, self._refused, finished, mismatch, problem, line, tuple(self._unchecked))

    def mismatch(self, error: Disagreement) -> Mismatch:
        line = self._line
        return Mismatch(self._number, error.field, error.expected, error.found, line.get("player"), line.get("action"))

    # -- the first line ------------------------------------------------------------------------------

    def _start(self, first: Line) -> State:
        try:
            options = self._game.resolve_options(self._format.options(first))
        except OptionError as error:
            raise Disagreement("options", show(first.get("options")), f"the refusal: {error}") from None
        if "initial" not in first and "setup_draws" not in first and "draws" not in first:
            raise UnusableTrace("the first line has neither a state nor the draws of the set-up", 1)
        chance = self._asked("setup_draws", lambda: self._format.setup_chance(first))
        if isinstance(chance, Scripted):  # once more beforehand, to see whether all the draws are used
            self._asked("setup_draws", lambda: self._game.start(options, chance))
            if chance.left:
                raise Disagreement("setup_draws", f"{chance.left} draws more", "a set-up without them")
        where = "initial" if chance is None else "setup_draws"
        return self._asked(where, lambda: self._format.start(self._game, options, first))

    def _compare_initial(self, first: Line) -> None:
        if "initial" in first:
            disagree(first_difference(first["initial"], self._format.document(self._state), "initial"))
        self._compare_rest(first, _FIRST_KEYS)

    # -- further lines -------------------------------------------------------------------------------

    def _play(self, line: Line) -> None:
        if line["ok"]:
            self._accept(line)
            if "state" in line:
                document = self._asked("state", lambda: self._format.document(self._state))
                disagree(first_difference(line["state"], document, "state"))
        else:
            self._refuse(line)
            self._refused += 1
        self._compare_rest(line, _LINE_KEYS)
        self._note_unchecked(line)

    def _accept(self, line: Line) -> None:
        recorded = line.get("draws", [])
        chance = self._asked("draws", lambda: self._format.chance(recorded))
        try:
            self._asked("action", lambda: self._state.push(line["player"], line["action"], chance))
        except IllegalAction as refusal:
            raise Disagreement("ok", "true", f"the refusal {refusal.code}: {refusal.message}") from None
        disagree(first_difference(recorded, self._format.draws(chance.draws), "draws"))
        if getattr(chance, "left", 0):
            raise Disagreement("draws", show(recorded), f"{chance.left} draws less")

    def _refuse(self, line: Line) -> None:
        chance = Seeded(0)  # an action that is accepted after all may want dice
        try:
            self._asked("action", lambda: self._state.push(line["player"], line["action"], chance))
        except IllegalAction as refusal:
            disagree(first_difference([], [draw.value for draw in chance.draws], "draws"))
            if "error" in line:
                disagree(first_difference(line["error"], refusal.code, "error"))
            return
        raise Disagreement("ok", "false", "the action is accepted")

    def _compare_rest(self, line: Line, known: set[str]) -> None:
        if "to_move" in line:
            disagree(first_difference(line["to_move"], self._to_move(line["to_move"]), "to_move"))
        if "outcome" in line:
            outcome = self._asked("outcome", self._state.outcome)
            disagree(first_difference(line["outcome"], outcome and outcome.to_document(), "outcome"))
        if "legal_actions" in line:
            listed = self._asked("legal_actions", lambda: self._format.legal_actions(self._state))
            compare_legal(line["legal_actions"], listed)
        further = self._asked("state", lambda: self._format.extras(self._state))
        for key, value in further.items():
            if key in line and key not in known:
                told = self._format.comparable(key, line[key])
                disagree(first_difference(told, self._format.comparable(key, value), key))

    def _to_move(self, expected: Any) -> Any:
        players = self._asked("to_move", self._state.to_move)
        if isinstance(expected, list):
            return list(players)
        return None if not players else players[0] if len(players) == 1 else list(players)

    def _note_unchecked(self, line: Line) -> None:
        strange = [key for key in line if key not in _LINE_KEYS]
        if strange:
            known = self._format.extras(self._state)
            self._unchecked.update({key: None for key in strange if key not in known})

    def _asked(self, field: str, question: Callable[[], T]) -> T:
        """Ask the rules; what they raise besides a refusal is a difference, too, never a traceback."""
        try:
            return question()
        except (IllegalAction, Disagreement):
            raise
        except ScriptError as error:
            where = "draws" if field == "action" else field
            raise Disagreement(where, show(self._line.get(where, [])), f"another draw: {error}") from None
        except Exception as error:
            frames = traceback.extract_tb(error.__traceback__)
            place = f"{frames[-1].filename}:{frames[-1].lineno}" if frames else "the rules"
            raise Disagreement(
                field, show(self._line.get(field)), f"the exception {type(error).__name__}: {error} in {place}"
            ) from None
