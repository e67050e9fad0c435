"""Folding deltas: how a view becomes the next."""

from __future__ import annotations

from typing import Any

State = dict[str, dict[str, Any]]


def fold(state: State, delta: list[Any]) -> None:
    """Applies a delta to a state, in place.

    Raises:
        KeyError: The delta speaks of an object that is not there.
        TypeError: The delta is not one.
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
    """The state as a delta from nothing."""
    delta: list[Any] = []
    for name, fields in state.items():
        delta += (name, "+", fields["class"])
        for field, value in fields.items():
            if field != "class":
                delta += (name, field, value)
    return delta
