"""``arena game report``: how a game plays."""

from __future__ import annotations

import signal
import sys
from importlib.resources import files
from pathlib import Path

import click

from arena.cli.extending import (
    AS_JSON,
    MAPS,
    OPTIONS,
    SECONDS,
    Progress,
    game_options,
    print_json,
    say,
    write_text,
)
from arena.errors import ArenaError, ExitCode
from arena.match.lookup import find_game, options_for

EPILOG = """\b
Examples:
  arena game report saloon
  arena game report derelict --games 40 --html derelict.html
  arena game report snakes --players 2 --playouts 64

Exit codes: 0 reported; 1 no game ended; 3 no such game; 4 an option or a map is wrong; 5 no such bot;
6 the page cannot be written; 130 stopped by Ctrl-C or SIGTERM.
"""


@click.command(epilog=EPILOG, short_help="Report how a game plays, from games of its bots.")
@click.argument("name")
@click.option(
    "--games",
    type=click.IntRange(2),
    default=20,
    show_default=True,
    help="Play so many games with each bot against itself, and with each doubling of the search's budget.",
)
@click.option(
    "--playouts", type=click.IntRange(1), default=16, show_default=True, help="The playouts of the search for a turn."
)
@click.option("--players", type=click.IntRange(1), default=None, help="The number of players.")
@click.option("--bot", "bots", multiple=True, metavar="NAME", help="Let only these bots play, slow ones too.")
@click.option("--seed", default="0", show_default=True, help="Use this seed, to repeat a report.")
@SECONDS
@OPTIONS
@MAPS
@click.option("--html", type=click.Path(path_type=Path), help="Write the report as a page with plots, too.")
@AS_JSON
def command(
    name: str,
    games: int,
    playouts: int,
    players: int | None,
    bots: tuple[str, ...],
    seed: str,
    seconds: float,
    options: tuple[str, ...],
    maps: tuple[str, ...],
    html: Path | None,
    as_json: bool,
) -> None:
    """Report how the game NAME plays, from games of its bots and of the search.

    Each bot plays against itself, so that differences come from the seats, the maps and the dice: advantage of each
    seat, length, changes of the lead, number of legal actions, the share of the results that dice decide, and actions
    and classes that nobody ever uses. Then the search plays against itself with half the budget: how much more
    thinking helps. If the time is enough for all games, the same seed gives the same report. Else the report lists what
    is missing. Ctrl-C and SIGTERM end the games, and the report is about those that were played.
    """
    from arena_learn.report.making import Wanted, make
    from arena_learn.report.text import lines

    game = find_game(name)
    given = game_options(game, options, None)
    for map_name in maps:
        game_options(game, (), map_name)
    if players is not None and "players" not in {option.name for option in game.options} and players != game.players:
        raise ArenaError(f"{game.name} is for {game.describe_players()}, not {players}.", exit_code=ExitCode.BAD_OPTION)
    wanted = Wanted(game, given, maps, bots, players or 0, games, playouts, seed, seconds=seconds)
    options_for(game, given, wanted.seats)
    progress = Progress()
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    report = make(wanted, progress)
    progress.clear()
    if html is not None:
        from arena.pages.render import render_source_alone

        source = files("arena_learn.report").joinpath("page.html").read_text(encoding="utf-8")
        write_text(html, render_source_alone(source, title=f"{game.title}: how it plays", report=report))
    if as_json:
        print_json(report)
    else:
        for line in lines(report):
            say(line)
        if html is not None:
            say()
            say(f"The page: {html}")
    if report["stopped"]:
        sys.exit(ExitCode.INTERRUPTED)
