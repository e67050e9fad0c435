"""Print what the checks and rebuilds of tournaments and seasons have found."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from arena.cli.output import print_json, say
from arena.errors import ArenaError, ExitCode
from arena.text.toml_files import known_tables

if TYPE_CHECKING:
    from arena.matches.rebuild import Rebuilt
    from arena.matches.verify import Findings

RULES = click.option("--rules", is_flag=True, help="Also play each match again, and compare its result.")
SINCE = click.option(
    "--head", metavar="NUMBER:HASH", default="",
    help="Also check that the journal continues from this head (NUMBER:HASH).",
)  # fmt: skip


def reporter(*, as_json: bool) -> Callable[[str], None]:
    """Return a function that prints a problem when it is found."""
    return lambda text: None if as_json else say(text, fg="red")


def print_findings(found: Findings, program: str, *, as_json: bool) -> int:
    """Print the summary of a check, and return the exit code."""
    if as_json:
        counts = {"results": found.results, "proved": found.replays, "versions": found.versions}
        print_json({"problems": found.problems, **counts, "head": found.head})
    elif not found.problems:
        say(f"{found.results} results are unchanged. Replays prove {found.replays} of them.")
        say(f"{found.versions} versions of bots are unchanged. Head of the journal: {found.head}")
    else:
        say(f"{len(found.problems)} problems. `arena {program} rebuild` restores what backups and replays prove.")
    return ExitCode.DAMAGED_JOURNAL if found.problems else ExitCode.OK


def print_rebuilt(done: Rebuilt, hint: str) -> None:
    """Print the outcome of a rebuild. What is lost is an error, with this hint."""
    for text in done.refused:
        say(text, fg="red")
    say(f"The journal has {done.results} results. {len(done.proved)} of them were restored from their replays.")
    say(f"The old files are in {done.away}.")
    if done.lost or done.missing:
        results = (
            f"{len(done.lost)} results are lost; neither backups nor replays contain them: {', '.join(done.lost)}."
        )
        others = f"{len(done.missing)} other entries are lost: {', '.join(done.missing)}."
        raise ArenaError(
            "\n".join(text for text, lost in ((results, done.lost), (others, done.missing)) if lost),
            hint=hint,
            exit_code=ExitCode.DAMAGED_JOURNAL,
        )


def refuse_other_file(path: Path, program: str) -> None:
    """Refuse the file of a season as that of a tournament, and the other way round.

    Args:
        program: The group of commands: "season" or "tournament".
    """
    other = "tournament" if program == "season" else "season"
    tables = known_tables(path)
    if other in tables and program not in tables:
        raise ArenaError(
            f"{path} belongs to a {other}.", hint=f"Use the commands of `arena {other}`.", exit_code=ExitCode.USAGE
        )
