"""``arena contest init``, ``check``, ``run`` and ``serve``: set up and play a contest."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from contextlib import nullcontext
from functools import partial, reduce
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from arena.cli.contest.common import CONTEST, FILE, read_shown
from arena.cli.options import AS_JSON, ENGINE, ENGINE_OPTIONS
from arena.cli.output import print_json, say, say_quoting
from arena.cli.output_files import refuse_existing
from arena.cli.settings import chosen_engine
from arena.errors import ArenaError, ExitCode
from arena.text.printable import command_line

if TYPE_CHECKING:
    from arena.contests.loop import Loop, RunReport
    from arena.contests.open_contest import LoadedContest
    from arena.contests.roster import Roster, TrialReport
    from arena.web.contests.extending import ServedContest

AMEND = click.option("--amend", is_flag=True, help="Apply changes of CONTEST and of bots to what is not paired yet.")


@click.command(short_help="Write a commented contest.toml.")
@click.argument("game")
@click.argument("bots", nargs=-1)
@click.option("--people", is_flag=True, help="Write the file of a term: teams hand in bots and climb a ladder.")
@click.option(
    "--file",
    "path",
    type=click.Path(path_type=Path),
    default=Path(FILE),
    show_default=True,
    help="The path of the new file.",
)
def init(game: str, bots: tuple[str, ...], people: bool, path: Path) -> None:
    """Write a commented contest.toml for GAME and BOTS.

    Each of BOTS is a file, a folder, an archive, a folder full of bots, or builtin:NAME. With --people, BOTS can be
    left out.
    """
    from arena.bots.builtin import without_modules
    from arena.contests.config_bots import check_references
    from arena.contests.config_file import read_config_file, template
    from arena.contests.journal.files import disk_errors
    from arena.contests.roster import survey
    from arena.match.lookup import find_game, refuse_cooperative

    if not bots and not people:
        raise click.UsageError("Name the bots, or use --people for a contest in which teams hand in bots.")
    refuse_existing(path, "--file")
    spec = find_game(game)
    if people:
        refuse_cooperative(spec, "A ladder")
    bots = without_modules(bots, say, path.parent)
    check_references(spec, bots, path.parent)
    text = template(spec, bots, people=people)
    if not path.parent.is_dir():
        raise ArenaError(f"The folder {path.parent} does not exist.", exit_code=ExitCode.CANNOT_WRITE)
    with disk_errors(path, "Fix the cause, or choose another file with --file."):
        path.write_text(text, encoding="utf-8")
    first = "serve" if people else "check"
    say(f"Wrote {path}. Read it, then run: {command_line('arena', 'contest', first, path)}")
    try:
        _say_broken(survey(*read_config_file(path), path))
    except ArenaError as error:
        say_quoting(f"Warning: `arena contest run` will refuse this: {error.message}", err=True)


@click.command(short_help="Check the file, and try the bots.")
@CONTEST
@AS_JSON
def check(contest: Path, as_json: bool) -> None:
    """Check CONTEST, and play one match with each bot, or version of a bot, that is not in the contest yet.

    Bots on other machines are not tried. The command reports everything that `run` without --amend would refuse, with
    the same message and exit code.
    """
    from arena.contests.run import check as check_contest

    tried: list[TrialReport] = []

    def report(result: TrialReport) -> None:
        tried.append(result)
        if not as_json:
            _say_tried(result)

    _warn_of_seed(contest)
    roster, ready = check_contest(contest, report, (lambda _roster: None) if as_json else _say_broken)
    if as_json:
        bots = [{"name": bot.name, "starts": bot.starts, "plays": bot.plays, "text": bot.text} for bot in tried]
        broken = [{"path": bot.reference, "reason": bot.reason} for bot in roster.broken]
        print_json({"ready": ready, "bots": bots, "broken": broken})
        return
    failed = [bot.name for bot in tried if bot.starts and not bot.plays]
    if failed:
        say(f"{len(failed)} of them take part, but failed in their match: {', '.join(failed)}.", fg="yellow")
    say(f"{len(ready)} bots are ready. Start with: {command_line('arena', 'contest', 'run', contest)}")


@click.command(short_help="Play the contest, or continue it.")
@CONTEST
@AMEND
@click.option("--no-check", is_flag=True, help="Skip the matches that find bots that do not start.")
@click.option("--limit", type=click.IntRange(0), default=0, help="Stop after this many matches.")
@ENGINE
@ENGINE_OPTIONS
@AS_JSON
def run(
    contest: Path, amend: bool, no_check: bool, limit: int, engine: str, engine_options: tuple[str, ...], as_json: bool
) -> int:
    """Play the contest, or continue it.

    Ctrl-C stops the contest after the running matches. A second Ctrl-C stops at once. Played matches are never lost.
    For bots of other machines (path = "remote"), the command prints tickets for `arena join`, and first waits until
    these bots have joined.
    """
    from arena.contests.report.progress import LiveProgress, PlainProgress, final_lines
    from arena.contests.report.rows import documents_of, standings_tables
    from arena.contests.run import RunOptions
    from arena.contests.run import run as run_contest

    options = RunOptions(amend, not no_check, limit, elsewhere=chosen_engine(engine, engine_options))
    _warn_of_seed(contest)
    if as_json:
        report = run_contest(contest, options, None, lambda _tried: None, say=partial(say, err=True))
        document = {"played": report.played, "finished": report.finished, "interrupted": report.interrupted}
        print_json(document | {"standings": documents_of(standings_tables(read_shown(contest)))})
        return _exit_code(report)
    live = sys.stdout.isatty()
    progress: Any = LiveProgress() if live else PlainProgress(say)
    with progress if live else nullcontext():
        report = run_contest(contest, options, progress, _say_tried, _say_broken, partial(say, err=True))
    for line in final_lines(read_shown(contest)):
        say(line)
    return _exit_code(report)


def _exit_code(report: RunReport) -> int:
    return ExitCode.INTERRUPTED if report.interrupted and not report.finished else ExitCode.OK


_HOST = "Listen on this address; 0.0.0.0 means all addresses."
_NAME = "Accept requests for this name of the machine, such as arena.example.org."
_PORT = click.IntRange(0, 65535)
Begin = Callable[["ServedContest", str], Iterable[str]]
"""Called when the pages can be served, with the address of the server. It returns lines to print."""


def serving(host: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return a decorator that adds the options of a command that serves a contest, for `serve_contest`.

    Args:
        host: The default of ``--host``.
    """
    options = (
        click.option("--host", default=host, show_default=True, help=_HOST),
        click.option("--port", type=_PORT, default=8000, show_default=True, help="Serve on this port."),
        click.option("--name", "names", multiple=True, help=_NAME),
        AMEND,
        ENGINE,
        ENGINE_OPTIONS,
    )
    return lambda command: reduce(lambda decorated, option: option(decorated), reversed(options), command)


