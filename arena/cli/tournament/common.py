"""Read the file, the results and the renderer of a tournament, for several commands."""

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
        ArenaError: The tournament does not exist or cannot be read.
    """
    need_extra("tournament", "A tournament")
    from arena.tournament.run import organizer
    from arena.tournament.run.league import folder_of

    return organizer.read_snapshot(folder_of(league))
