"""``arena game``: check the rules of a game."""

from __future__ import annotations

import signal
import sys

import click

from arena.cli.extras import Extensible
from arena.cli.options import AS_JSON, OPTIONS, SECONDS
from arena.cli.output import Progress, print_json, say_lines
from arena.cli.settings import game_options
from arena.errors import ExitCode
from arena.match.lookup import find_game


@click.group(cls=Extensible, further_group="arena.commands.game")
def command() -> None:
    """Check the rules of a game, and how it plays."""


@command.command()
@click.argument("name")
@click.option(
    "--games",
    type=click.IntRange(min=1),
    help="Play this many random games. The default is 12, or more if 12 games are too few for all rulesets, "
    "maps and numbers of players.",
)
@click.option("--seed", default="0", show_default=True, help="Use this seed, to repeat a check.")
@OPTIONS
@click.option(
    "--limit",
    default=20_000,
    show_default=True,
    type=click.IntRange(min=1),
    help="Stop a game after this many actions.",
)
@SECONDS
@AS_JSON
def check(
    name: str,
    games: int | None,
    seed: str,
    options: tuple[str, ...],
    limit: int,
    seconds: float,
    as_json: bool,
) -> None:
    """Check the rules of the game NAME with random play.

    The command plays random games with the default options, with each ruleset and map, and with the fewest and the most
    players. With --option, it plays all games with these options. It examines positions of the games, and
    reports every broken rule of the contract. It also tries the detectors of mistakes. If no rule is broken and the
    game estimates who will win, the command also compares the estimates with matches of a built-in bot.

    If the time is too short for all games, the report lists what was not checked. Ctrl-C and SIGTERM end the check with
    such a report, too.

    The exit code is 0 if nothing is reported, 1 if a rule is broken, and 130 after Ctrl-C or SIGTERM.
    """
    from arena.testing import MATCHES, inspect_game

    game = find_game(name)
    chosen = game_options(game, options, None)
    progress = Progress()
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    report = inspect_game(
        game,
        games=games,
        options=[chosen] if chosen else (),
        seed=seed,
        limit=limit,
        seconds=seconds,
        matches=MATCHES,
        progress=progress,
    )
    progress.clear()
    if as_json:
        print_json(report.to_document())
    else:
        say_lines(str(report), fg=None if report.good else "red")
    if report.is_stopped:
        sys.exit(ExitCode.INTERRUPTED)
    sys.exit(ExitCode.OK if report.good else ExitCode.DIFFERENCE)
