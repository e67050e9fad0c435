"""``arena games``: list the installed games."""

from __future__ import annotations

import shutil
from typing import Any

import click

from arena.bots.builtin import bots_for_all_games
from arena.cli.extras import install_command
from arena.cli.options import AS_JSON
from arena.cli.output import print_json, print_table, say
from arena.errors import ArenaError
from arena.game import GameSpec
from arena.match.lookup import about, find_game, installed_games
from arena.text.terminal import wrapped

WIDEST = 100


def describe(game: GameSpec) -> dict[str, Any]:
    """Return the document of a game for ``arena games --json``. It lists the bots weakest first."""
    return {
        "name": game.name,
        "title": game.title,
        "version": game.version,
        "players": game.players,
        "bots": [bot.name for bot in game.bots],
        "options": [option.to_document() for option in game.options],
        "rulesets": list(game.rulesets),
        "maps": list(game.maps),
        "legs": game.legs,
    }


@click.command()
@click.argument("name", required=False)
@AS_JSON
def command(name: str | None, as_json: bool) -> None:
    """List the installed games. With NAME, show one game with its options, bots and maps."""
    games = [find_game(name)] if name else installed_games(_warn)
    if as_json:
        documents = [describe(game) for game in games]
        print_json(documents[0] if name else documents)
    elif name:
        _show(games[0])
    elif games:
        rows = [["name", "title", "version", "built-in bots, weakest first"]]
        rows += [[game.name, game.title, game.version, ", ".join(bot.name for bot in game.bots)] for game in games]
        print_table(rows)
    else:
        say(f"No game is installed. Try `{install_command('arena-saloon')}`.")


def _warn(error: ArenaError) -> None:
    say(f"Warning: {error.message}", err=True)


def _show(game: GameSpec) -> None:
    """Show what matters first: what the game is, how to begin, whom to beat. Everything fits the terminal."""
    width = min(shutil.get_terminal_size().columns, WIDEST)
    say(f"{game.title} {game.version}", bold=True)
    text = about(game)
    for line in wrapped(f"{text}.", width) if text else ():
        say(line)
    say(game.describe_players() + (f", {game.legs} legs a match" if game.legs > 1 else ""))
    say()
    say(f"Rules:    arena rules {game.name}")
    opponents = " ".join([f"builtin:{game.bots[0].name}" if game.bots else "my_bot"] * (game.player_counts[0] - 1))
    say(f"Begin:    arena new {game.name} my_bot")
    say(f"          arena play {game.name} my_bot {opponents}")
    if game.bots:
        say()
        say("Built-in bots, weakest first:")
        print_table([[f"builtin:{bot.name}", bot.doc] for bot in game.bots], head=False, width=width)
    further = bots_for_all_games()
    if further:
        say()
        say("Built-in bots for every game:")
        print_table([[f"builtin:{bot.name}", bot.doc] for bot in further], head=False, width=width)
    if game.maps:
        say()
        for line in wrapped(f"Maps (--map NAME): {', '.join(game.maps)}", width):
            say(line)
    if game.options:
        say()
        say("Options (--option NAME=VALUE), with their defaults:")
        rows = [[option.name, _short(option.default), f"{option.doc} ({option.describe()})"] for option in game.options]
        print_table(rows, head=False, width=width)


def _short(value: Any) -> str:
    if value is None:
        return "-"
    return ",".join(f"{part:g}" for part in value) if isinstance(value, tuple) else str(value).lower()
