"""List the replays in a folder with their results, newest first."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from arena.replaying.presentation import legs_for, result_in_words
from arena_replays import Reader, ReplayError
from arena_replays.export import title_of
from arena_replays.legs import as_matches

MOST = 24


@dataclass(frozen=True, slots=True)
class Recent:
    """A match in a folder of replays.

    Attributes:
        written: The time of the last change of the last leg's replay, in seconds since 1970.
    """

    path: Path
    legs: tuple[Path, ...]
    game: str
    title: str
    result: str
    written: float


def recent_replays(folder: Path) -> list[Recent]:
    """List the newest replays of a folder, with both legs of a match as one. Skip files that are not replays.

    Only the newest `MOST` files are read.
    """
    try:
        found = sorted(((path.stat().st_mtime, path) for path in folder.glob("*.arena")), reverse=True)[:MOST]
    except OSError:
        return []
    written = {path: when for when, path in reversed(found) if _is_replay(path)}
    return [_recent(legs, written[legs[-1]]) for legs in reversed(as_matches(list(written), legs_for))]


def _is_replay(path: Path) -> bool:
    try:
        Reader(path)
    except ReplayError:
        return False
    return True


def _recent(legs: tuple[Path, ...], written: float) -> Recent:
    readers = [Reader(path) for path in legs]
    results = [result_in_words(reader) for reader in readers]
    if len(legs) > 1:
        results = [f"leg {number}: {result}" for number, result in enumerate(results, 1)]
    return Recent(
        legs[0], legs, readers[0].header.get("game", ""), title_of(readers[0], len(legs)), ", ".join(results), written
    )
