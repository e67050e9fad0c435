"""Apply deltas to views."""

from __future__ import annotations

from typing import Any

State = dict[str, dict[str, Any]]


def fold(state: State, delta: list[Any]) -> None:
    """Apply a delta to a state, in place.

    Raises:
        KeyError: The delta names an unknown object.
        TypeError: A value in the delta has the wrong type.
        ValueError: The delta is not made of triples, or changes bytes outside of an array.
    """
    triples = iter(delta)
    for name, field, value in zip(triples, triples, triples, strict=True):
        if field == "+":
            state[name] = {"class": value}
        elif field == "-":
            del state[name]
        else:
            state[name][field] = patched(state[name].get(field), value)


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
        delta += (name, "+", fields["class"])
        for field, value in fields.items():
            if field != "class":
                delta += (name, field, value)
    return delta
