"""Matches of two legs: two replays of the same two players with swapped seats."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from arena_replays.documents import Header
from arena_replays.reader import Reader

SAME = ("game", "version", "options", "clock")


def are_legs(first: Reader, second: Reader) -> bool:
    """Return whether two replays belong to one match: seed and settings are equal, and the players' seats are swapped.

    If a bot plays against itself, swapped seats look the same. Then equal settings and equal bots are enough. A replay
    without an end has no seed, so it belongs to no other one.
    """
    one, other = first.header, second.header
    if first.seed is None or first.seed != second.seed:
        return False
    names, programs = _players(one, "name"), _players(one, "hash", "settings")
    swapped = names == _players(other, "name")[::-1] and programs == _players(other, "hash", "settings")[::-1]
    itself = programs == _players(other, "hash", "settings") and len(programs) == 2 and programs[0] == programs[1]
    known = all(program[0] for program in programs)
    return len(names) == 2 and (swapped or (itself and known)) and all(one.get(key) == other.get(key) for key in SAME)


def as_matches(paths: Sequence[str | Path], legs_for: Callable[[Header], int]) -> list[tuple[Path, ...]]:
    """Group replays into matches: the two legs of a match form one group. Keep the given order.

    Args:
        paths: Replays.
        legs_for: Returns the number of legs of a match for a replay's header; the game defines it.

    Returns:
        The replays of each match: one or two.

    Raises:
        NotAReplay, UnknownVersion, DamagedReplay.
    """
    left = [(Path(path), Reader(path)) for path in paths]
    matches: list[tuple[Path, ...]] = []
    while left:
        path, reader = left.pop(0)
        two = legs_for(reader.header) == 2
        fitting = next((at for at, (_, other) in enumerate(left) if two and are_legs(reader, other)), None)
        matches.append((path,) if fitting is None else (path, left.pop(fitting)[0]))
    return matches


def _players(header: Header, *keys: str) -> list[tuple[Any, ...]]:
    return [tuple(one.get(key) for key in keys) for one in header.get("players", ())]
