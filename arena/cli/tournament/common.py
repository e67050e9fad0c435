"""What the commands on a tournament share: its file, what has come of it, and how it is drawn."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from arena.cli.extras import need_extra

if TYPE_CHECKING:
    from arena.tournament.run.organizer import Snapshot

LEAGUE = click.argument("league", type=click.Path(path_type=Path), default=Path("league.toml"))


def read_snapshot(league: Path) -> Snapshot:
    """Read the tournament of a configuration file.

    Raises:
        ArenaError: There is none, or it cannot be read.
    """
    need_extra("tournament", "A tournament")
    from arena.tournament.run import organizer
    from arena.tournament.run.league import folder_of

    return organizer.read_snapshot(folder_of(league))


def renderer_of(game: str) -> str | None:
    """The source of the game's renderer, or None where the game or its renderer is not there."""
    from arena.game import UnknownGame, load

    try:
        path = load(game).viewer
    except UnknownGame:
        return None
    return path.read_text(encoding="utf-8") if path and path.is_file() else None
