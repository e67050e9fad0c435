"""Compare traces with the rules: games that another implementation of the rules has recorded.

A trace is a file of JSON lines, plain or gzipped. The first line has the start, each further line one submitted action
with what came of it. The lines become entries of a record, and a `Course` carries them out; what else a line says (the
state, who is to move, the legal actions, the outcome) is compared after each. The comparison ends with the first
difference, since everything after it can follow from it.

A trace comes from somebody else. What is not a trace of this game is an `UnusableTrace` with its line, and no finding
about the rules.
"""

from __future__ import annotations

import glob
import gzip
import json
import zlib
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import count
from pathlib import Path
from typing import Any, Protocol, TypeVar

from arena.errors import ArenaError, ExitCode
from arena.game import Document, GameSpec, Scripted, State
from arena.study.replaying.course import FIRST, Course, Step
from arena.study.replaying.difference import NOTHING, canonical, first_difference, show
from arena.study.replaying.recorded import Disagreement, ask, disagree, resolve_options, set_up
from arena_replays.documents import Entry

SUFFIXES = (".jsonl", ".jsonl.gz")
VERSION = 1
LONGEST_LINE = 4 * 1024 * 1024
"""The limit for the length of a line, in bytes. Chosen, not measured: far more than a line of any of our games."""
LARGEST_TRACE = 256 * 1024 * 1024
"""The limit for the uncompressed size of a trace, in bytes. A small gzip file can expand to more than the memory."""
Line = Document


class TraceFile(Protocol):
    """A file of bytes, compressed or not."""

    def readline(self, size: int, /) -> bytes:
        """Return the next line, or its first `size` bytes if it is longer."""


class UnusableTrace(ValueError):  # noqa: N818 - reads as what it is
    """The lines are not a trace of this game.

    Args:
        problem: The reason, without a full stop.
    """

    def __init__(self, problem: str, line: int = 0) -> None:
        super().__init__(problem)
        self.problem = problem
        self.line = line


def find_traces(references: Sequence[str]) -> list[Path]:
    """Return the trace files that the references name, each once, in the order of the references.

    A reference is a file, a folder or a pattern.
    """
    traces: dict[Path, None] = {}
    for reference in references:
        paths = list(_expand(reference))
        if not paths:
            raise ArenaError(
                f"there is no trace at {reference}",
                hint=f"Give files, folders with {' or '.join('*' + suffix for suffix in SUFFIXES)} files, or patterns.",
                exit_code=ExitCode.BAD_TRACE,
            )
        traces.update(dict.fromkeys(paths))
    return list(traces)


def _expand(reference: str) -> Iterator[Path]:
    path = Path(reference)
    if path.is_dir():
        yield from sorted(file for file in path.rglob("*") if file.name.endswith(SUFFIXES) and file.is_file())
    elif path.exists():
        yield path
    elif any(letter in reference for letter in "*?["):
        for name in sorted(glob.glob(reference, recursive=True)):
            yield from _expand(name) if Path(name).is_dir() else [Path(name)]


def read_lines(file: TraceFile) -> Iterator[bytes]:
    left = LARGEST_TRACE
    for number in count(1):
        line = file.readline(min(LONGEST_LINE, left) + 1)
        left -= len(line)
        if len(line) > LONGEST_LINE:
            raise UnusableTrace(f"the line is longer than {LONGEST_LINE // 2**20} MiB", number)
        if left < 0:
            raise UnusableTrace(f"the trace is larger than {LARGEST_TRACE // 2**20} MiB", number)
        if not line:
            return
        yield line


def parse(lines: Iterable[str | bytes]) -> Iterator[tuple[int, Line]]:
    number = 0
    empty = True
    for number, text in enumerate(lines, 1):
        if not text.strip():
            continue
        try:
            line = json.loads(text, parse_constant=_refuse)
        except (ValueError, RecursionError):
            cut = text[-1:] not in ("\n", b"\n")
            reason = "the line is cut off" if cut else "the line is not JSON"
            raise UnusableTrace(reason, number) from None
        if type(line) is not dict:
            raise UnusableTrace("the line is not a JSON object", number)
        empty = False
        yield number, line
    if empty:
        raise UnusableTrace("the trace is empty")


def _refuse(word: str) -> Any:
    raise ValueError(word)


def check_first(line: Line, game: GameSpec) -> None:
    if line.get("kind") != "trace":
        raise UnusableTrace("the first line is not the first line of a trace", 1)
    if line.get("game") != game.name:
        raise UnusableTrace(f"the trace is of the game {line.get('game')}, not of {game.name}", 1)
    if line.get("version") != VERSION or type(line.get("version")) is not int:
        raise UnusableTrace(f"the trace has the version {line.get('version')}; version {VERSION} can be read", 1)
    if type(line.get("options", {})) is not dict:
        raise UnusableTrace("the options are not a JSON object", 1)


