"""``arena bot``: check and build bots."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path

import click

from arena.cli.options import AS_JSON, OPTIONS
from arena.cli.output import print_json, say, say_quoting, say_status, warn_of_hidden_files
from arena.cli.settings import game_options
from arena.errors import ArenaError, ExitCode
from arena.match.lookup import find_game


@click.group()
def command() -> None:
    """Check and build bots."""


@command.command()
@click.argument("bot")
@click.option("--game", "name", help="Check BOT in this game. The default is the game that its bot.toml names.")
@OPTIONS
@AS_JSON
def check(bot: str, name: str | None, options: tuple[str, ...], as_json: bool) -> None:
    """Check that BOT, in any language, follows the protocol.

    BOT plays matches against random players, in a sandbox if this machine supports one. In most matches the referee
    does something unusual that the protocol allows, such as refusing an action or ending the match early. The exit code
    is 0 if the bot passes in all matches, else 1.
    """
    from arena.bots.bot import load_bot
    from arena.bots.build import built
    from arena.study.checks.client import check_client

    loaded = load_bot(bot, find_game(name) if name else None)
    loaded = built(loaded, partial(say_quoting, err=True))
    warn_of_hidden_files([loaded])
    name = name or loaded.game
    if not name:
        raise ArenaError(
            f"{loaded.name} does not say for which game it is.", hint="Name it: arena bot check BOT --game GAME."
        )
    game = find_game(name)
    resolved = game.resolve_options(game_options(game, options, None))
    shows_status = sys.stderr.isatty() and not as_json
    report = check_client(loaded, game, resolved, progress=say_status if shows_status else None)
    if shows_status:
        say_status()
    if as_json:
        print_json(report.to_document())
    else:
        problems: set[str] = set()
        for line in report.lines:
            again = ": as above" if line.problem in problems else ""
            say(f"{'ok    ' if line.passed else 'FAILED'}  {line.name}{again}", fg=None if line.passed else "red")
            if not (line.passed or again):
                say(f"        {line.problem}")
                say(f"        after the referee sent {line.last_sent}")
                problems.add(line.problem)
        say(
            f"Ready after {report.startup:.2f} s; {report.turns} turns of {report.turn * 1000:.1f} ms on average, "
            f"{report.worst_turn * 1000:.1f} ms at most."
        )
    sys.exit(ExitCode.OK if report.passed else ExitCode.DIFFERENCE)


@command.command(short_help="Build BOT with the command of its bot.toml.")
@click.argument("bot", type=click.Path(path_type=Path))
@AS_JSON
def build(bot: Path, as_json: bool) -> None:
    """Build BOT, a folder or an archive, with the command of its bot.toml.

    The command runs in the sandbox. Matches use the result until the sources, the compilers or the
    installed libraries change.

    Exit codes: 0 the bot is built or needs no build; 5 bad bot; 7 this machine cannot isolate the build; 22 the build
    failed.
    """
    from arena.bots.bot import load_bot
    from arena.bots.build import built

    loaded = load_bot(bot)
    program = built(loaded, partial(say_quoting, err=True), again=True)
    output = () if loaded.build is None else loaded.build.output
    if as_json:
        print_json({"bot": loaded.name, "folder": str(program.folder), "output": list(output)})
    elif loaded.build is None:
        say(f"{loaded.name} needs no build: its bot.toml has no [build].")
    else:
        say(f"{loaded.name} is built: {', '.join(output)} in {program.folder}.")
