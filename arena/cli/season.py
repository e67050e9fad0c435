"""``arena season``: run a season, in which teams hand in bots and climb a ladder."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import click

from arena.cli.checking import RULES, SINCE, print_findings, print_rebuilt, refuse_other_file, reporter
from arena.cli.extras import needs_tournament
from arena.cli.options import AS_JSON, DATA, ENGINE, ENGINE_OPTIONS
from arena.cli.output import say
from arena.cli.output_files import refuse_existing
from arena.cli.settings import chosen_engine
from arena.cli.tables import ENDING, FORM, JSON_FORM, LAST, print_matches
from arena.errors import ArenaError, ExitCode
from arena.text.limited import MIB, read_limited, text_of
from arena.text.printable import command_line


@click.group()
def command() -> None:
    """Run a season: teams hand in bots for weeks, and climb a ladder.

    A season consists of a file, season.toml, and a folder beside it, season/, with the journal, the bots and the
    replays. SEASON is the file, the folder that contains the file, or the folder with the journal; by default
    season.toml in the current folder.
    """


def _file_of(context: click.Context, parameter: click.Parameter, path: Path) -> Path:
    del context, parameter
    if path.is_dir() and not (path / SEASON_FILE).exists() and (path / "journal.db").is_file():
        path = path.resolve().with_suffix(".toml")  # the folder with the results
    path = path / SEASON_FILE if path.is_dir() else path
    refuse_other_file(path, "season")
    return path


SEASON_FILE = "season.toml"
SEASON = click.argument("season", type=click.Path(path_type=Path), default=Path(SEASON_FILE), callback=_file_of)


@command.command(short_help="Write a commented season.toml.")
@click.argument("game")
@click.option(
    "--file", "path", type=click.Path(path_type=Path), default=Path("season.toml"), show_default=True,
    help="The path of the new file.",
)  # fmt: skip
@needs_tournament("A season")
def init(game: str, path: Path) -> None:
    """Write a commented season.toml for GAME."""
    from arena.journal.files import disk_errors
    from arena.match.lookup import find_game, refuse_cooperative
    from arena.season.config import template

    refuse_existing(path, "--file")
    spec = find_game(game)
    refuse_cooperative(spec, "A season")
    text = template(spec)
    if not path.parent.is_dir():
        raise ArenaError(f"The folder {path.parent} does not exist.", exit_code=ExitCode.CANNOT_WRITE)
    with disk_errors(path, "Fix the cause, or choose another file with --file."):
        path.write_text(text, encoding="utf-8")
    say(f"Wrote {path}. Read it, then run: {command_line('arena', 'season', 'serve', path)}")


@command.command(short_help="Run the pages, the ladder and the matches.")
@SEASON
@click.option("--host", default="127.0.0.1", show_default=True, help="Listen on this address.")
@click.option("--port", type=click.IntRange(0, 65535), default=8000, show_default=True, help="Serve on this port.")
@click.option(
    "--name", "names", multiple=True, help="Accept requests for this name of the machine, such as arena.example.org."
)
@ENGINE
@ENGINE_OPTIONS
@needs_tournament("A season")
def serve(
    season: Path, host: str, port: int, names: tuple[str, ...], engine: str, engine_options: tuple[str, ...]
) -> None:
    """Run the pages, the ladder and the matches until Ctrl-C.

    The same command continues the season after a stop or a crash. Until an organizer has joined, each start prints an
    invitation for the organizer.
    """
    import signal
    import socket
    from urllib.parse import urlsplit

    from arena.cli.new import all_templates
    from arena.replaying.presentation import renderer_of
    from arena.season.matches import Matches, make_engine
    from arena.season.people import first_organizer
    from arena.season.store import open_season
    from arena.web.contests.app import SeasonPages
    from arena.web.contests.further import further_pages
    from arena.web.server import Server

    elsewhere = chosen_engine(engine, engine_options)
    with open_season(season, isolated=True) as opened:
        played_by = make_engine(opened, elsewhere)
        base = all_templates(opened.game)
        further = further_pages(opened.game, opened.config.name, partial(say, err=True))
        pages = SeasonPages(opened, Matches(opened, played_by), renderer_of(opened.config.game), base, further)
        address = opened.config.address
        known = (socket.gethostname(), *names, *filter(None, [urlsplit(address).hostname]))
        server = Server(pages.application(), port, host, public=True, names=known, forms=True, address=address)
        say(server.url)
        if invitation := first_organizer(opened):
            base_address = opened.config.address or server.url.rstrip("/")
            say(f"Invitation for the organizer: {base_address}/join?token={invitation}")
        signal.signal(signal.SIGTERM, signal.default_int_handler)  # systemd stops the server with SIGTERM
        server.run()


@command.command(short_help="Invite a person.")
@click.argument("team")
@SEASON
@click.option("--person", default="", help="Name the person; if not given, they choose their name.")
@click.option("--organizer", is_flag=True, help="Invite an organizer. TEAM is then the name of the person.")
@needs_tournament("A season")
def invite(team: str, season: Path, person: str, organizer: bool) -> None:
    """Invite a person to TEAM while the server is stopped, and print the token.

    While the server runs, use its page "Organizer's desk" instead. The person's link is ADDRESS/join?token=TOKEN.
    """
    from arena.season import people
    from arena.season.store import open_season

    with open_season(season) as opened:
        arguments = ("", team, "organizer") if organizer else (team, person, "member")
        say(people.invite(opened, *arguments, by="arena season invite"))


@command.command(short_help="Invite all people of a CSV file.")
@click.argument("file", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@SEASON
@needs_tournament("A season")
def teams(file: Path, season: Path) -> None:
    """Invite all people of FILE, a CSV file, while the server is stopped.

    The first line of FILE names the columns: team, member and, if needed, role. A role is organizer, member or
    spectator. Without a role, a person with a team is a member, and a person without a team is a spectator. If a line
    is wrong, nobody is invited.

    Print a line for each person: team, name and token. The person's link is ADDRESS/join?token=TOKEN.
    """
    from arena.season import people
    from arena.season.store import open_season

    try:
        text = text_of(read_limited(file, MIB))
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise ArenaError(f"{file} cannot be read: {reason}.", exit_code=ExitCode.BAD_LEAGUE) from None
    except ValueError as error:
        raise ArenaError(f"{file} cannot be read: it is {error}.", exit_code=ExitCode.BAD_LEAGUE) from None
    with open_season(season) as opened:
        for invited in people.invite_all(opened, text, "arena season teams"):
            say("\t".join(invited))


@command.command(short_help="Write a backup of the whole season.")
@click.argument("target", type=click.Path(path_type=Path))
@SEASON
@needs_tournament("A season")
def backup(target: Path, season: Path) -> None:
    """Write a backup of the season to TARGET, a new .tar file. The server can run meanwhile."""
    from arena.season.backup import back_up

    say(f"Wrote {target}: {back_up(season, target)} files.")


@command.command(short_help="Restore a season from a backup.")
@click.argument("source", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.argument("target", type=click.Path(path_type=Path))
@needs_tournament("A season")
def restore(source: Path, target: Path) -> None:
    """Restore the season of the backup SOURCE into TARGET, a new folder."""
    from arena.season.backup import restore as restore_all

    path = restore_all(source, target)
    say(f"Restored {path}. Run: {command_line('arena', 'season', 'serve', path)}")


@command.command(short_help="Check that nobody has changed a result.")
@SEASON
@RULES
@SINCE
@AS_JSON
@needs_tournament("A season")
def verify(season: Path, rules: bool, head: str, as_json: bool) -> int:
    """Check that the journal is consistent, and that the replays and the stored copies of the bots agree with it.

    The server can run meanwhile. The tournaments of finals are checked too. The command prints the head of the journal:
    the number and the hash of its last entry. With --head, a later check finds changes of these entries.
    """
    from arena.matches.folders import folder_of
    from arena.season.recovery import verify as check
    from arena.tournament.run.verify import verify as check_tournament

    folder = folder_of(season)
    found = check(folder, rules=rules, head=head, report=reporter(as_json=as_json))
    for finals in _finals(folder):
        of_finals = check_tournament(finals, rules=rules, report=reporter(as_json=as_json))
        found.problems += of_finals.problems
        found.results += of_finals.results
        found.replays += of_finals.replays
        found.versions += of_finals.versions
        if of_finals.problems and not as_json:
            config = finals.with_suffix(".toml")
            say(f"To restore these finals, run: {command_line('arena', 'tournament', 'rebuild', config)}")
    return print_findings(found, "season", as_json=as_json)


@command.command(short_help="Restore a damaged journal.")
@SEASON
@needs_tournament("A season")
def rebuild(season: Path) -> None:
    """Rebuild the journal from its remains, its backups, and the replays, while the server is stopped.

    The command keeps the old files in a new folder beside the journal, such as damaged-1. If the command was stopped,
    run it again. It names everything that is lost. Teams, people and versions are in the journal and its backups only.
    """
    from arena.matches.folders import folder_of
    from arena.season.recovery import rebuild as restore

    folder = folder_of(season)
    done = restore(folder)
    say(f"The last entry that could be read is number {done.last}.")
    for finals in _finals(folder):
        say(f"To restore finals, run: {command_line('arena', 'tournament', 'rebuild', finals.with_suffix('.toml'))}")
    print_rebuilt(done, "The teams can hand in lost versions again. Acts that are lost have no effect: repeat them.")


@command.command(short_help="List the matches that were played.")
@SEASON
@FORM
@JSON_FORM
@click.option("--team", help="List only matches of this team or built-in bot.")
@ENDING
@LAST
@needs_tournament("A season")
def matches(season: Path, form: str, team: str | None, ending: str | None, last: int | None) -> None:
    """List all matches that were played, also those that are held back. The server can run meanwhile."""
    from arena.matches.folders import folder_of
    from arena.season.config import read_season
    from arena.season.data import read_data

    data = read_data(read_season(season)[0], folder_of(season), everything=True)
    names = [*data.state.teams, *(name for name, _ in data.state.anchors)]
    print_matches([(one.spec, one.outcome) for one in data.results], names, form, team, ending, last)


@command.command(short_help="Write pages and tables of the results.")
@SEASON
@click.option("--out", type=click.Path(path_type=Path), help="Write into this folder; if not given, NAME-results.")
@click.option("--everything", is_flag=True, help="Include results that are held back, challenges and first matches.")
@DATA
@needs_tournament("A season")
def export(season: Path, out: Path | None, everything: bool, data: Path | None) -> None:
    """Write pages of the ladder and its matches, and all tables for programs as CSV and JSON.

    They contain what everybody may see, unless --everything is given. The server can run meanwhile. Finals are
    tournaments: `arena tournament export` exports them.
    """
    from arena.journal.files import disk_errors
    from arena.matches.data import write_database
    from arena.matches.folders import folder_of
    from arena.season.config import read_season
    from arena.season.data import read_data, season_tables
    from arena.web.contests.export import export as write_all

    if data is not None and out is not None:
        raise click.UsageError("--data writes only the tables, into its own FILE. Leave out --out.")
    found = read_data(read_season(season)[0], folder_of(season), everything=everything)
    target = out or season.with_name(f"{season.stem}-results")
    with disk_errors(data or target, "Choose another place, or fix the cause."):
        if data is not None:
            write_database(season_tables(found), data)
            say(f"Wrote {data}.")
            return
        files = write_all(found, target)
    say(f"Wrote {files[0]} and {len(files) - 1} more files.")


def _finals(folder: Path) -> list[Path]:
    """Return the folders of the tournaments of finals that have begun."""
    return sorted(path.with_suffix("") for path in folder.glob("finals-*/league.toml") if path.with_suffix("").is_dir())
