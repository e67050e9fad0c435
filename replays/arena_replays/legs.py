"""Matches of two legs: two replays in which the same two players met twice, each once on either seat."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from arena_replays.reader import Reader

Header = Mapping[str, Any]
SAME = ("game", "version", "options", "seed", "clock")


def are_legs(one: Header, other: Header) -> bool:
    """Whether two headers are those of one match: all is alike, but the players have changed their seats.

    A bot that plays against itself is named by its seat; there the names stay where they are.
    """
    names, programs = _players(one, "name"), _players(one, "hash", "settings")
    swapped = names == _players(other, "name")[::-1] and programs == _players(other, "hash", "settings")[::-1]
    itself = programs == _players(other, "hash", "settings") and len(programs) == 2 and programs[0] == programs[1]
    known = all(program[0] for program in programs)
    return len(names) == 2 and (swapped or (itself and known)) and all(one.get(key) == other.get(key) for key in SAME)


def as_matches(paths: Sequence[str | Path], legs_for: Callable[[dict[str, Any]], int]) -> list[tuple[Path, ...]]:
    """Puts the replays that are the two legs of one match together, in the order in which they are given.

    Args:
        paths: Replays.
        legs_for: How many legs a match has, by a replay's header; the game tells.

    Returns:
        For each match its replays: one or two.

    Raises:
        NotAReplay, UnknownVersion, DamagedReplay.
    """
    left = [(Path(path), Reader(path).header) for path in paths]
    matches: list[tuple[Path, ...]] = []
    while left:
        path, header = left.pop(0)
        two = legs_for(header) == 2
        fitting = next((at for at, (_, other) in enumerate(left) if two and are_legs(header, other)), None)
        matches.append((path,) if fitting is None else (path, left.pop(fitting)[0]))
    return matches


def _players(header: Header, *keys: str) -> list[tuple[Any, ...]]:
    listed = header.get("players")
    players = [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []
    return [tuple(one.get(key) for key in keys) for one in players]
