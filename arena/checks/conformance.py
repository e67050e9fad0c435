"""Compare a trace with the rules, line by line, up to the first difference."""

from __future__ import annotations

import gzip
import zlib
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator
from pathlib import Path
from typing import Any, TypeVar

from arena.checks.trace_files import Line, UnusableTrace, check_action, check_first, parse, read_lines
from arena.checks.trace_report import Mismatch, TraceReport
from arena.game import GameSpec, Scripted, State
from arena.replaying.course import FIRST, Course, Step
from arena.replaying.difference import NOTHING, canonical, first_difference, show
from arena.replaying.recorded import Disagreement, ask, disagree, resolve_options, set_up
from arena_replays.documents import Entry

T = TypeVar("T")

_SHOWN = 3

_FIRST_KEYS = {"kind", "version", "game", "options", "initial", "to_move", "outcome", "legal_actions", "setup_draws"}
_LINE_KEYS = {"player", "action", "ok", "draws", "state", "to_move", "outcome", "legal_actions", "error"}


def conform(game: GameSpec, lines: Iterable[str | bytes], name: str = "trace") -> TraceReport:
    """Compare a recorded game with the rules.

    Compare state, legal actions, refusal codes, the player to move, outcome, draws, and the additional keys that the
    game's `TraceFormat` defines. Stop at the first difference.
    """
    comparison = _Comparison(game)
    try:
        comparison.run(lines)
    except UnusableTrace as error:
        return comparison.report(name, problem=error.problem, line=error.line)
    except Disagreement as error:
        return comparison.report(name, mismatch=comparison.mismatch(error))
    return comparison.report(name)


def conform_file(game: GameSpec, path: Path) -> TraceReport:
    """Compare the trace in a file with the rules. Report a file that cannot be read as an unusable trace."""
    try:
        with open(path, "rb") as file:
            packed = file.read(2) == b"\x1f\x8b"
        with gzip.open(path, "rb") if packed else open(path, "rb") as file:
            return conform(game, read_lines(file), str(path))
    except OSError as error:
        bad = isinstance(error, gzip.BadGzipFile)
        reason = "the file is not a valid gzip file" if bad else f"the file cannot be read: {error.strerror or error}"
        return TraceReport(str(path), problem=reason)
    except EOFError:
        return TraceReport(str(path), problem="the gzip file is truncated")
    except zlib.error:
        return TraceReport(str(path), problem="the gzip file is damaged")


