"""Find and read a contest, for several commands."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from arena.errors import ArenaError, ExitCode

if TYPE_CHECKING:
    from arena.contests.report.visible_contest import VisibleContest
    from arena.contests.state import Contest

FILE = "contest.toml"


def _file_of(context: click.Context, parameter: click.Parameter, path: Path) -> Path:
    del context, parameter
    if not path.is_dir():
        return path
    if (path / FILE).is_file():
        return path / FILE
    if any((path / name).exists() for name in ("journal.db", "backups", "replays")):
        return path.resolve().with_suffix(".toml")  # the folder of a contest, whose file can be gone
    raise ArenaError(
        f"{path} is a folder without a {FILE}.",
        hint="Name the file of the contest; `arena contest init GAME BOTS` writes one.",
        exit_code=ExitCode.BAD_LEAGUE,
    )


CONTEST = click.argument("contest", type=click.Path(path_type=Path), default=Path(FILE), callback=_file_of)
"""An argument that names a contest: its file, the folder that contains the file, or the folder with the journal."""


def read_state(contest: Path) -> Contest:
    """Read the journal of the contest with this file. The file itself is not read."""
    from arena.contests.journal.files import folder_of
    from arena.contests.open_contest import read_contest

    return read_contest(folder_of(contest))


def read_shown(contest: Path, *, everything: bool = True) -> VisibleContest:
    """Read what an organizer sees of a contest, or everybody."""
    from arena.contests.report.visible_contest import VisibleContest

    return VisibleContest.of(read_state(contest), everything=everything)


def match_id_of(state: Contest, text: str) -> str:
    """Return the id of the only match that begins with a text."""
    ids = [id_ for id_ in state.played if id_.startswith(text)] if text else []
    if len(ids) > 1:
        raise ArenaError(f"The ids of {len(ids)} matches begin with {text}.", hint="Write more characters.")
    if not ids:
        raise ArenaError(f"There is no match {text}.", hint="`arena contest matches` lists them.")
    return ids[0]
