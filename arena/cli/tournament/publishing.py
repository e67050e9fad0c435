"""``arena tournament export``, ``serve`` and ``tokens``: publish results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import nullcontext, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from arena.cli.options import AS_JSON, DATA
from arena.cli.output import print_json, say
from arena.cli.tournament.common import LEAGUE, read_snapshot
from arena.replaying.presentation import renderer_of

if TYPE_CHECKING:
    from arena.contests.report.export import ReplayPages
    from arena.tournament.run.organizer import Snapshot
    from arena_replays.page import Common


@click.command(short_help="Write a page and tables of the results.")
@LEAGUE
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    help="Write into this folder; if not given, NAME-results, or NAME-results-with-logs with --logs.",
)
@click.option("--replays/--no-replays", default=True, help="Write a page for each match.")
@click.option("--logs", is_flag=True, help="Include the bots' logs, drawings and output. Do not publish such a page.")
@DATA
def export(league: Path, out: Path | None, replays: bool, logs: bool, data: Path | None) -> None:
    """Write pages of the tournament, and all tables for programs as CSV and JSON.

    The pages and tables can be published: they contain no logs of the bots unless --logs is given.
    """
    from arena.journal.files import disk_errors, private_files
    from arena.matches.folders import folder_of
    from arena.contests.report.export import export as write_all
    from arena.contests.report.export import export_data

    if data is not None and (out is not None or logs or not replays):
        raise click.UsageError("--data writes only the tables. Leave out --out, --logs and --no-replays.")
    snapshot = read_snapshot(league)
    if data is not None:
        with disk_errors(data, "Choose another file, or fix the cause."):
            export_data(snapshot, data)
        say(f"Wrote {data}.")
        return
    target = out or league.with_name(f"{league.stem}-results" + ("-with-logs" if logs else ""))

    def warn(message: str) -> None:
        say(f"Warning: {message}", err=True)

    pages = _replay_pages(folder_of(league), snapshot, logs=logs) if replays else None
    hint = "Choose another folder with --out, or fix the cause."
    with private_files() if logs else nullcontext(), disk_errors(target, hint):
        files = write_all(snapshot, folder_of(league), target, pages, warn, private=logs)
    say(f"Wrote {files[0]} and {len(files) - 1} more files.")


def _replay_pages(folder: Path, snapshot: Snapshot, *, logs: bool) -> ReplayPages:
    """Return how replays become pages. Existing pages are kept, and only get their new place among the others."""
    from arena.contests.report.export import ReplayPages
    from arena.web.public_replays import public_bytes
    from arena.web.stills import last_still
    from arena_replays.export import export_sharing, move_page

    renderer, common = renderer_of(snapshot.tournament.config.game), _common(folder, snapshot)

    def write(legs: Sequence[Path], page: Path, place: Mapping[str, Any]) -> None:
        if page.exists():
            move_page(page, place)
            return
        found = [leg.read_bytes() if logs else public_bytes(leg, over=True) for leg in legs]
        export_sharing(found, page, renderer, common, place)

    return ReplayPages(write, last_still, renderer, "matches-with-logs" if logs else "matches")


def _common(folder: Path, snapshot: Snapshot) -> Common | None:
    """Return the parts that the pages of all matches share, from the first readable replay; None without a replay."""
    from arena.web.public_replays import public_bytes
    from arena_replays import ReplayError
    from arena_replays.page import Common

    for _, result in snapshot.schedule.matches():
        with suppress(OSError, ReplayError):
            return Common(public_bytes(folder / result.replay, over=True))
    return None


@click.command(short_help="Serve a live page of the tournament.")
@LEAGUE
@click.option(
    "--host", default="127.0.0.1", show_default=True, help="Listen on this address; 0.0.0.0 means all addresses."
)
@click.option("--port", type=click.IntRange(0, 65535), default=8000, show_default=True, help="Serve on this port.")
@click.option(
    "--name", "names", multiple=True, help="Accept requests for this name of the machine, such as arena.example.org."
)
def serve(league: Path, host: str, port: int, names: tuple[str, ...]) -> None:
    """Serve the live page: standings, brackets, running matches, replays, bots. It is read-only.

    The server accepts requests for IP addresses, localhost, the name of this machine, and each --name.

    The server can start before the tournament, and keeps running when the tournament stops and starts again. Add
    ?screen to the address for a big screen.
    """
    import socket

    from arena.journal.store import has_traces
    from arena.matches.folders import folder_of
    from arena.tournament.plan.config_reader import read_config_file
    from arena.web.server import Server
    from arena.web.contests.tournament_app import TournamentPages

    folder = folder_of(league)
    config = read_snapshot(league).tournament.config if has_traces(folder) else read_config_file(league)
    pages = TournamentPages(folder, renderer_of(config.game), config.name)
    server = Server(pages.application(), port, host, public=True, names=(socket.gethostname(), *names))
    say(server.url)
    server.run()


@click.command(short_help="Make tokens for the owners of the bots.")
@LEAGUE
@click.option("--renew", metavar="NAME", multiple=True, help="Replace the token of this bot; the old one is refused.")
@click.option("--revoke", metavar="NAME", multiple=True, help="Refuse the token of this bot, without a new one.")
@AS_JSON
def tokens(league: Path, renew: tuple[str, ...], revoke: tuple[str, ...], as_json: bool) -> None:
    """Make tokens for the owners of bots, and print them. A token shows the logs of one bot on the live page.

    Each token is printed only once, because only its hash is stored.
    """
    from arena.matches.folders import folder_of
    from arena.web.tournament.tokens import new_tokens

    names = read_snapshot(league).tournament.names
    fresh = new_tokens(folder_of(league), names, renew, revoke)
    if as_json:
        print_json(fresh)
    for name, token in fresh.items() if not as_json else ():
        say(f"{name}\t{token}")
    if left := [name for name in names if name not in fresh and name not in revoke]:
        say(f"{len(left)} bots have a token already. Replace one with --renew NAME.", err=True)
