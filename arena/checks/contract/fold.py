"""Folding views and deltas, as every client and viewer does it."""

from __future__ import annotations

import math
from typing import Any

from arena.game import GameError
from arena_replays.state import patched

Objects = dict[str, dict[str, Any]]
"""Id to fields; the class of each object is under the empty name."""

CLASS = ""


class FoldError(GameError):
    """A view or delta that contradicts itself, or that cannot travel."""


def fold(objects: Objects, delta: list[Any]) -> Objects:
    """Apply a delta to folded objects, in place.

    Args:
        objects: Empty for a view.
        delta: Flat triples.

    Returns:
        The same mapping.

    Raises:
        FoldError: The delta contradicts itself or what went before.
    """
    if len(delta) % 3:
        raise FoldError(f"a delta has {len(delta)} elements, which is no multiple of three")
    seen: set[tuple[str, str]] = set()
    for id_, name, value in zip(delta[0::3], delta[1::3], delta[2::3], strict=True):
        if (id_, name) in seen:
            raise FoldError(f"a delta sets {id_}.{name} twice")
        seen.add((id_, name))
        if name == "+":
            if id_ in objects:
                raise FoldError(f"a delta creates {id_}, which is there already")
            objects[id_] = {CLASS: value}
        elif id_ not in objects:
            raise FoldError(f"a delta sets {id_}.{name}, but there is no {id_}")
        elif name == "-":
            del objects[id_]
        else:
            check_wire(value, f"{id_}.{name}")
            objects[id_][name] = patched(objects[id_].get(name), value)
    return objects


def check_wire(value: Any, where: str) -> None:
    """Make sure that a value can travel: scalars, None, lists of these, and maps with string keys.

    Raises:
        FoldError: It cannot.
    """
    if value is None or type(value) in (bool, str, bytes):
        return
    if type(value) is int:
        if not -(2**63) <= value < 2**63:
            raise FoldError(f"{where} holds {value}, which does not fit into 64 bits")
    elif type(value) is float:
        if not math.isfinite(value):
            raise FoldError(f"{where} holds {value}, which JSON cannot write")
    elif type(value) in (list, tuple):
        for one in value:
            check_wire(one, where)
    elif type(value) is dict:
        for key, one in value.items():
            if type(key) is not str:
                raise FoldError(f"{where} has the key {key!r}, which is no string")
            check_wire(one, f"{where}.{key}")
    else:
        raise FoldError(f"{where} holds {value!r}, which cannot travel")
