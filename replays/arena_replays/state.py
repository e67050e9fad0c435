"""Apply deltas to views."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

State = dict[str, dict[str, Any]]
"""Maps an id to the object's fields. `CLASS` stands for the object's class."""

CLASS = "class"


def triples(delta: Iterable[Any]) -> Iterator[tuple[str, str, Any]]:
    """Yield id, field and value of each change of a delta or view. They are taken from it one triple at a time.

    Raises:
        ValueError: The delta is not made of triples.
    """
    parts = iter(delta)
    return zip(parts, parts, parts, strict=True)


def fold(state: State, delta: Iterable[Any]) -> None:
    """Apply a delta to a state, in place.

    Raises:
        KeyError: The delta names an unknown object.
        TypeError: A value in the delta has the wrong type.
        ValueError: The delta is not made of triples, or changes bytes outside of an array.
    """
    for name, field, value in triples(delta):
        if field == "+":
            state[name] = {CLASS: value}
        elif field == "-":
            del state[name]
        else:
            fields = state[name]
            fields[field] = patched(fields.get(field), value) if type(value) is list else value


def patched(old: Any, value: Any) -> Any:
    """Return the new value of a field. If the old value is an array, spans ``[offset, bytes, ...]`` replace its parts.

    Raises:
        ValueError: A span is incomplete, has no bytes, or is outside of the array.
    """
    if type(old) is not bytes or type(value) is not list:
        return value
    data = bytearray(old)
    for at, new in zip(value[::2], value[1::2], strict=True):
        if type(new) is not bytes or not 0 <= at <= len(data) - len(new):
            raise ValueError("a delta changes bytes outside of an array")
        data[at : at + len(new)] = new
    return bytes(data)


def view(state: State) -> list[Any]:
    """Return the delta that turns an empty state into this state."""
    delta: list[Any] = []
    for name, fields in state.items():
        delta += (name, "+", fields[CLASS])
        for field, value in fields.items():
            if field != CLASS:
                delta += (name, field, value)
    return delta