@click.command(short_help="Play the contest, and serve its pages.")
@CONTEST
@click.option("--show-only", is_flag=True, help="Play nothing: show what another process plays, or has played.")
@serving("127.0.0.1")
def serve(contest: Path, show_only: bool, **options: Any) -> None:
    """Play the contest and serve its pages until Ctrl-C: standings, brackets, running matches, hand-in, desk.

    The same command continues the contest after a stop or a crash. Until an organizer has joined, each start prints an
    invitation for the organizer. The server accepts requests for IP addresses, localhost, the name of this machine, and
    each --name.

    With --show-only, the server can start before the contest, and stays when the contest stops and starts again.
    """
    serve_contest(contest, show_only=show_only, **options)


def serve_contest(
    contest: Path,
    host: str,
    port: int,
    names: tuple[str, ...],
    amend: bool,
    engine: str,
    engine_options: tuple[str, ...],
    *,
    show_only: bool = False,
    begin: Begin = lambda _contest, _address: (),
) -> None:
    """Play a contest and serve its pages until Ctrl-C. Most arguments are those of the options of `serving`.

    Args:
        show_only: Play nothing.
        begin: Called before the first request.
    """
    from arena.contests.journal.files import folder_of
    from arena.contests.people.accounts import first_organizer
    from arena.contests.run import RunOptions, playing

    elsewhere = chosen_engine(engine, engine_options)
    if show_only:
        from arena.web.contests.following import Follower

        _serve(Follower(folder_of(contest)), host, port, names, None, lambda: None, begin)
        return
    _warn_of_seed(contest)
    options = RunOptions(amend, stays=True, elsewhere=elsewhere)
    with playing(contest, options, None, _say_tried, _say_broken, partial(say, err=True)) as (loop, _):
        _serve(loop.contest, host, port, names, loop, lambda: first_organizer(loop.contest), begin)


def _serve(
    source: LoadedContest,
    host: str,
    port: int,
    names: tuple[str, ...],
    loop: Loop | None,
    invitation_of: Any,
    begin: Begin,
) -> None:
    import signal
    import socket
    from urllib.parse import urlsplit

    from arena.cli.new import all_templates
    from arena.study.replaying.presentation import renderer_of
    from arena.web.contests.app import ContestPages
    from arena.web.contests.site import further_pages
    from arena.web.server import Server

    config, game = source.config, source.game
    further = further_pages(game, config.name, partial(say, err=True))
    pages = ContestPages(source, renderer_of(config.game), all_templates(game), further, loop)
    address = config.visible.address
    host_names = (socket.gethostname(), *names, *filter(None, [urlsplit(address).hostname]))
    server = Server(pages.application(), port, host, public=True, names=host_names, forms=True, address=address)
    invitation = invitation_of()
    outside = address or server.url.rstrip("/")
    lines = [*begin(pages.served, outside)]
    say(server.url)  # nothing is written any more before somebody asks
    if invitation:
        say(f"Invitation for the organizer: {outside}/join?token={invitation}")
    for line in lines:
        say(line)
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # systemd stops the server with SIGTERM
    server.run()


def _warn_of_seed(contest: Path) -> None:
    from arena.text.toml_files import known_tables

    table = known_tables(contest).get("contest")
    if isinstance(table, dict) and table.get("seed"):
        say(
            "Warning: the configuration has a seed. Anyone who reads or guesses it knows all random draws. "
            "Remove the line to use a random secret.",
            err=True,
        )


def _say_tried(result: TrialReport) -> None:
    if not result.starts:
        mark, colour = "out", "red"
    else:
        mark, colour = ("ok", "green") if result.plays else ("bad", "yellow")
    say(f"{mark:>4}", fg=colour, nl=False)
    say_quoting(f"  {result.name}: {result.text}")


def _say_broken(roster: Roster) -> None:
    for bot in roster.broken:
        say("out", fg="red", nl=False)
        say(f"  {bot.reference}: {bot.reason}")


COMMANDS = (init, check, run, serve)
