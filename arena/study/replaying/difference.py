"""Compare JSON values exactly, and find the first difference.

Everything in this room that is recorded is compared with this: documents, actions, draws, views. `!=` of Python is not
exact enough, since 1 equals True there.
"""

from __future__ import annotations

import json
from typing import Any, NamedTuple


class _Nothing:
    def __repr__(self) -> str:
        return "nothing"


NOTHING = _Nothing()
_LONGEST = 200
"""The limit for the length of a value in a message, in characters. Chosen, not measured: two or three lines of a
terminal, so that both values of a difference can be compared by eye."""
_SCALARS = frozenset((int, str, bool, type(None)))


class Difference(NamedTuple):
    """The first place where two values differ.

    Attributes:
        path: Keys and indices, for example ``cowboys[2].focus``; empty where the values as a whole differ.
        expected: The value that should be there; `NOTHING` if nothing should be there.
    """

    path: str
    expected: Any
    found: Any

    def __str__(self) -> str:
        where = f"{self.path}: " if self.path else ""
        return f"{where}expected {show(self.expected)}, found {show(self.found)}"


def show(value: Any) -> str:
    if value is NOTHING:
        return "nothing"
    try:
        text = json.dumps(value, default=repr)
    except (TypeError, ValueError):
        text = repr(value)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 4] + " ..."


def first_difference(expected: Any, found: Any, path: str = "") -> Difference | None:
    """Return the first difference of two JSON values; None if they are equal.

    ``true`` is not 1; 1 and 1.0 are the same number; a tuple counts as a list; the order of keys has no meaning.
    """
    if isinstance(expected, dict) and isinstance(found, dict):
        return _compare_objects(expected, found, path)
    if isinstance(expected, list | tuple) and isinstance(found, list | tuple):
        return _compare_lists(expected, found, path)
    if expected != found or isinstance(expected, bool) is not isinstance(found, bool):
        return Difference(path, expected, found)
    return None


def _compare_objects(expected: dict[str, Any], found: dict[str, Any], path: str) -> Difference | None:
    for key, value in expected.items():
        actual = found.get(key, NOTHING)
        value_type = type(value)
        if value_type in _SCALARS and value_type is type(actual) and value == actual:
            continue  # the fast path for nearly all values
        below = f"{path}.{key}" if path else str(key)
        if actual is NOTHING:
            return Difference(below, value, NOTHING)
        difference = first_difference(value, actual, below)
        if difference is not None:
            return difference
    for key, value in found.items():
        if key not in expected:
            return Difference(f"{path}.{key}" if path else str(key), NOTHING, value)
    return None


def _compare_lists(expected: Any, found: Any, path: str) -> Difference | None:
    for index, (value, actual) in enumerate(zip(expected, found, strict=False)):
        difference = first_difference(value, actual, f"{path}[{index}]")
        if difference is not None:
            return difference
    if len(expected) == len(found):
        return None
    index = min(len(expected), len(found))
    value = expected[index] if index < len(expected) else NOTHING
    actual = found[index] if index < len(found) else NOTHING
    return Difference(f"{path}[{index}]", value, actual)


def canonical(value: Any) -> str:
    """Return a JSON value as text. Equal values give equal texts, which can be dictionary keys."""
    return json.dumps(_normal(value), sort_keys=True, separators=(",", ":"), default=repr)


def _normal(value: Any) -> Any:
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, dict):
        return {key: _normal(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_normal(item) for item in value]
    return value
