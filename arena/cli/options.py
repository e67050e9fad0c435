"""The options that several commands have, so that an option has the same name and help everywhere.

Here they are only declared. `settings` says what their texts mean.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from math import isfinite
from typing import Any, get_type_hints

import click

from arena.bots.system.surroundings import RUNS_PROGRAMS


class FiniteRange(click.FloatRange):
    """A number within a range. Unlike `click.FloatRange`, it refuses NaN and infinity."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        number: float = super().convert(value, param, ctx)
        if not isfinite(number):
            self.fail(f"{value} is not a finite number.", param, ctx)
        return number


class Choice(click.Choice[str]):
    """One of several words. The message about another word names the most similar one."""

    def get_invalid_choice_message(self, value: Any, ctx: click.Context | None) -> str:
        from arena.game.validation import nearest

        near = nearest(str(value), self.choices)
        return super().get_invalid_choice_message(value, ctx) + (f" Did you mean {near}?" if near else "")


def takes(values: type[Any]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Give a command the arguments and options of a dataclass. The command gets one value of this class.

    Each field of the class is `Annotated` with the decorator that click has for it.
    """

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(function)
        def command(**chosen: Any) -> Any:
            return function(values(**chosen))

        for hint in reversed(get_type_hints(values, include_extras=True).values()):
            (declared,) = hint.__metadata__
            command = declared(command)
        return command

    return decorate


POSITIONS = "REPLAY@TURN, REPLAY@TURN.ACTION, or a JSON file with a state"
"""How users name a position, for the help of options."""
OPTIONS = click.option(
    "-o", "--option", "options", multiple=True, metavar="NAME=VALUE", help="Set an option of the game."
)
"""``--option NAME=VALUE``, as ``options``. `game_options` reads them."""
MAPS = click.option(
    "--map", "maps", multiple=True, metavar="NAME", help="Play on this map; several maps are played in turn."
)
"""``--map NAME``, as ``maps``."""
CLOCK = click.option(
    "--clock",
    metavar="NAME=SECONDS,...|none",
    help="Change the clock: startup, bank, increment, turn, grace, turn_wall. bank, turn and turn_wall can be none. "
    "--clock none plays without time limits, except for the start of a bot.",
)
SANDBOX = click.option(
    "--sandbox",
    type=Choice(["auto", "none"]),
    default="auto",
    show_default=True,
    help="Run the bot in the strongest sandbox that works here, or in none.",
)
IN_MEMORY = click.option(
    "--in-memory",
    is_flag=True,
    default=not RUNS_PROGRAMS,
    help="Play your own bots in Python in memory: without isolation and processor clock, and about twice as fast. On "
    "Windows, matches are always played so.",
)
"""``--in-memory``, as ``in_memory``."""
AT_ONCE = click.option(
    "--at-once",
    type=click.IntRange(0),
    default=0,
    help="Play this many matches at once. If not given: one per core.",
)
AS_JSON = click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
"""``--json``, as ``as_json``."""
FORM = click.option(
    "--format",
    "form",
    type=Choice(["table", "json", "csv"]),
    default="table",
    show_default=True,
    help="Choose the output format.",
)
JSON_FORM = click.option("--json", "form", flag_value="json", help="Print the result as JSON.")
"""For a command that has `FORM`, too: the same as ``--format json``."""
SECONDS = click.option(
    "--seconds",
    default=60.0,
    show_default=True,
    type=click.FloatRange(min=0, min_open=True),
    help="Take about so many seconds. The report says what there was no time for.",
)
"""``--seconds``, as ``seconds``, of a command that plays games for as long as it may."""
LOCAL_PORT = click.option(
    "--port", type=click.IntRange(0, 65535), default=0, help="Serve on this port; a free one if not given."
)
"""``--port``, as ``port``, of a server for this machine."""
NO_BROWSER = click.option("--no-browser", is_flag=True, help="Only print the address.")
"""``--no-browser``, as ``no_browser``."""
ENGINE = click.option(
    "--engine",
    metavar="NAME",
    default="local",
    show_default=True,
    help="Play with this engine. The engine local plays on this machine.",
)
ENGINE_OPTIONS = click.option(
    "--engine-option", "engine_options", multiple=True, metavar="NAME=VALUE", help="Set an option of the engine."
)
