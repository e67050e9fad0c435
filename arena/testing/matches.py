"""Play real matches in tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from arena.errors import ArenaError, ExitCode
from arena.match.job import Job, SeatAssignment
from arena.match.result import MatchResult
from arena.referee.match_process import play_in_process


def play_match(
    game: str,
    bots: Sequence[str | Path],
    *,
    seed: int | None = None,
    options: Mapping[str, Any] | None = None,
    replay: str | Path = "",
    **settings: Any,
) -> MatchResult:
    """Play one match in its own process, in a sandbox if this machine supports one.

    Args:
        game: The game's name.
        bots: The bot of each seat: a file, a folder, an archive or ``builtin:NAME``.
        seed: The match's seed; random if None.
        options: Options of the game. A map is the name of a supplied map, or the content of any map.
        replay: The path for the replay; no replay is written if empty.
        **settings: Further fields of `arena.match.job.Job`.

    Raises:
        ArenaError: The match could not be played, or the rules, the referee or a sandbox failed.
    """
    seats = tuple(SeatAssignment(str(bot)) for bot in bots)
    result = play_in_process(
        Job(game=game, seats=seats, seed=seed, options=dict(options or {}), replay=str(replay), **settings)
    )
    if result.fault:
        raise ArenaError(result.fault, exit_code=ExitCode.FAULT)
    return result
