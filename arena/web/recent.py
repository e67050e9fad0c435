"""List the replays in a folder, the newest first, with the result of each."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from arena.replays import legs_for
from arena_replays import Reader, ReplayError
from arena_replays.export import title_of
from arena_replays.legs import as_matches

MOST = 24


@dataclass(frozen=True, slots=True)
class Recent:
    """A replay.

    Attributes:
        path: The file; of a match of two legs that of the first.
        legs: The files of all legs.
        title: Game and players.
        result: How the match ended.
        written: When, in seconds since 1970.
    """

    path: Path
    legs: tuple[Path, ...]
    title: str
    result: str
    written: float


def recent_replays(folder: Path, most: int = MOST) -> list[Recent]:
    """List the newest replays of a folder, both legs of a match as one; files that are none are left out."""
    try:
        found = sorted(((path.stat().st_mtime, path) for path in folder.glob("*.arena")), reverse=True)[:most]
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
    results = [_result(reader) for reader in readers]
    if len(legs) > 1:
        results = [f"leg {number}: {result}" for number, result in enumerate(results, 1)]
    return Recent(legs[0], legs, title_of(readers[0], len(legs)), ", ".join(results), written)


def _result(reader: Reader) -> str:
    outcome = reader.outcome
    if not isinstance(outcome, dict):
        return "not finished"
    winner = outcome.get("winner")
    players = reader.header.get("players")
    reason = str(outcome.get("reason") or "").replace("_", " ")[:80]
    if type(winner) is not int or not isinstance(players, list) or not 0 <= winner < len(players):
        return f"drawn: {reason}" if reason else "drawn"
    name = players[winner].get("name") if isinstance(players[winner], dict) else players[winner]
    return f"{str(name)[:60]} won ({reason})" if reason else f"{str(name)[:60]} won"
