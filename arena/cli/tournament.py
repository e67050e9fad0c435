"""``arena tournament``: brackets, leagues and ladders of bots."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from arena.cli.extras import need_extra
from arena.cli.output import print_json
from arena.errors import ArenaError, ExitCode

if TYPE_CHECKING:
    from collections.abc import Sequence

    from arena.tournament.organizer import Snapshot
    from arena.tournament.output.sheets import Sheet
    from arena.tournament.runner import RunReport
    from arena.tournament.sanity import Sanity

LEAGUE = click.argument("league", type=click.Path(path_type=Path), default=Path("league.toml"))
FORM = click.option(
    "--format",
    "form",
    type=click.Choice(["table", "json", "csv", "markdown"]),
    default="table",
    show_default=True,
    help="How it is printed.",
)
AS_JSON = click.option("--json", "form", flag_value="json", help="The same as --format json.")


@click.group()
def command() -> None:
    """Run brackets, leagues and ladders of bots.

    A tournament is a file, league.toml, and a folder beside it, league/, in which the results are. Every command that
    takes LEAGUE means that file; without it, league.toml in this folder.
    """


@command.command(short_help="Write a commented league.toml.")
@click.argument("game")
@click.argument("bots", nargs=-1, required=True)
@click.option("--file", "path", type=click.Path(path_type=Path), default=Path("league.toml"), show_default=True)
@click.option("--force", is_flag=True, help="Replace the file if it is there.")
def init(game: str, bots: tuple[str, ...], path: Path, force: bool) -> None:
    """Write a commented league.toml for GAME and BOTS (files, folders, archives, folders full of bots)."""
    from arena.lookup import find_game
    from arena.tournament.journal.files import disk_errors
    from arena.tournament.league import check_references, template

    if path.exists() and not force:
        raise ArenaError(f"{path} is there already.", hint="Use --file NAME for another one, or --force to replace it.")
    spec = find_game(game)
    check_references(spec, bots, path.parent)
    text = template(spec, bots)
    if not path.parent.is_dir():
        raise ArenaError(f"The folder {path.parent} does not exist.", exit_code=ExitCode.CANNOT_WRITE)
    with disk_errors(path):
        path.write_text(text, encoding="utf-8")
    click.echo(f"Wrote {path}. Look it over, then: arena tournament check {path}")


@command.command(short_help="Check the file, and try every bot.")
@LEAGUE
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def check(league: Path, as_json: bool) -> None:
    """Check LEAGUE, and play one match with each bot to see whether it starts."""
    from arena.tournament.league import open_league, try_bots
    from arena.tournament.session import Wishes, make_engine

    need_extra("tournament", "A tournament")
    opened = open_league(league, None if as_json else _tell_broken)
    engine = make_engine(opened, Wishes())
    tried: list[Sanity] = []
    try:
        ready, _ = try_bots(opened, engine, tried.append if as_json else _tell_sanity)
    finally:
        engine.close()
    if as_json:
        bots = [{"name": one.name, "starts": one.starts, "text": one.text} for one in tried]
        broken = [{"path": one.reference, "reason": one.reason} for one in opened.found.broken]
        print_json({"ready": [entrant.name for entrant in ready.entrants], "bots": bots, "broken": broken})
        return
    click.echo(f"{len(ready.entrants)} bots are ready. Start with: arena tournament run {league}")


@command.command()
@LEAGUE
@click.option("--amend", is_flag=True, help="Take a changed configuration for what is still to be played.")
@click.option("--no-check", is_flag=True, help="Do not try the bots before the first match.")
@click.option("--limit", type=click.IntRange(0), default=0, help="Stop after this many matches.")
@click.option("--at-once", type=click.IntRange(0), default=0, help="Matches at once; without it, one on each core.")
@click.option("--unrated", is_flag=True, help="Allow more matches than cores; the clocks mean little then.")
@click.option("--engine", type=click.Choice(["local", "dask"]), default="local", show_default=True)
@click.option("--scheduler", metavar="ADDRESS", default="", help="Of the Dask scheduler, such as tcp://host:8786.")
@click.option("--plain", is_flag=True, help="Print lines instead of a display.")
@click.option("--json", "as_json", is_flag=True, help="Print how it ended and the tables as JSON, and nothing else.")
def run(
    league: Path,
    amend: bool,
    no_check: bool,
    limit: int,
    at_once: int,
    unrated: bool,
    engine: str,
    scheduler: str,
    plain: bool,
    as_json: bool,
) -> int:
    """Play the tournament, or go on where it was.

    Ctrl-C finishes the running matches, a second one stops at once; nothing is lost in either case.
    """
    from arena.tournament.documents import standings_document
    from arena.tournament.league import open_league
    from arena.tournament.organizer import look_on
    from arena.tournament.output.progress import LiveProgress, PlainProgress, final_lines
    from arena.tournament.session import Wishes, run_league

    if (engine == "dask") != bool(scheduler):
        raise click.UsageError("--engine dask and --scheduler ADDRESS belong together.")
    need_extra("tournament", "A tournament")
    if scheduler:
        need_extra("dask", "Playing on many machines")
    opened = open_league(league, None if as_json else _tell_broken)
    wishes = Wishes(amend, not no_check, limit, at_once, unrated, scheduler)
    if as_json:
        report = run_league(opened, wishes, [], lambda _sanity: None)
        ended = {"played": report.played, "finished": report.finished, "interrupted": report.interrupted}
        print_json(ended | {"standings": standings_document(look_on(opened.folder))})
        return _exit_code(report)
    live = not plain and sys.stdout.isatty()
    progress: Any = LiveProgress() if live else PlainProgress(click.echo)
    with progress if live else nullcontext():
        report = run_league(opened, wishes, [progress], _tell_sanity)
    for line in final_lines(look_on(opened.folder)):
        click.echo(line)
    return _exit_code(report)


@command.command()
@LEAGUE
@FORM
@AS_JSON
@click.option("--all", "everything", is_flag=True, help="Ratings, superiority and behaviour as well.")
def standings(league: Path, form: str, everything: bool) -> None:
    """Show the tables of all stages."""
    from arena.tournament.documents import standings_document, tournament_document
    from arena.tournament.output import sheets

    snapshot = _look_on(league)
    if form == "json":
        print_json(tournament_document(snapshot, private=True) if everything else standings_document(snapshot))
        return
    document = tournament_document(snapshot, private=True)
    chosen = [sheets.standings_sheet(stage) for stage in document["stages"]]
    if everything:
        chosen += [
            sheets.ratings_sheet(document), sheets.superiority_sheet(document), sheets.statistics_sheet(document)
        ]  # fmt: skip
    _print(chosen, form)


@command.command()
@LEAGUE
@FORM
@AS_JSON
def bracket(league: Path, form: str) -> None:
    """Show who met whom, round by round."""
    from arena.tournament.documents import standings_document
    from arena.tournament.output import sheets

    document = standings_document(_look_on(league))
    if form == "json":
        print_json({stage["name"]: stage["encounters"] for stage in document["stages"]})
        return
    _print([sheets.bracket_sheet(stage) for stage in document["stages"]], form)


@command.command()
@LEAGUE
@FORM
@AS_JSON
@click.option("--bot", help="Only matches of this bot.")
@click.option("--ending", help="Only matches in which somebody ended so, such as crashed or timed_out.")
@click.option("--last", type=click.IntRange(1), help="Only so many of the last.")
def matches(league: Path, form: str, bot: str | None, ending: str | None, last: int | None) -> None:
    """List the matches that were played."""
    from arena.tournament.documents import match_document
    from arena.tournament.output import sheets

    snapshot = _look_on(league)
    _check_filters(snapshot.tournament.names, bot, ending)
    found = [
        match_document(spec, outcome, private=True)
        for spec, outcome in snapshot.schedule.matches()
        if (bot is None or bot in spec.names) and (ending is None or any(s.ending == ending for s in outcome.seats))
    ]
    found = found[-last:] if last else found
    if form == "json":
        print_json(found)
        return
    _print([sheets.matches_sheet(found)], form)


@command.command(short_help="Show one match: why did this bot lose?")
@click.argument("match")
@LEAGUE
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option("--view", is_flag=True, help="Open the replay in the browser.")
def show(match: str, league: Path, as_json: bool, view: bool) -> None:
    """Show one MATCH (its id, or the beginning of it): why did this bot lose?"""
    from arena.tournament.documents import match_document
    from arena.tournament.journal.files import wrong_with_replay
    from arena.tournament.league import folder_of
    from arena.tournament.output.progress import one_line

    folder = folder_of(league)
    spec, outcome = _match(folder, match)
    if as_json:
        print_json(match_document(spec, outcome, private=True))
        return
    click.secho(f"{spec.match_id}  {one_line(spec, outcome)}", bold=True)
    click.echo(
        f"{outcome.turns} turns; {outcome.reason or 'no reason given'}; isolation {outcome.isolation or 'unknown'}"
        + (f"; clocks x {outcome.clock_factor:g}" if outcome.clock_factor != 1.0 else "")
    )
    for name, seat in zip(spec.names, outcome.seats, strict=True):
        click.echo(
            f"  {name}: {seat.ending}, score {seat.score:g}, {seat.refusals} refused, {seat.wall_seconds:.2f} s in "
            f"all, longest turn {seat.worst_turn_seconds:.3f} s" + (f"\n    {seat.explained}" if seat.explained else "")
        )
    replay = folder / outcome.replay
    if not outcome.replay:
        click.echo("There is no replay.")
        return
    wrong = wrong_with_replay(replay, outcome.replay_hash)
    click.echo(f"The replay {replay} {wrong}." if wrong else f"Replay: {replay}")
    if view and not wrong:
        from arena.tournament.legs import legs_of
        from arena_replays.serve import serve

        snapshot = _look_on(league)
        game = legs_of(spec.match_id, snapshot.schedule.matches(), snapshot.tournament.config.legs)
        legs = [folder / played.replay for _, played in game] or [replay]
        serve([legs], renderer_for=lambda _header: _renderer(spec.game), announce=click.echo)


@command.command(short_help="Write the page and the tables.")
@LEAGUE
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    help="The folder; without it, LEAGUE's name with -results, and -with-logs.",
)
@click.option("--replays/--no-replays", default=True, help="Write a page for each match as well.")
@click.option("--logs", is_flag=True, help="With what the bots logged, drew and printed, for your own eyes only.")
def export(league: Path, out: Path | None, replays: bool, logs: bool) -> None:
    """Write the page of the tournament, with tables as CSV, Markdown and JSON beside it.

    It can be published: what bots logged is left out of the matches' pages unless --logs is given.
    """
    from arena.tournament.league import folder_of
    from arena.tournament.output.export import export as write_all

    snapshot = _look_on(league)
    target = out or league.with_name(f"{league.stem}-results" + ("-with-logs" if logs else ""))
    renderer = _renderer(snapshot.tournament.config.game) if replays else None

    def write(legs: Sequence[Path], page: Path) -> None:
        from arena.web.tournament.replays import public_bytes
        from arena_replays.export import export_bytes, export_html

        if logs:
            export_html(legs, page, renderer)
        else:
            export_bytes([public_bytes(leg) for leg in legs], page, renderer)

    def warn(sentence: str) -> None:
        click.echo(f"Warning: {sentence}", err=True)

    pages = "matches-with-logs" if logs else "matches"
    files = write_all(snapshot, folder_of(league), target, write if replays else None, pages, warn, private=logs)
    click.echo(f"Wrote {files[0]} and {len(files) - 1} tables.")


@command.command(short_help="Serve the live page.")
@LEAGUE
@click.option("--host", default="127.0.0.1", show_default=True, help="0.0.0.0 lets everybody in.")
@click.option("--port", type=click.IntRange(0, 65535), default=8000, show_default=True)
def serve(league: Path, host: str, port: int) -> None:
    """Serve the live page: standings, brackets, running matches, replays, bots. It only reads.

    It goes on when the tournament stops and when it is started again. With ?screen behind the address it is made for
    the big screen in the hall.
    """
    from arena.tournament.league import folder_of

    need_extra("web", "The live page")
    import uvicorn

    from arena.web.tournament.app import application
    from arena_replays.serve import check_port

    folder = folder_of(league)
    app = application(folder, _renderer(_look_on(league).tournament.config.game))
    check_port(port, host)
    click.echo(f"http://{host}:{port}/")
    uvicorn.run(app, host=host, port=port, log_level="warning")


@command.command(short_help="Print the tokens of the bots' owners.")
@LEAGUE
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def tokens(league: Path, as_json: bool) -> None:
    """Print the tokens with which owners see their bots' logs on the live page."""
    from arena.web.tournament.tokens import token_of

    tournament = _look_on(league).tournament
    if as_json:
        print_json({name: token_of(tournament.secret, name) for name in tournament.names})
        return
    for name in tournament.names:
        click.echo(f"{name}\t{token_of(tournament.secret, name)}")