class _Comparison:
    def __init__(self, game: GameSpec) -> None:
        self._game = game
        self._format = game.trace
        self._state: Any = None
        self._number = 0
        self._line: Line = {}
        self._agreed = self._refused = 0
        self._unchecked: dict[str, None] = {}

    def run(self, lines: Iterable[str | bytes]) -> None:
        numbered = parse(lines)
        self._number, self._line = next(numbered)
        check_first(self._line, self._game)
        self._state = self._start(self._line)
        for step in Course(self._state, self._entries(numbered), script=self._format.chance, by_referee=False):
            if step.entry[0] in FIRST:
                self._compare_initial(self._line)
            else:
                self._compare(self._line, step)
                self._refused += step.entry[0] == "refuse"
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

    def _entries(self, numbered: Iterator[tuple[int, Line]]) -> Iterator[Entry]:
        first = self._line
        yield ["position", first["initial"]] if "initial" in first else ["setup", first.get("setup_draws")]
        for self._number, self._line in numbered:
            line = self._line
            check_action(line, self._number, self._game.players_in(self._state.options))
            if line["ok"]:
                yield ["do", line["player"], line["action"], line.get("draws", [])]
            else:
                yield ["refuse", line["player"], line["action"], line.get("error", NOTHING), ""]

    # -- the first line ------------------------------------------------------------------------------

    def _start(self, first: Line) -> State:
        options = resolve_options(self._game, self._format.options(first))
        if "initial" not in first and "setup_draws" not in first and "draws" not in first:
            raise UnusableTrace("the first line has neither a state nor set-up draws", 1)
        chance = self._ask("setup_draws", lambda: self._format.setup_chance(first))
        if isinstance(chance, Scripted):  # `set_up` raises an error for unused draws
            set_up(self._game, options, chance)
        where = "initial" if chance is None else "setup_draws"
        return self._ask(where, lambda: self._format.start(self._game, options, first))

    def _compare_initial(self, first: Line) -> None:
        if "initial" in first:
            disagree(first_difference(first["initial"], self._format.document(self._state), "initial"))
        self._compare_rest(first, _FIRST_KEYS)

    # -- further lines -------------------------------------------------------------------------------

    def _compare(self, line: Line, step: Step) -> None:
        if line["ok"]:
            disagree(first_difference(step.entry[3], self._format.draws(list(step.draws)), "draws"))
            if "state" in line:
                document = self._ask("state", lambda: self._format.document(self._state))
                disagree(first_difference(line["state"], document, "state"))
        self._compare_rest(line, _LINE_KEYS)
        self._note_unchecked(line)

    def _compare_rest(self, line: Line, known: set[str]) -> None:
        if "to_move" in line:
            disagree(first_difference(line["to_move"], self._to_move(line["to_move"]), "to_move"))
        if "outcome" in line:
            outcome = self._ask("outcome", self._state.outcome)
            disagree(first_difference(line["outcome"], outcome and outcome.to_document(), "outcome"))
        if "legal_actions" in line:
            listed = self._ask("legal_actions", lambda: self._format.legal_actions(self._state))
            compare_legal(line["legal_actions"], listed)
        further = self._ask("state", lambda: self._format.extras(self._state))
        for key, value in further.items():
            if key in line and key not in known:
                recorded = self._format.comparable(key, line[key])
                disagree(first_difference(recorded, self._format.comparable(key, value), key))

    def _to_move(self, expected: Any) -> Any:
        players = self._ask("to_move", self._state.to_move)
        if isinstance(expected, list):
            return list(players)
        return None if not players else players[0] if len(players) == 1 else list(players)

    def _note_unchecked(self, line: Line) -> None:
        strange = [key for key in line if key not in _LINE_KEYS]
        if strange:
            known = self._format.extras(self._state)
            self._unchecked.update({key: None for key in strange if key not in known})

    def _ask(self, field: str, question: Callable[[], T]) -> T:
        return ask(field, question, self._line.get(field))


def compare_legal(expected: list[Any], found: list[Any]) -> None:
    """Compare two lists of documents without regard to order."""
    wanted, given = Counter(map(_key, expected)), Counter(map(_key, found))
    if wanted == given:
        return
    missing = _pick(wanted - given, expected)
    surplus = _pick(given - wanted, found)
    parts = ([f"lack {_list(missing)}"] if missing else []) + ([f"have {_list(surplus)} too many"] if surplus else [])
    raise Disagreement("legal_actions", f"{len(expected)} actions", f"{len(found)}, which {' and '.join(parts)}")


def _key(document: Any) -> Hashable:
    """Return a key that is equal for equal documents, and differs for 1 and true."""
    try:
        return frozenset(
            [
                (key, value, "bool") if value is True or value is False else (key, value)
                for key, value in document.items()
            ]
        )
    except (TypeError, AttributeError):
        return canonical(document)


def _pick(keys: Counter[Hashable], documents: list[Any]) -> list[Any]:
    left = Counter(keys)
    picked = []
    for document in documents:
        key = _key(document)
        if left[key] > 0:
            left[key] -= 1
            picked.append(document)
    return picked


def _list(documents: list[Any]) -> str:
    shown = ", ".join(show(one) for one in documents[:_SHOWN])
    return shown + (f" and {len(documents) - _SHOWN} more" if len(documents) > _SHOWN else "")
