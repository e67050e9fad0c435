"""``arena tournament verify`` and ``rebuild``: check the results and restore them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from arena.cli.output import print_json, say
from arena.cli.tournament.common import LEAGUE
from arena.errors import ArenaError, ExitCode

if TYPE_CHECKING:
    from arena.journal.store import Written


@click.command(short_help="Check that nobody has changed a result.")
@LEAGUE
@click.option("--rules", is_flag=True, help="Also play each replay through the rules of the game.")
@click.option(
    "--head",
    metavar="NUMBER:HASH",
    default="",
    help="Also check that the journal continues from this head (NUMBER:HASH).",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def verify(league: Path, rules: bool, head: str, as_json: bool) -> int:
    """Check that the journal is consistent, and that the replays and the stored copies of the bots agree with it.

    The command prints the head of the journal: the number and the hash of its last entry. Publish the head. Then
    everybody can detect later changes of these entries with --head, even changes by you.
    """
    from arena.matches.folders import folder_of
    from arena.tournament.run.verify import verify as check

    found = check(
        folder_of(league), rules=rules, head=head, report=lambda text: None if as_json else say(text, fg="red")
    )
    if as_json:
        counts = {"results": found.results, "proved": found.replays, "versions": found.versions}
        print_json({"problems": found.problems, **counts, "head": found.head})
    elif not found.problems:
        say(f"{found.results} results are unchanged. Replays prove {found.replays} of them.")
        say(f"{found.versions} versions of bots are unchanged. Head of the journal: {found.head}")
    else:
        say(f"{len(found.problems)} problems. `arena tournament rebuild` restores what backups and replays prove.")
    return ExitCode.DAMAGED_JOURNAL if found.problems else ExitCode.OK


@click.command(short_help="Restore a damaged journal.")
@LEAGUE
def rebuild(league: Path) -> None:
    """Rebuild the journal from its remains, its backups, and the replays.

    The command keeps the old files in a new folder beside the journal, such as damaged-1. If the command was stopped,
    run it again.
    """
    from arena.matches.folders import folder_of
    from arena.tournament.run.league import open_league
    from arena.tournament.run.organizer import Stored, first_entries
    from arena.tournament.run.rebuild import rebuild as restore

    def begin(tournament: str) -> list[Written]:
        opened = open_league(league, stored=Stored())
        return first_entries(opened.config, opened.entrants, opened.broken_messages(), tournament)

    done = restore(folder_of(league), begin)
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
            hint="`arena tournament run` plays again those of these matches whose results were not discarded with "
            "--amend --discard.",
            exit_code=ExitCode.DAMAGED_JOURNAL,
        )
