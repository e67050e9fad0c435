"""Reads `league.toml`: checks everything at once and names each defect with its place."""

import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, get_args

from arena.errors import ArenaError, ExitCode
from arena.match.isolation import KEYS
from arena.match.policy import Penalty
from arena.tournament.plan.config import TIEBREAKS, BotEntry, StageConfig, TournamentConfig

_Table = Mapping[str, Any]
_Check = Callable[[Any], str]
"""Returns "" for a good value, else what it must be."""

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9 ._-]{0,39}")


def _text(value: Any) -> str:
    return "" if isinstance(value, str) and value else "a text that is not empty"


def _any_text(value: Any) -> str:
    return "" if isinstance(value, str) else "a text"


def _name(value: Any) -> str:
    good = isinstance(value, str) and _NAME.fullmatch(value)
    return "" if good else "a name of 1 to 40 letters, digits, spaces, dots, dashes or underscores"


def _flag(value: Any) -> str:
    return "" if isinstance(value, bool) else "true or false"


def _whole(low: int, high: int) -> _Check:
    def check(value: Any) -> str:
        good = isinstance(value, int) and not isinstance(value, bool) and low <= value <= high
        return "" if good else f"a whole number from {low} to {high}"

    return check


def _seconds(value: Any) -> str:
    good = isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 86_400
    return "" if good else "a number of seconds from 0 to 86400"


def _seconds_or_none(value: Any) -> str:
    good = value == "none" or _seconds(value) == ""
    return "" if good else 'a number of seconds from 0 to 86400, or "none"'


def _scalar(value: Any) -> str:
    return "" if isinstance(value, str | int | float | bool) else "a text, a number, true or false"


def _one_of(*choices: str) -> _Check:
    def check(value: Any) -> str:
        return "" if value in choices else "one of " + ", ".join(choice or '""' for choice in choices)

    return check


def _texts(value: Any) -> str:
    good = isinstance(value, list) and all(isinstance(item, str) and item for item in value)
    return "" if good else "a list of texts"


def _tiebreaks(value: Any) -> str:
    good = isinstance(value, list) and all(item in TIEBREAKS for item in value) and len(set(value)) == len(value)
    return "" if good else "a list, without repeats, of " + ", ".join(TIEBREAKS)


def _rounds_by_name(value: Any) -> str:
    good = isinstance(value, dict) and all(_whole(1, 999)(number) == "" for number in value.values())
    return "" if good else "a table of bot name = round"


_TOURNAMENT: Mapping[str, _Check] = {
    "name": _text, "game": _text, "maps": _texts, "isolation": _one_of(*KEYS),
    "broken_bots": _one_of("exclude", "refuse"), "suspend_after": _whole(0, 999),
    "void_replays": _whole(0, 9), "matches_at_once": _whole(0, 1024), "rated": _flag,
    "seed": _any_text, "id": _name,
}  # fmt: skip
_CLOCK: Mapping[str, _Check] = {
    "startup": _seconds, "bank": _seconds_or_none, "increment": _seconds, "turn": _seconds_or_none, "grace": _seconds,
}  # fmt: skip
_POLICY: Mapping[str, _Check] = {
    "timeout": _one_of(*get_args(Penalty)), "strikes": _whole(1, 1000), "pause_idle": _one_of("", "freeze"),
    "refusals_per_turn": _whole(0, 1_000_000), "notes_per_turn": _whole(0, 1_000_000),
    "note_bytes_per_turn": _whole(0, 16_777_216), "notes_per_request": _whole(0, 1_000_000),
}  # fmt: skip
_BOT: Mapping[str, _Check] = {"path": _text, "name": _name, "many": _flag}
_STAGE_COMMON: Mapping[str, _Check] = {
    "name": _name, "format": _text, "advance": _whole(2, 4096), "withdrawn": _rounds_by_name, "maps": _texts,
}  # fmt: skip
_TABLE: Mapping[str, _Check] = {
    "games": _whole(1, 1000), "points": _one_of("game", "encounter"), "tiebreaks": _tiebreaks,
}  # fmt: skip
_BRACKET: Mapping[str, _Check] = {"best_of": _whole(1, 99), "extra_pairs": _whole(0, 9)}
_STAGE: Mapping[str, Mapping[str, _Check]] = {
    "round_robin": {**_TABLE, "rounds": _whole(1, 1000)},
    "gauntlet": {**_TABLE, "rounds": _whole(1, 1000), "champions": _texts},
    "swiss": {**_TABLE, "rounds": _whole(1, 999), "late": _rounds_by_name},
    "single_elimination": {**_BRACKET, "third_place": _flag},
    "double_elimination": {**_BRACKET, "reset": _flag},
    "groups": {**_TABLE, "rounds": _whole(1, 1000), "groups": _whole(1, 512)},
    "ladder": {**_TABLE, "rounds": _whole(0, 1_000_000), "late": _rounds_by_name},
    "king_of_the_hill": {**_BRACKET, "rounds": _whole(0, 1_000_000), "late": _rounds_by_name},
}  # fmt: skip


