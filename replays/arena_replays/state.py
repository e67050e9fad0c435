"""Apply deltas to views."""

from __future__ import annotations

from typing import Any

State = dict[str, dict[str, Any]]


def fold(state: State, delta: list[Any]) -> None:
    """Apply a delta to a state, in place.

    Raises:
        KeyError: The delta names an unknown object.
        TypeError: The delta is invalid.
    """
    triples = iter(delta)
    for name, field, value in zip(triples, triples, triples, strict=True):
        if field == "+":
            state[name] = {"class": value}
        elif field == "-":
            del state[name]
        else:
            state[name][field] = value


def view(state: State) -> list[Any]:
    """Return the state as a delta from nothing."""
    delta: list[Any] = []
    for name, fields in state.items():
        delta += (name, "+", fields["class"])
        for field, value in fields.items():
            if field != "class":
                delta += (name, field, value)
    return delta