def _exit_code(report: RunReport) -> int:
    return ExitCode.INTERRUPTED if report.interrupted and not report.finished else 0


def _look_on(league: Path) -> Snapshot:
    from arena.tournament.league import folder_of
    from arena.tournament.organizer import look_on

    need_extra("tournament", "A tournament")
    return look_on(folder_of(league))


def _check_filters(names: Sequence[str], bot: str | None, ending: str | None) -> None:
    """Refuse what no match can have: an empty list would look like an answer."""
    from arena.referee.endings import MEANINGS

    if bot is not None and bot not in names:
        raise ArenaError(f"No bot of the tournament is called {bot}.", hint=f"There are {', '.join(names)}.")
    if ending is not None and ending not in MEANINGS:
        raise ArenaError(f"No match ends with {ending}.", hint=f"The endings are {', '.join(MEANINGS)}.")


def _match(folder: Path, match: str) -> Any:
    from contextlib import closing

    from arena.tournament.journal.store import Journal

    with closing(Journal(folder, read_only=True)) as journal:
        found = journal.match(match)
    if found is None:
        raise ArenaError(
            f"There is no match {match or 'without an id'}, or more than one begins so.",
            hint="`arena tournament matches` lists them.",
        )
    return found


def _renderer(game: str) -> str | None:
    """The source of the game's renderer, or None where the game or its renderer is not there."""
    from arena.game import UnknownGame, load

    try:
        path = load(game).viewer
    except UnknownGame:
        return None
    return path.read_text(encoding="utf-8") if path and path.is_file() else None


def _print(chosen: list[Sheet], form: str) -> None:
    from arena.tournament.output import text

    for sheet in chosen:
        if form == "csv":
            click.echo(text.to_csv(sheet), nl=False)
        elif form == "markdown":
            click.echo(text.to_markdown(sheet))
        else:
            text.print_sheet(sheet)


def _tell_sanity(result: Sanity) -> None:
    from arena.tournament.output.text import printable

    mark = click.style("ok", fg="green") if result.starts else click.style("out", fg="red")
    click.echo(f"{mark:>4}  {printable(result.name)}: {printable(result.text)}")


def _tell_broken(broken: tuple[Any, ...]) -> None:
    from arena.tournament.output.text import printable

    for one in broken:
        click.echo(f"{click.style('out', fg='red')}  {printable(one.reference)}: {printable(one.reason)}")