@dataclass(slots=True)
class _Reader:
    source: str
    text: str
    errors: list[str] = field(default_factory=list)

    def error(self, place: str, message: str) -> None:
        line = line_of(self.text, place)
        where = f"{self.source}:{line}" if line else self.source
        self.errors.append(f"{where}: {place} {message}")

    def table(self, document: _Table, key: str, place: str) -> _Table:
        value = document.get(key, {})
        if isinstance(value, dict):
            return value
        self.error(place, "must be a table.")
        return {}

    def tables(self, document: _Table, key: str) -> list[_Table]:
        value = document.get(key, [])
        if isinstance(value, list) and all(isinstance(item, dict) for item in value) and value:
            return value
        self.error(key, f"must be given at least once, as [[{key}]].")
        return []

    def fields(
        self, table: _Table, checks: Mapping[str, _Check], place: str, needed: Iterable[str] = ()
    ) -> dict[str, Any]:
        good: dict[str, Any] = {}
        for key, value in table.items():
            where = f"{place}.{key}" if place else key
            if key not in checks:
                self.error(where, "is not known here" + _meant(key, checks) + ".")
            elif must := checks[key](value):
                self.error(where, f"must be {must}, not {value!r}.")
            else:
                good[key] = value
        for key in needed:
            if key not in table:
                self.error(f"{place}.{key}" if place else key, "is missing.")
        return good


def _meant(key: str, checks: Iterable[str]) -> str:
    import difflib

    close = difflib.get_close_matches(key, list(checks), 1)
    return f" (did you mean {close[0]}?)" if close else "; known are " + ", ".join(sorted(checks))


def line_of(text: str, place: str) -> int:
    """Return the line in which a place like `stages[1].rounds` is written, or the line of its table, or 0."""
    head, _, key = place.rpartition(".")
    match = re.fullmatch(r"(\w*)(?:\[(\d+)\])?", head or place)
    table, number = (match[1], int(match[2] or 0)) if match else ("", 0)
    current, table_line = "", 0
    seen: dict[str, int] = {}
    for index, line in enumerate(text.splitlines(), 1):
        if header := re.match(r"\s*\[+\s*([\w.-]+)\s*\]+", line):
            name = header[1]
            seen[name] = seen.get(name, -1) + 1
            current = name if name != table or seen[name] == number else ""
            table_line = index if name == table and seen[name] == number else table_line
        elif current == table and key and re.match(rf"\s*{re.escape(key)}\s*=", line):
            return index
    return table_line


def _bots(reader: _Reader, document: _Table) -> tuple[BotEntry, ...]:
    entries = []
    for index, table in enumerate(reader.tables(document, "bots")):
        good = reader.fields(table, _BOT, f"bots[{index}]", ["path"])
        if good.get("many") and "name" in good:
            reader.error(f"bots[{index}].name", "cannot be given to a folder of many bots.")
        entries.append(BotEntry(good.get("path", ""), good.get("name", ""), good.get("many", False)))
    names = [entry.name for entry in entries if entry.name]
    for name in sorted({name for name in names if names.count(name) > 1}):
        reader.error("bots", f"has the name {name!r} twice.")
    return tuple(entries)


