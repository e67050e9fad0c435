"""The arguments and options of ``arena play``, as one value: no other command has as many.

Options that other commands have too are in `options`; what their texts mean is in `settings`.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import click
from click.types import IntParamType

from arena.cli.options import AS_JSON, CLOCK, IN_MEMORY, OPTIONS, POSITIONS, Choice
from arena.match.isolation import KEYS
from arena.match.job import REPLAY
from arena.play.seats.ticket import LISTEN


class _Seed(IntParamType):
    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        return value if value == REPLAY else super().convert(value, param, ctx)


@dataclass(frozen=True, slots=True)
class PlayOptions:
    """What the user has chosen. `arena.cli.options.takes` makes the command line from these fields, in this order."""

    game: Annotated[str, click.argument("game")]
    bots: Annotated[tuple[str, ...], click.argument("bots", nargs=-1, required=True)]
    seed: Annotated[
        int | str | None,
        click.option(
            "--seed",
            type=_Seed(),
            metavar="INTEGER|replay",
            help="Use this seed, to repeat a match; random if not given. With --from REPLAY@TURN, `replay` repeats the "
            "dice that the replay has after this position.",
        ),
    ]
    options: Annotated[tuple[str, ...], OPTIONS]
    map_reference: Annotated[
        str | None, click.option("--map", "map_reference", metavar="NAME|FILE", help="Play on this map.")
    ]
    reference: Annotated[
        str | None, click.option("--from", "reference", metavar="POSITION", help=f"Start from a position: {POSITIONS}.")
    ]
    count: Annotated[
        int,
        click.option(
            "--games",
            "count",
            type=click.IntRange(1),
            default=1,
            show_default=True,
            help="Play this many matches. With --swap, this is the number of seeds.",
        ),
    ]
    swap: Annotated[
        bool | None,
        click.option(
            "--swap/--no-swap",
            default=None,
            help="Play several matches with each seed, so that each bot has each seat once. In a game with unequal "
            "sides this is the default: the two matches are the legs of one.",
        ),
    ]
    clock: Annotated[str | None, CLOCK]
    settings_file: Annotated[
        Path | None,
        click.option(
            "--settings",
            "settings_file",
            metavar="FILE",
            type=click.Path(path_type=Path),
            help="Take what this TOML file sets in [options], [clock], [policy] and [limits], as in contest.toml, "
            "in [human_clock] for people, and in [remote]. Options of the command line win.",
        ),
    ]
    bot_options: Annotated[
        tuple[str, ...],
        click.option(
            "--bot-option",
            "bot_options",
            multiple=True,
            metavar="[SEAT:]NAME=VALUE",
            help="Pass this setting to all bots, or only to the bot on SEAT (0 is the first).",
        ),
    ]
    replay: Annotated[
        str | None,
        click.option(
            "--replay", metavar="FILE|none", help="Write the replay here; in the folder replays/ if not given."
        ),
    ]
    log: Annotated[
        bool, click.option("--log", is_flag=True, help="Show the last lines that the bots printed and logged.")
    ]
    view: Annotated[bool, click.option("--view", is_flag=True, help="Show the replay in the browser afterwards.")]
    live: Annotated[
        bool, click.option("--live", is_flag=True, help="Follow the match in the browser while it is played.")
    ]
    port: Annotated[
        int,
        click.option(
            "--port",
            type=click.IntRange(0, 65535),
            default=0,
            help="Serve pages on this port; a free one if not given.",
        ),
    ]
    host: Annotated[
        str,
        click.option(
            "--host", default="127.0.0.1", show_default=True, help="Serve the pages for human players at this address."
        ),
    ]
    no_browser: Annotated[bool, click.option("--no-browser", is_flag=True, help="Only print the addresses of pages.")]
    sandbox: Annotated[
        str,
        click.option(
            "--sandbox",
            type=Choice(["auto", *KEYS]),
            default="auto",
            show_default=True,
            help="Run bots in the strongest sandbox that works here (auto), in none, or only if this level works here.",
        ),
    ]
    in_memory: Annotated[bool, IN_MEMORY]
    debug: Annotated[
        bool,
        click.option(
            "--debug",
            is_flag=True,
            help="Run bots in this terminal without sandbox and clock, so that breakpoint() works. Bots in C and C++ "
            "are built with sanitizers, which name the line of a crash.",
        ),
    ]
    listen: Annotated[
        str | None,
        click.option(
            "--listen",
            metavar="[ADDRESS]",
            is_flag=False,
            flag_value="",
            help=f"Wait for the bots of `remote` seats at this address; without ADDRESS, at "
            f"that of [remote] in the settings, or at {LISTEN}.",
        ),
    ]
    as_json: Annotated[bool, AS_JSON]
