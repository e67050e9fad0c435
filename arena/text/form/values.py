"""Single values as one word or one quoted line, and views by object."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any, TypeAlias

from arena_player.schema import ARRAYS, FieldType, GameField

LETTERS: dict[str, Any] = ARRAYS  # for mypy, which knows the letters of `memoryview` one by one

Things: TypeAlias = dict[str, tuple[str, dict[str, Any]]]
"""A view by object: the id of each object, with the name of its class and its fields as the protocol sends them."""

HIDDEN, NOTHING = "?", "-"
LONGEST = 160
"""Characters of a text: two lines of a narrow terminal."""
_WORD = re.compile(r"(?=[\w/+:-]*[^\W\d])\w[\w./+:-]*", re.ASCII)
_COUNTED = re.compile(r"((?:[a-z_]\w*?)??)(0|[1-9]\d{0,14})", re.ASCII | re.IGNORECASE)
FEWEST_IN_RANGE = 3
"""Numbers or ids in a row that are written as a range: with fewer, a range is not shorter."""
_TAKEN = ("yes", "no")


def things_of(view: Iterable[Any]) -> Things:
    """Return a view, a flat list of triples as `State.view` returns it, by object."""
    parts = iter(view)
    things: Things = {}
    for name, field, value in zip(parts, parts, parts, strict=True):
        if field == "+":
            things[name] = value, {}
        else:
            things[name][1][field] = value
    return things


def word(text: str) -> str:
    """Return a text as one word if it is one, otherwise quoted on one line."""
    if _WORD.fullmatch(text) and text not in _TAKEN:
        return text
    return json.dumps(text, ensure_ascii=not text.isprintable())


def ranges(texts: Iterable[str]) -> list[str]:
    """Return the texts. Numbers and ids in a row become a range, such as ``3..9`` or ``u0..u3``."""
    runs: list[list[str]] = []
    following = ""
    for text in texts:
        if text != following:
            runs.append([])
        runs[-1].append(text)
        match = _COUNTED.fullmatch(text)
        following = f"{match[1]}{int(match[2]) + 1}" if match else ""
    return [part for run in runs for part in (run if len(run) < FEWEST_IN_RANGE else [f"{run[0]}..{run[-1]}"])]


def value_text(value: Any, field: GameField | None = None) -> str:
    """Return a value of a field or an event. None is hidden if the field cannot be null, and nothing otherwise."""
    if value is None:
        return HIDDEN if field is not None and not field.type.nullable and field.type.name != "any" else NOTHING
    if field is not None and field.dtype and isinstance(value, bytes):
        value = numbers_of(value, field)
    return text_of(value, field and field.type, LONGEST)


def numbers_of(value: bytes, field: GameField) -> list[int | float]:
    """Return the numbers of an array, row by row."""
    return list(memoryview(value).cast(LETTERS[field.dtype]))


def is_nothing(value: Any, field: GameField) -> bool:
    """Return whether a field is left out: it is no, empty or null. What is hidden is shown."""
    return value_text(value, field) == NOTHING or value is False or value == b""


def text_of(value: Any, kind: FieldType | None = None, longest: int | None = None) -> str:
    """Return a value of a type in words. Texts can be cut."""
    if value is None or (isinstance(value, str | list | tuple) and not value):
        return NOTHING
    if isinstance(value, str):
        return word(value if longest is None or len(value) <= longest else f"{value[: longest - 3]}...")
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{word(str(key))} {text_of(item, None, longest)}" for key, item in value.items()) + "}"
    if isinstance(value, list | tuple):
        items = [text_of(item, kind and kind._replace(many=False), longest) for item in value]
        is_pair = kind is None and [type(item) for item in value] == [int, int]  # events have no types
        is_tile = is_pair or (kind is not None and kind.name == "tile" and not kind.many)
        return ",".join(items) if is_tile else f"[{' '.join(items)}]"
    return f"{len(value)}_bytes" if isinstance(value, bytes) else str(value)