def check_action(line: Line, number: int, players: int) -> None:
    if type(line.get("ok")) is not bool or "action" not in line:
        raise UnusableTrace("the line has no action with a verdict", number)
    player = line.get("player")
    if type(player) is not int or not 0 <= player < players:
        raise UnusableTrace(f"the player is {player!r}, but the game has the players 0 to {players - 1}", number)
    if line["ok"] and type(line.get("draws", [])) is not list:
        raise UnusableTrace("the draws are not a list", number)


# The result of comparing one trace with the rules.


@dataclass(frozen=True, slots=True)
class Mismatch:
    """The first place where rules and trace differ.

    Attributes:
        field: The path of the value in that line, for example ``state.cowboys[2].focus``.
        player: Who acted in that line; None for the first line.
        action: What was done in that line; None for the first line.
    """

    line: int
    field: str
    expected: str
    found: str
    player: int | None = None
    action: Any = None

    def __str__(self) -> str:
        return f"{self.field}: the trace has {self.expected}, the rules give {self.found}"

    def to_document(self) -> dict[str, Any]:
        """Return the difference as JSON has it."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class TraceReport:
    """The result of comparing one trace.

    Attributes:
        problem: Why the trace is unusable; empty if it is usable.
        line: The line of the problem; 0 if the file as a whole is unusable.
        unchecked: Keys that were not compared, since neither the format nor the game defines them. The keys of the
            first line are left out.
    """

    name: str
    lines: int = 0
    refused: int = 0
    finished: bool = False
    mismatch: Mismatch | None = None
    problem: str = ""
    line: int = 0
    unchecked: tuple[str, ...] = ()

    @property
    def verdict(self) -> str:
        """``ok``, ``differs`` or ``unusable``."""
        return "unusable" if self.problem else "differs" if self.mismatch is not None else "ok"

    def __str__(self) -> str:
        if self.problem:
            return f"unusable  {self.name}{f':{self.line}' if self.line else ''}: {self.problem}"
        if self.mismatch is not None:
            return f"differs   {self.name}:{self.mismatch.line}: {self.mismatch}"
        tail = "" if self.finished else ", which stop before the end of the game"
        tail += f"; not compared: {', '.join(self.unchecked)}" if self.unchecked else ""
        return f"ok        {self.name}: {self.lines} lines, {self.refused} of them refusals{tail}"

    def to_document(self) -> dict[str, Any]:
        """Return the report as JSON has it."""
        return {
            "file": self.name,
            "verdict": self.verdict,
            "lines": self.lines,
            "refused": self.refused,
            "finished": self.finished,
            "difference": self.mismatch and self.mismatch.to_document(),
            "problem": self.problem or None,
            "line": self.line or (self.mismatch and self.mismatch.line),
            "unchecked": list(self.unchecked),
        }


# Compare a trace with the rules, line by line, up to the first difference.

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
        field = "initial" if chance is None else "setup_draws"
        return self._ask(field, lambda: self._format.start(self._game, options, first))

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

    def _compare_rest(self, line: Line, own_keys: set[str]) -> None:
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
            if key in line and key not in own_keys:
                recorded = self._format.comparable(key, line[key])
                disagree(first_difference(recorded, self._format.comparable(key, value), key))

    def _to_move(self, expected: Any) -> Any:
        players = self._ask("to_move", self._state.to_move)
        if isinstance(expected, list):
            return list(players)
        return None if not players else players[0] if len(players) == 1 else list(players)

    def _note_unchecked(self, line: Line) -> None:
        unknown = [key for key in line if key not in _LINE_KEYS]
        if unknown:
            extras = self._format.extras(self._state)
            self._unchecked.update({key: None for key in unknown if key not in extras})

    def _ask(self, field: str, question: Callable[[], T]) -> T:
        return ask(field, question, self._line.get(field))


def compare_legal(expected: list[Any], found: list[Any]) -> None:
    """Compare two lists of documents without regard to order."""
    expected_keys, found_keys = Counter(map(_key, expected)), Counter(map(_key, found))
    if expected_keys == found_keys:
        return
    missing = _pick(expected_keys - found_keys, expected)
    surplus = _pick(found_keys - expected_keys, found)
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
    wanted = Counter(keys)
    picked = []
    for document in documents:
        key = _key(document)
        if wanted[key] > 0:
            wanted[key] -= 1
            picked.append(document)
    return picked


def _list(documents: list[Any]) -> str:
    first = ", ".join(show(document) for document in documents[:_SHOWN])
    return first + (f" and {len(documents) - _SHOWN} more" if len(documents) > _SHOWN else "")
