"""The tables of `contest.toml` and `arena play --settings` with the settings of all matches."""

from collections.abc import Mapping
from typing import Any, get_args

from arena.game.validation import NON_EMPTY, ListOf, Number, OrElse, Table, Text, Validator, Whole, Word
from arena.match.limits import LEAST, MEBIBYTE, SIZE, number_of
from arena.match.policy import FailurePenalty, Penalty


class _Scalar(Validator):
    def accepts(self, value: object) -> bool:
        return isinstance(value, str | int | float | bool)


class _Limit(Text):
    """A resource limit: a number, or a size such as "512 MiB"."""

    def __init__(self, least: int) -> None:
        shown = f"{least // MEBIBYTE} MiB" if least >= MEBIBYTE else least
        super().__init__(SIZE, f'a number, or a size such as "512 MiB", of at least {shown}')
        self._least = least

    def accepts(self, value: object) -> bool:
        return type(value) is not bool and super().accepts(str(value)) and number_of(str(value)) >= self._least


class _Seed(Validator):
    def accepts(self, value: object) -> bool:
        return isinstance(value, str) or type(value) is int


def table_of(fields: Mapping[str, Validator], *required: str) -> Table:
    return Table(fields, required, "a table")


NAME = Text(
    r"[A-Za-z0-9][A-Za-z0-9 ._-]{0,39}", "a name of 1 to 40 letters, digits, spaces, dots, dashes or underscores"
)
SEED = _Seed("a text or a whole number")
"""Seeds of contests and rubrics are texts, and people write 7 as often as "7"."""
TEXTS = ListOf(NON_EMPTY, "a list of texts")
SECONDS = Number(0, 86_400, "seconds")
_SECONDS_OR_NONE = OrElse("none", SECONDS)
_CLOCK: Mapping[str, Validator] = {
    "startup": SECONDS, "bank": _SECONDS_OR_NONE, "increment": SECONDS, "turn": _SECONDS_OR_NONE, "grace": SECONDS,
    "turn_wall": _SECONDS_OR_NONE,
}  # fmt: skip
_POLICY: Mapping[str, Validator] = {
    "timeout": Word(get_args(Penalty)), "crash": Word(get_args(FailurePenalty)),
    "no_start": Word(get_args(FailurePenalty)), "strikes": Whole(1, 1000), "pause_idle": Word(("", "freeze")),
    "refusals_per_turn": Whole(0, 1_000_000), "notes_per_turn": Whole(0, 1_000_000),
    "note_bytes_per_turn": Whole(0, 16_777_216), "notes_per_request": Whole(0, 1_000_000),
}  # fmt: skip
MATCH_TABLES: Mapping[str, Validator] = {
    "options": Table({}, (), "a table", _Scalar("a text, a number, true or false")),
    "clock": table_of(_CLOCK),
    "policy": table_of(_POLICY),
    "limits": table_of({name: _Limit(least) for name, least in LEAST.items()}),
}
"""The tables with the settings of all matches. All files have the same tables."""


def match_settings(document: Mapping[str, Any]) -> dict[str, tuple[tuple[str, Any], ...]]:
    found = {key: pairs(document.get(key, {})) for key in MATCH_TABLES}
    return found | {"clock": clock_pairs(document.get("clock", {}))}


def clock_pairs(table: Mapping[str, Any]) -> tuple[tuple[str, float | None], ...]:
    return tuple((key, None if value == "none" else value) for key, value in pairs(table))


def pairs(table: Mapping[str, Any]) -> tuple[tuple[str, Any], ...]:
    """Return a table as sorted pairs, so that it is a value."""
    return tuple(sorted(table.items()))
