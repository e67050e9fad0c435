"""Compare a match in memory with the same match with processes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from arena.match.job import Job, SeatAssignment
from arena.match.result import MatchResult
from arena.play.memory import play_in_memory
from arena_replays import Reader

ELSEWHERE = {"arena", "players", "commitment", "salt"}
"""What header and footer say of the players depends on where they ran; the commitment to the seed has a random salt."""
SENT = ("log", "draw")
"""The kinds of notes that come with an answer. At what moment those of simultaneous players come is the machine's."""
# Bots that look at `time_left` play another match on a busy machine.
LINEUPS: dict[str, Sequence[str]] = {
    "saloon": ("builtin:sheriff", "builtin:pianist"),
    "laser_flag": ("builtin:sergeant", "builtin:rookie"),
    "derelict": ("builtin:veteran", "builtin:castaway"),
    "snakes": ("builtin:forager", "builtin:constrictor", "builtin:hatchling", "builtin:forager"),
}


def untimed(entries: Sequence[Any]) -> list[Any]:
    """Return the recorded entries without the measured times of turns."""
    return [[*entry[:3], entry[6]] if entry[0] == "turn" else entry for entry in entries]


def recorded(path: Path) -> dict[str, Any]:
    """Return everything in a replay that does not depend on measured times or on where the bots ran."""
    reader = Reader(path)
    return {
        "header": {name: value for name, value in reader.header.items() if name not in ELSEWHERE},
        "names": [player["name"] for player in reader.header["players"]],
        "settings": [player["settings"] for player in reader.header["players"]],
        "truth": untimed(reader.truth),
        "views": [list(reader.frames(stream)) for stream in range(reader.streams)],
        "notes": sorted(
            ([note.turn, note.player, note.kind, note.payload] for note in reader.notes if note.kind in SENT),
            key=lambda note: note[:2],
        ),
        # A line that is printed after an action can be read after the next one.
        "printed": [
            "".join(one.payload for one in reader.notes if (one.player, one.kind) == (player, "stdout"))
            for player in range(4)
        ],
        "footer": {name: value for name, value in (reader.footer or {}).items() if name != "salt"},
    }


def both(
    folder: Path,
    game: str,
    bots: Sequence[str | Path],
    seed: int,
    *,
    settings: Sequence[dict[str, str]] = (),
    options: dict[str, Any] | None = None,
    **how: Any,
) -> tuple[MatchResult, MatchResult, dict[str, Any], dict[str, Any]]:
    """Play a match in memory and with processes. Return both results, and what both replays record."""
    from arena.play.referee.match_process import play_in_process  # `anywhere.py` imports this module without processes

    paths = folder / "memory.arena", folder / "processes.arena"
    one = play_in_memory(game, bots, seed=seed, settings=settings, replay=paths[0], options=options, captures=True)
    seats = [SeatAssignment(str(bot), "", own) for bot, own in zip(bots, settings or [{}] * len(bots), strict=True)]
    job = Job(game, tuple(seats), options or {}, seed, replay=str(paths[1]), **how)
    other = play_in_process(job)
    return one, other, recorded(paths[0]), recorded(paths[1])