def _stage(reader: _Reader, index: int, table: _Table) -> StageConfig:
    place = f"stages[{index}]"
    stage_format = table.get("format")
    if not isinstance(stage_format, str) or stage_format not in _STAGE:
        reader.error(f"{place}.format", f"must be one of {', '.join(_STAGE)}, not {stage_format!r}.")
        return StageConfig(str(index), "round_robin")
    good = reader.fields(table, {**_STAGE_COMMON, **_STAGE[stage_format]}, place, ["format"])
    if stage_format == "groups" and "groups" not in table:
        reader.error(f"{place}.groups", "is missing.")
    if stage_format == "swiss" and "rounds" not in table:
        reader.error(f"{place}.rounds", "is missing.")
    if index == 0 and "advance" in good:
        reader.error(f"{place}.advance", "has no meaning in the first stage.")
    good.setdefault("name", stage_format)
    for key in ("late", "withdrawn"):
        good[key] = tuple(sorted(good.get(key, {}).items()))
    for key in ("champions", "tiebreaks", "maps"):
        if key in good:
            good[key] = tuple(good[key])
    return StageConfig(**good)


def _stages(reader: _Reader, document: _Table) -> tuple[StageConfig, ...]:
    stages = tuple(_stage(reader, index, table) for index, table in enumerate(reader.tables(document, "stages")))
    names = [stage.name for stage in stages]
    for name in sorted({name for name in names if names.count(name) > 1}):
        reader.error("stages", f"has the name {name!r} twice; give each stage its own name.")
    for index, stage in enumerate(stages[:-1]):
        if stage.format in ("ladder", "king_of_the_hill") and stage.rounds == 0:
            reader.error(f"stages[{index}].rounds", "is missing: a stage that runs on for ever must be the last.")
    return stages


def read_config(text: str, source: str = "league.toml") -> TournamentConfig:
    """Return the configuration in a TOML text.

    Raises:
        ArenaError: With every defect of the text, one message each with its place.
    """
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ArenaError(f"{source} is not valid TOML: {error}.", exit_code=ExitCode.BAD_LEAGUE) from error
    reader = _Reader(source, text)
    known = {"tournament", "options", "clock", "policy", "bots", "stages"}
    for key in document:
        if key not in known:
            reader.error(key, "is not known here" + _meant(key, known) + ".")
    top = reader.fields(reader.table(document, "tournament", "tournament"), _TOURNAMENT, "tournament", ["name", "game"])
    options = reader.table(document, "options", "options")
    policy = reader.table(document, "policy", "policy")
    clock = reader.table(document, "clock", "clock")
    top["options"] = _pairs(reader.fields(options, dict.fromkeys(options, _scalar), "options"))
    times = reader.fields(clock, _CLOCK, "clock")
    top["clock"] = _pairs({key: None if value == "none" else value for key, value in times.items()})
    top["policy"] = _pairs(reader.fields(policy, _POLICY, "policy"))
    bots, stages = _bots(reader, document), _stages(reader, document)
    if reader.errors:
        raise ArenaError("\n".join(reader.errors), hint="Nothing was started.", exit_code=ExitCode.BAD_LEAGUE)
    top["maps"] = tuple(top.get("maps", ()))
    return TournamentConfig(bots=bots, stages=stages, **top)


def _pairs(table: _Table) -> tuple[tuple[str, Any], ...]:
    return tuple(sorted(table.items()))


def read_config_file(path: Path) -> TournamentConfig:
    """Return the configuration in a file; see `read_config`."""
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError as error:
        raise ArenaError(
            f"There is no {path}.",
            hint="`arena tournament init GAME BOTS...` writes one.",
            exit_code=ExitCode.BAD_LEAGUE,
        ) from error
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise ArenaError(f"{path} cannot be read: {reason}.", exit_code=ExitCode.BAD_LEAGUE) from error
    except UnicodeDecodeError as error:
        raise ArenaError(f"{path} cannot be read: it is not UTF-8.", exit_code=ExitCode.BAD_LEAGUE) from error
    return read_config(text, path.name)
