"""``arena task``: games as tasks for coding agents."""

from __future__ import annotations

from pathlib import Path

import click

from arena.cli.extending import say
from arena.text.printable import command_line

EPILOG = """\b
Examples:
  arena task export snakes --against builtin:forager -o snakes-forager
  arena task export saloon --against builtin:pianist --against my_bot -o task
  harbor run -p snakes-forager -a oracle   # plays the strongest built-in bot

Exit codes: 0 written; 2 all players of GAME play together; 3 no such game; 5 bad opponent; 6 the folder cannot be
written; 19 a wheel is missing.
"""


@click.group()
def command() -> None:
    """Make tasks for coding agents of games, in the format of Harbor (Terminal-Bench 2)."""


@command.command(epilog=EPILOG, short_help="Write a task for coding agents.")
@click.argument("game")
@click.option(
    "--against",
    multiple=True,
    required=True,
    metavar="BOT",
    help="Play against this bot: a built-in one, or one in Python, which is copied. Can be given several times.",
)
@click.option(
    "-o", "--out", "folder", metavar="FOLDER", required=True, type=click.Path(path_type=Path), help="The new folder."
)
@click.option(
    "--wheels",
    metavar="FOLDER",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="Copy Arena's wheels from this folder into the task. If not given, the containers install this version of "
    "Arena from the package index.",
)
def export(game: str, against: tuple[str, ...], folder: Path, wheels: Path | None) -> None:
    """Write a task: an agent writes a bot for GAME, and its reward is the bot's mean score against each BOT.

    The bot is graded in a container of its own, with a seed that is drawn then.
    """
    from arena.match.lookup import find_game
    from arena_agents.harbor.export import export_task

    spec = find_game(game)
    export_task(spec, against, folder, wheels)
    say(f"{folder} holds a task for {spec.title}. Try its solution, in Docker:")
    say()
    say(f"  {command_line('harbor', 'run', '-p', folder, '-a', 'oracle')}")
