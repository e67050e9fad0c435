"""The command ``arena``: one module per command, loaded only when its command runs."""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys
from typing import Any

import click

from arena.cli.output import complain
from arena.interpreter import python
from arena_player.version import __version__

COMMANDS = {
    "bench": ("arena.cli.bench", "Measure this machine against the floors of its own sockets and processes."),
    "compare": ("arena.cli.compare", "Play two bots against each other until it is known which is stronger."),
    "conform": ("arena.cli.conform", "Check the rules of a game against recorded games."),
    "doctor": ("arena.cli.doctor", "Say how well bots are locked in on this machine, and what to mend."),
    "game": ("arena.cli.game", "For authors of games: check the rules with random play."),
    "games": ("arena.cli.games", "List the installed games with their bots, options and maps."),
    "map": ("arena.cli.map", "Make, check, show and edit maps."),
    "new": ("arena.cli.new", "Write a new bot that can play at once."),
    "new-game": ("arena.cli.new_game", "Write a new game: rules, a bot, a renderer and tests."),
    "play": ("arena.cli.play", "Play a match between bots."),
    "replay": ("arena.cli.replay", "Look into replays, verify them, strip and export them."),
    "sdk": ("arena.cli.sdk", "Write the typed Python module of a game for bots."),
    "tournament": ("arena.cli.tournament", "Run brackets, leagues and ladders of bots."),
    "view": ("arena.cli.view", "Watch replays in the browser."),
    "worker": ("arena.cli.worker", "Offer this machine to a tournament that runs on many."),
}


RUNS_MATCHES = ("bench", "compare", "play", "tournament", "worker")
"""Commands that start over in a scope of their own, where that is how an ordinary user gets control groups."""


class _Lazy(click.Group):
    """Knows the commands by name, and imports only the one that is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """List all commands that are there."""
        del ctx
        return sorted(name for name, (module, _) in COMMANDS.items() if importlib.util.find_spec(module))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import one command."""
        del ctx
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = importlib.import_module(COMMANDS[cmd_name][0]).command
        return command

    def resolve_command(self, ctx: click.Context, args: list[str]) -> tuple[Any, Any, list[str]]:
        """Find the command; for a misspelt one, name the nearest."""
        import difflib

        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            near = difflib.get_close_matches(args[0], COMMANDS, 1)
            tail = f"; did you mean `arena {near[0]}`?" if near else "; `arena --help` lists the commands."
            raise click.UsageError(f"there is no command {args[0]}{tail}")
        return super().resolve_command(ctx, args)

    def main(self, *args: Any, **settings: Any) -> Any:
        """Run the command line and exit.

        Mistakes of the user end in a message and an exit code. Everything else is a fault of Arena: its traceback is
        shown, and the exit code is 70.
        """
        try:
            sys.exit(super().main(*args, **settings | {"standalone_mode": False}) or 0)
        except click.exceptions.Exit as done:
            sys.exit(done.exit_code)
        except click.Abort:
            click.echo("Interrupted.", err=True)
            sys.exit(130)
        except click.ClickException as error:
            error.show()
            sys.exit(error.exit_code)
        except BrokenPipeError:
            sys.stderr.close()
            sys.exit(141)
        except Exception as error:
            sys.exit(complain(error))

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands without importing any."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, COMMANDS[name][1]) for name in self.list_commands(ctx)])


@click.command(cls=_Lazy, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="arena")
def cli() -> None:
    """Competitions between programs that play games.

    Make a bot with `arena new`, play it with `arena play`, watch the replay with `arena view`.
    """


def main() -> None:
    """Run the command line, for an ordinary user in a control group scope of its own."""
    if sys.argv[1:2] and sys.argv[1] in RUNS_MATCHES and os.name == "posix" and os.geteuid() != 0:
        from arena.bots.sandbox.cgroups import enter_scope

        enter_scope(python("-m", "arena", *sys.argv[1:]))
    cli.main()
