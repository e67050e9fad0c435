"""The command ``arena``: one module per command, loaded only when its command runs.

A command parses what its user has written, lets another room do the work, and prints the result. What can be computed
without a terminal is not here: a report is a value of `contests` or `study`, with `to_document` for `--json`.

What all commands promise:

* Nothing starts before everything that can be wrong has been checked: options, games, bots, files to be written.
* A mistake of the user is an `ArenaError` with an exit code of docs/exit-codes.md and a hint. Anything else that is
  raised is a fault of Arena, printed with its traceback (`_Lazy.main`).
* Everything printed goes through `output.say` and its neighbours. Names, logs and paths come from strangers, and could
  otherwise write to the terminal whatever they want. Results go to standard output, progress and warnings to standard
  error, so that a pipe gets the result only.
* No file that a command reads, or that people edit, is overwritten (`output_files`).
* `arena --help` and a mistyped name import no command: the list below has all that they print. So a command imports
  what is slow inside of its function.

Where to look: `options.py` declares the options of several commands, and `settings.py` says what their texts mean;
`play_options.py` has those of `arena play`. `extras.py` finds commands of other distributions and missing packages, and
`extending.py` is what such a command may use. `people.py` connects people and remote bots with matches. `contest/` has
the commands of a contest, by what they are for.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import click

from arena.cli.extras import commands_of, missing, summary
from arena.cli.output import complain, complain_of_usage, say
from arena.errors import ExitCode

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

COMMANDS = {
    "bot": ("arena.cli.bot", "Check and build bots."),
    "climb": ("arena.cli.climb", "Climb a ladder of built-in bots, and learn what to improve next."),
    "compare": ("arena.cli.compare", "Find out which of two bots is stronger."),
    "conform": ("arena.cli.conform", "Check the rules of a game against recorded games."),
    "contest": ("arena.cli.contest", "Run a contest of bots: a league, a bracket, a ladder, an evening or a term."),
    "doctor": ("arena.cli.doctor", "Check how well this machine isolates bots, and what to fix."),
    "explain": ("arena.cli.explain", "Say what a lost match teaches: mistakes, what each cost, win probability."),
    "game": ("arena.cli.game", "Check the rules of a game, and how it plays."),
    "games": ("arena.cli.games", "List the installed games with their bots, options and maps."),
    "grade": ("arena.cli.grade", "Grade bots by a rubric, for Gradescope or as CSV."),
    "join": ("arena.cli.join", "Let a bot play on a seat of another machine."),
    "map": ("arena.cli.map", "Draw, check and edit maps."),
    "new": ("arena.cli.new", "Write a new bot that can play at once."),
    "new-game": ("arena.cli.new_game", "Write a new game: rules, a bot, a renderer and tests."),
    "play": ("arena.cli.play", "Play a match between bots."),
    "replay": ("arena.cli.replay", "Inspect, verify and export replays."),
    "rerun": ("arena.cli.rerun", "Rerun recorded matches with a bot, and list what it does differently."),
    "rules": ("arena.cli.rules", "Show the rules of a game, in the terminal or with pictures."),
    "sdk": ("arena.cli.sdk", "Write the classes of a game that bots use, in a language of your choice."),
    "submit": ("arena.cli.submit", "Hand in a bot to a contest."),
    "verdict": ("arena.cli.verdict", "Say in a minute whether a bot works, is stronger, and what it did wrong."),
    "view": ("arena.cli.view", "Watch replays in the browser."),
}


GROUP = "arena.commands"
"""The entry points of further commands. Each names a `click.Command`; the list shows its distribution's summary."""


def _further() -> dict[str, EntryPoint]:
    return commands_of(GROUP, tuple(COMMANDS))


class _Lazy(click.Group):
    """A group that lists its commands without importing them, and imports only the one that runs."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        del ctx
        own = (name for name, (module, _) in COMMANDS.items() if importlib.util.find_spec(module))
        return sorted([*own, *_further()])

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        del ctx
        if cmd_name in COMMANDS:
            own: click.Command = importlib.import_module(COMMANDS[cmd_name][0]).command
            return own
        return _further()[cmd_name].load() if cmd_name in _further() else None

    def resolve_command(self, ctx: click.Context, args: list[str]) -> tuple[Any, Any, list[str]]:
        """Find the command, or refuse an unknown name and suggest a similar one."""
        from arena.game.validation import nearest

        if args and args[0] not in COMMANDS and not args[0].startswith("-") and args[0] not in _further():
            near = nearest(args[0], [*COMMANDS, *_further()])
            similar = f"Did you mean `arena {near}`?" if near else "`arena --help` lists the commands."
            hint = missing(GROUP, args[0]) or similar
            raise click.UsageError(f"There is no command {args[0]}. {hint}")
        return super().resolve_command(ctx, args)

    def main(self, *args: Any, **settings: Any) -> Any:
        """Run the command line and exit.

        A mistake of the user, or a full disk, ends with a message and an exit code. An interruption ends with code 130,
        and a closed output pipe with code 141. Any other exception is a fault of Arena: print its traceback and exit
        with code 70.
        """
        try:
            code = self._exit_code(*args, **settings)
        except BrokenPipeError:
            for stream in (sys.stdout, sys.stderr):
                with suppress(BrokenPipeError):
                    stream.close()  # otherwise Python writes the rest when it ends, and exits with another code
            code = ExitCode.CLOSED_OUTPUT
        sys.exit(code)

    def _exit_code(self, *args: Any, **settings: Any) -> int | str:
        stdout = sys.stdout
        try:
            return super().main(*args, **settings | {"standalone_mode": False}) or 0
        except SystemExit as end:
            # After a BrokenPipeError, click replaces the standard streams, and exits with code 1.
            return end.code or 0 if sys.stdout is stdout else ExitCode.CLOSED_OUTPUT
        except click.exceptions.Exit as end:
            return end.exit_code
        except click.Abort:
            say("Interrupted.", err=True)
            return ExitCode.INTERRUPTED
        except click.ClickException as error:
            complain_of_usage(error)
            return error.exit_code
        except BrokenPipeError:
            raise
        except Exception as error:
            return complain(error)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands without importing any."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, _about(name)) for name in self.list_commands(ctx)])


def _about(name: str) -> str:
    """Return a command's line in the list. A command of another distribution is not imported for this."""
    if name in COMMANDS:
        return COMMANDS[name][1]
    return summary(_further()[name])


def _say_version(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    del param
    if value and not ctx.resilient_parsing:
        from arena_player.version import __version__  # with the whole kit, which the list of commands does not need

        say(f"arena, version {__version__}")
        ctx.exit()


@click.command(cls=_Lazy, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_say_version,
    help="Show the version and exit.",
)
def cli() -> None:
    """Run competitions between programs that play games.

    Create a bot with `arena new`, play it with `arena play`, watch the replay with `arena view`.
    """
