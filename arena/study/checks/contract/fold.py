"""Apply views and deltas to a table of objects, as clients and viewers do, and check them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from arena.game import GameError
from arena_replays import state

Objects = state.State


class FoldError(GameError):
    """A view or delta contradicts itself, or has a value that cannot be sent."""


def fold(objects: Objects, delta: list[Any]) -> Objects:
    """Apply a delta to a table of objects, in place.

    Args:
        objects: The table; empty if the delta is a whole view.

    Returns:
        The same table.
    """
    if len(delta) % 3:
        raise FoldError(f"a delta has {len(delta)} elements, which is not a multiple of three")
    state.fold(objects, _checked(objects, delta))
    return objects


def _checked(objects: Objects, delta: list[Any]) -> Iterator[Any]:
    """Yield the elements of a delta. Each triple is checked when the triples before it have been applied."""
    fields: set[tuple[str, str]] = set()
    for id_, name, value in state.triples(delta):
        if (id_, name) in fields:
            raise FoldError(f"a delta sets {id_}.{name} twice")
        fields.add((id_, name))
        if name == "+":
            if id_ in objects:
                raise FoldError(f"a delta creates {id_}, which exists already")
        elif id_ not in objects:
            raise FoldError(f"a delta sets {id_}.{name}, but {id_} does not exist")
        elif name != "-":
            check_wire(value, f"{id_}.{name}")
        yield from (id_, name, value)


def check_wire(value: Any, where: str) -> None:
    """Check that a value can be sent: None, a scalar, bytes, a list, or a dictionary with string keys.

    Whole numbers must fit into 64 bits, and other numbers must be finite.
    """
    if value is None or type(value) in (bool, str, bytes):
        return
    if type(value) is int:
        if not -(2**63) <= value < 2**63:
            raise FoldError(f"{where} holds {value}, which does not fit into 64 bits")
    elif type(value) is float:
        if not math.isfinite(value):
            raise FoldError(f"{where} holds {value}, which JSON does not have")
    elif type(value) in (list, tuple):
        for item in value:
            check_wire(item, where)
    elif type(value) is dict:
        for key, item in value.items():
            if type(key) is not str:
                raise FoldError(f"{where} has the key {key!r}, which is not a string")
            check_wire(item, f"{where}.{key}")
    else:
        raise FoldError(f"{where} holds {value!r}, which cannot be sent as JSON")
