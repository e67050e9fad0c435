"""The replays in a folder, newest first, with what can be said of each in a line."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from arena_replays import Reader, ReplayError
from arena_replays.export import title_of

MOST = 24


@dataclass(frozen=True, slots=True)
class Recent:
    """A replay.

    Attributes:
        path: The file.
        title: Game and players.
        result: How the match ended.
        written: When, in seconds since 1970.
    """

    path: Path
    title: str
    result: str
    written: float


def recent_replays(folder: Path, most: int = MOST) -> list[Recent]:
    """List the newest replays of a folder; files that are none are left out."""
    try:
        found = sorted(((path.stat().st_mtime, path) for path in folder.glob("*.arena")), reverse=True)
    except OSError:
        return []
    listed = []
    for written, path in found[:most]:
        try:
            reader = Reader(path)
        except ReplayError:
            continue
        listed.append(Recent(path, title_of(reader), _result(reader), written))
    return listed


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
    return f"{str(name)[:60]} won: {reason}" if reason else f"{str(name)[:60]} won"
