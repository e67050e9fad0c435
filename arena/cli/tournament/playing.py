"""``arena tournament init``, ``check`` and ``run``: set up and play a tournament."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from arena.cli.options import AS_JSON, ENGINE, ENGINE_OPTIONS
from arena.cli.output import print_json, say, say_quoting
from arena.cli.output_files import refuse_existing
from arena.cli.settings import chosen_engine
from arena.cli.tournament.common import LEAGUE
from arena.errors import ArenaError, ExitCode
from arena.text.printable import command_line

if TYPE_CHECKING:
    from arena.tournament.run.runner import RunReport
    from arena.tournament.run.sanity import Sanity


@click.command(short_help="Write a commented league.toml.")
@click.argument("game")
@click.argument("bots", nargs=-1, required=True)
@click.option(
    "--file",
    "path",
    type=click.Path(path_type=Path),
    default=Path("league.toml"),
    show_default=True,
    help="The path of the new file.",
)
def init(game: str, bots: tuple[str, ...], path: Path) -> None:
    """Write a commented league.toml for GAME and BOTS.

    Each of BOTS is a file, a folder, an archive, a folder full of bots, or builtin:NAME.
    """
    from arena.bots.game_files import without_modules
    from arena.journal.files import disk_errors
    from arena.match.lookup import find_game
    from arena.tournament.run.league import check_references, survey
    from arena.tournament.run.template import template

    refuse_existing(path, "--file")
    spec = find_game(game)
    bots = without_modules(bots, say, path.parent)
    check_references(spec, bots, path.parent)
    text = template(spec, bots)
    if not path.parent.is_dir():
        raise ArenaError(f"The folder {path.parent} does not exist.", exit_code=ExitCode.CANNOT_WRITE)
    with disk_errors(path, "Fix the cause, or choose another file with --file."):
        path.write_text(text, encoding="utf-8")
    say(f"Wrote {path}. Read it, then run: {command_line('arena', 'tournament', 'check', path)}")
    try:
        survey(path, _print_broken)
    except ArenaError as error:
        say(f"Warning: `arena tournament run` will refuse this: {error.message}", err=True)


@click.command(short_help="Check the file, and try the bots.")
@LEAGUE
@AS_JSON
def check(league: Path, as_json: bool) -> None:
    """Check LEAGUE, and play one match with each bot that has not played in the tournament yet.

    Bots on other machines are not tried. The command reports everything that `run` without --amend would refuse, with
    the same message and exit code.
    """
    from arena.tournament.run.league import build_bots, open_league, try_bots
    from arena.tournament.run.organizer import check_run
    from arena.tournament.run.session import RunOptions, make_engine

    opened = open_league(league, None if as_json else _print_broken)
    _warn_of_seed(opened.config.seed)
    tried: list[Sanity] = []

    def report(result: Sanity) -> None:
        tried.append(result)
        if not as_json:
            _print_sanity(result)

    opened = build_bots(opened, report)
    engine = make_engine(opened, RunOptions())
    try:
        ready, _ = try_bots(opened, engine, report)
    finally:
        engine.close()
    check_run(ready.folder, ready.config, ready.entrants)
    if as_json:
        bots = [{"name": one.name, "starts": one.starts, "plays": one.plays, "text": one.text} for one in tried]
        broken = [{"path": one.reference, "reason": one.reason} for one in opened.found.broken]
        print_json({"ready": [entrant.name for entrant in ready.entrants], "bots": bots, "broken": broken})
        return
    failed = [one.name for one in tried if one.starts and not one.plays]
    if failed:
        say(f"{len(failed)} of them take part, but failed in their match: {', '.join(failed)}.", fg="yellow")
    say(f"{len(ready.entrants)} bots are ready. Start with: {command_line('arena', 'tournament', 'run', league)}")


@click.command()
@LEAGUE
@click.option(
    "--amend", is_flag=True, help="Apply changes of LEAGUE and of bots to the rounds that are not yet paired."
)
@click.option(
    "--amend-bot",
    "taken",
    metavar="NAME",
    multiple=True,
    help="Apply only the change of this bot (new, changed or removed) to the rounds that are not yet paired.",
)
@click.option("--stored", is_flag=True, help="Use the stored copies of all bots that --amend-bot does not name.")
@click.option(
    "--discard", type=click.IntRange(0), default=0, help="Accept that the change discards exactly this many results."
)
@click.option("--no-check", is_flag=True, help="Skip the sanity matches, which find bots that do not start.")
@click.option("--limit", type=click.IntRange(0), default=0, help="Stop after this many matches.")
@ENGINE
@ENGINE_OPTIONS
@AS_JSON
def run(
    league: Path,
    amend: bool,
    taken: tuple[str, ...],
    stored: bool,
    discard: int,
    no_check: bool,
    limit: int,
    engine: str,
    engine_options: tuple[str, ...],
    as_json: bool,
) -> int:
    """Play the tournament, or continue it.

    Ctrl-C stops the tournament after the running matches. A second Ctrl-C stops at once. Played matches are never lost.
    For bots of other machines (path = "remote"), the command prints tickets for `arena join`, and first waits until
    these bots have joined.
    """
    from arena.contests.report.documents import standings_document
    from arena.contests.report.progress import LiveProgress, PlainProgress, final_lines
    from arena.tournament.run.league import open_league
    from arena.tournament.run.organizer import read_snapshot
    from arena.tournament.run.session import RunOptions, run_league

    elsewhere = chosen_engine(engine, engine_options)
    chosen = taken if taken or stored else None
    opened = open_league(league, None if as_json else _print_broken, chosen)
    _warn_of_seed(opened.config.seed)
    run_options = RunOptions(amend, chosen, discard, not no_check, limit, elsewhere)
    if as_json:
        report = run_league(opened, run_options, [], lambda _sanity: None, partial(say, err=True))
        ended = {"played": report.played, "finished": report.finished, "interrupted": report.interrupted}
        print_json(ended | {"standings": standings_document(read_snapshot(opened.folder))})
        return _exit_code(report)
    live = sys.stdout.isatty()
    progress: Any = LiveProgress() if live else PlainProgress(say)
    with progress if live else nullcontext():
        report = run_league(opened, run_options, [progress], _print_sanity, partial(say, err=True))
    for line in final_lines(read_snapshot(opened.folder)):
        say(line)
    return _exit_code(report)


def _exit_code(report: RunReport) -> int:
    return ExitCode.INTERRUPTED if report.interrupted and not report.finished else 0


def _warn_of_seed(seed: str) -> None:
    if seed:
        say(
            "Warning: the configuration has a seed. Anyone who reads or guesses it knows all random draws. "
            "Remove the line to use a random secret.",
            err=True,
        )


def _print_sanity(result: Sanity) -> None:
    if not result.starts:
        mark, colour = "out", "red"
    else:
        mark, colour = ("ok", "green") if result.plays else ("bad", "yellow")
    say(f"{mark:>4}", fg=colour, nl=False)
    say_quoting(f"  {result.name}: {result.text}")


def _print_broken(broken: tuple[Any, ...]) -> None:
    for one in broken:
        say("out", fg="red", nl=False)
        say(f"  {one.reference}: {one.reason}")
