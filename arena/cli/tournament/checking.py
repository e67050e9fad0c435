"""``arena tournament verify`` and ``rebuild``: check the results and restore them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from arena.cli.checking import RULES, SINCE, print_findings, print_rebuilt, reporter
from arena.cli.options import AS_JSON
from arena.cli.tournament.common import LEAGUE

if TYPE_CHECKING:
    from arena.journal.store import Written


@click.command(short_help="Check that nobody has changed a result.")
@LEAGUE
@RULES
@SINCE
@AS_JSON
def verify(league: Path, rules: bool, head: str, as_json: bool) -> int:
    """Check that the journal is consistent, and that the replays and the stored copies of the bots agree with it.

    The command prints the head of the journal: the number and the hash of its last entry. Publish the head. Then
    everybody can detect later changes of these entries with --head, even changes by you.
    """
    from arena.matches.folders import folder_of
    from arena.tournament.run.verify import verify as check

    found = check(folder_of(league), rules=rules, head=head, report=reporter(as_json=as_json))
    return print_findings(found, "tournament", as_json=as_json)


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

    print_rebuilt(
        restore(folder_of(league), begin),
        "`arena tournament run` plays again those of these matches whose results were not discarded with "
        "--amend --discard.",
    )
