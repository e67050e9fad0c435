"""What decided a recorded match, as far as its files say: nothing is played or searched."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from arena.match.ending import REGULAR, ending_phrase
from arena.study.coach.causes import ending_of
from arena.study.coach.explaining import cache_path, stored
from arena_replays import Reader


@dataclass(frozen=True, slots=True)
class Decision:
    """What decided a match.

    Attributes:
        turn: The turn, from 1; None if no single turn decided, or a program failed before the first one.
        words: What happened in it.
    """

    turn: int | None
    words: str


def known_decision(replay: Path, seats: tuple[int, ...]) -> Decision | None:
    """Return what decided a finished match between some of its players; None if that was not computed.

    It is the turn in which the first of them failed, or else the largest turning point in the stored explanation of the
    match. The answers for a few thousand matches are kept.

    Args:
        seats: The players whose turns count.

    Raises:
        ReplayError: The replay cannot be read.
    """
    times = tuple(path.stat().st_mtime_ns if path.exists() else 0 for path in (replay, cache_path(replay)))
    return _decision(replay, seats, times)


@lru_cache(maxsize=4096)
def _decision(replay: Path, seats: tuple[int, ...], times: tuple[int, ...]) -> Decision | None:
    reader = Reader(replay)
    names = [str(player["name"]) for player in reader.header.get("players", ())]
    failed = []
    for seat in seats:
        ending, _, turn = ending_of(reader, seat)
        if ending and ending not in REGULAR:
            failed.append((turn or 0, f"{names[seat]} {ending_phrase(ending)}"))
    if failed:
        turn, words = min(failed)
        return Decision(turn or None, words)
    if not times[1]:
        return None
    with suppress(KeyError, TypeError, ValueError):
        return _explained(stored(replay), names, seats)
    return None


def _explained(document: Mapping[str, Any], names: list[str], seats: tuple[int, ...]) -> Decision | None:
    if document["stage"] or not document["playouts"]["count"]:
        return None
    for point in document["turning_points"]:  # the largest gain is first
        if point["player"] in seats and point["before"] and point["after"]:
            before, after = (f"{100 * point[when]['value']:.0f} %" for when in ("before", "after"))
            name = names[point["player"]]
            return Decision(point["turn"], f"the win probability of {name} fell from {before} to {after}")
    return Decision(None, "no single turn decided")
