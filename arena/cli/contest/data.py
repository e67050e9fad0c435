"""``arena contest verify``, ``rebuild``, ``backup`` and ``restore``: check, repair and keep the data of a contest."""

from __future__ import annotations

import re
from contextlib import suppress
from functools import partial
from pathlib import Path

import click

from arena.cli.contest.common import CONTEST
from arena.cli.options import AS_JSON
from arena.cli.output import print_json, say
from arena.errors import ArenaError, ExitCode
from arena.text.printable import command_line


@click.command(short_help="Check that nobody has changed a result.")
@CONTEST
@click.option("--rules", is_flag=True, help="Also play each match again, and compare its result.")
@click.option(
    "--head",
    metavar="NUMBER:HASH",
    default="",
    help="Also check that the journal continues from this head (NUMBER:HASH).",
)
@AS_JSON
def verify(contest: Path, rules: bool, head: str, as_json: bool) -> int:
    """Check that the journal is consistent, and that the replays and the stored copies of the bots agree with it.

    CONTEST can also be the file that `arena contest archive` has written: then its replays are checked.

    The contest can run meanwhile. The command prints the head of the journal: the number and the hash of its last
    entry. Publish the head. Then everybody can detect later changes of these entries with --head, even changes by you.
    """
    from arena.contests.archive import SUFFIX
    from arena.contests.journal.files import folder_of
    from arena.contests.verify import verify as check
    from arena.contests.verify import verify_archive

    if head and not re.fullmatch(r"\d+:[0-9a-f]+", head):
        raise click.UsageError(f"--head {head[:80]}: write NUMBER:HASH, as `arena contest verify` prints it.")

    def complain(text: str) -> None:
        if not as_json:
            say(text, fg="red")

    if contest.suffix == SUFFIX:
        report = verify_archive(contest, rules=rules, report=complain)
    else:
        report = check(folder_of(contest), rules=rules, head=head, report=complain)
    if as_json:
        counts = {"results": report.results, "proved": report.replays, "versions": report.versions}
        print_json({"problems": report.problems, **counts, "erased": report.erased, "head": report.head})
    elif not report.problems:
        for line in report.erased:
            say(line)
        again = "have been played again, and prove" if rules else "prove"
        say(f"{report.results} results are unchanged. Replays {again} {report.replays} of them.")
        say(f"{report.versions} versions of bots are unchanged. Head of the journal: {report.head}")
    else:
        say(
            f"Problems: {len(report.problems)}. `arena contest rebuild` restores the entries that backups and replays "
            "prove. Replays and copies that are gone are only in a backup of yours."
        )
    return ExitCode.DAMAGED_JOURNAL if report.problems else ExitCode.OK


@click.command(short_help="Restore a damaged journal.")
@CONTEST
def rebuild(contest: Path) -> None:
    """Rebuild the journal from its remains, its backups, and the replays, while nothing runs the contest.

    The command keeps the old files in a new folder beside the journal, such as damaged-1. If the command was stopped,
    run it again. It names everything that is lost. People and the versions that they handed in are in the journal and
    its backups only. If only replays are left, the command needs the first CONTEST and its bots.
    """
    from arena.contests.journal.files import folder_of
    from arena.contests.rebuild import rebuild as restore_journal
    from arena.contests.run import first_entries

    rebuilt = restore_journal(folder_of(contest), partial(first_entries, contest))
    say(f"The last entry that could be read is number {rebuilt.last}.")
    for text in rebuilt.refused:
        say(text, fg="red")
    say(f"The journal has {rebuilt.results} results. {len(rebuilt.proved)} of them were restored from their replays.")
    say(f"The old files are in {rebuilt.away}.")
    losses = []
    if rebuilt.lost:
        names = ", ".join(rebuilt.lost)
        losses.append(f"{len(rebuilt.lost)} results are lost; neither backups nor replays contain them: {names}.")
    if rebuilt.missing:
        losses.append(f"{len(rebuilt.missing)} other entries are lost: {', '.join(rebuilt.missing)}.")
    if losses:
        raise ArenaError(
            "\n".join(losses),
            hint="`arena contest run` plays lost matches of stages again. Teams can hand in lost versions again. Acts "
            "that are lost have no effect: repeat them.",
            exit_code=ExitCode.DAMAGED_JOURNAL,
        )


@click.command(short_help="Write a backup of the whole contest.")
@click.argument("target", type=click.Path(path_type=Path))
@CONTEST
def backup(target: Path, contest: Path) -> None:
    """Write a backup of the contest to TARGET, a new .tar file. The contest can run meanwhile."""
    from arena.contests.backup import back_up

    say(f"Wrote {target}: {back_up(contest, target)} files.")


@click.command(short_help="Restore a contest from a backup.")
@click.argument("source", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.argument("target", type=click.Path(path_type=Path))
def restore(source: Path, target: Path) -> None:
    """Restore the contest of the backup SOURCE into TARGET, a new folder."""
    from arena.bots.players import brought_player
    from arena.contests.backup import restore as restore_all
    from arena.contests.config_file import read_config_file
    from arena.match.job import REMOTE

    path = restore_all(source, target)
    with suppress(ArenaError):  # the file comes from the backup, and can be of a game that is not here
        references = [bot.path for bot in read_config_file(path)[0].bots]
        files = [
            file
            for file in references
            if not file.startswith("builtin:") and file != REMOTE and brought_player(file) is None
        ]
        missing = [file for file in files if not (target / file).exists()]
        if missing:
            say(f"A backup has only copies of bots. Before you play on, bring back: {', '.join(missing)}.")
    say(f"Restored {path}. Read it, then run: {command_line('arena', 'contest', 'serve', path)}")


COMMANDS = (verify, rebuild, backup, restore)
