"""Read the file, the results and the renderer of a tournament, for several commands."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from arena.cli.checking import refuse_other_file
from arena.errors import ArenaError, ExitCode

if TYPE_CHECKING:
    from arena.tournament.run.organizer import Snapshot


def _file_of(context: click.Context, parameter: click.Parameter, path: Path) -> Path:
    del context, parameter
    for name in (LEAGUE_FILE, "season.toml"):
        path = path / name if (path / name).is_file() else path
    if path.is_dir() and (path / "journal.db").is_file():  # the results can be shown even if the file is gone
        path = path.resolve().with_suffix(".toml")
    if not path.is_dir():
        refuse_other_file(path, "tournament")
        return path
    raise ArenaError(
        f"{path} is a folder without a {LEAGUE_FILE}.",
        hint="Name the file of the tournament; `arena tournament init GAME BOTS` writes one.",
        exit_code=ExitCode.BAD_LEAGUE,
    )


LEAGUE_FILE = "league.toml"
LEAGUE = click.argument("league", type=click.Path(path_type=Path), default=Path(LEAGUE_FILE), callback=_file_of)


def read_snapshot(league: Path) -> Snapshot:
    """Read the results of the tournament with this configuration file. The file itself is not read."""
    from arena.matches.folders import folder_of
    from arena.tournament.run import organizer

    return organizer.read_snapshot(folder_of(league))
