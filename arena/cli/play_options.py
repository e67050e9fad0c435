"""The arguments and options of ``arena play`` and ``arena host``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import click

from arena.cli.options import AS_JSON, CLOCK, ISOLATION, OPTIONS, SANDBOX, Choice, FiniteRange
from arena.cli.settings import POSITIONS
from arena.match.policy import Penalty


@dataclass(frozen=True, slots=True)
class PlayOptions:
    """What the user has chosen. `arena.cli.options.takes` makes the command line from these fields, in this order."""

    game: Annotated[str, click.argument("game")]
    bots: Annotated[tuple[str, ...], click.argument("bots", nargs=-1, required=True)]
    seed: Annotated[
        int | None, click.option("--seed", type=int, help="Use this seed, to repeat a match; random if not given.")
    ]
    options: Annotated[tuple[str, ...], OPTIONS]
    map_reference: Annotated[
        str | None, click.option("--map", "map_reference", metavar="NAME|FILE", help="Play on this map.")
    ]
    reference: Annotated[
        str | None, click.option("--from", "reference", metavar="POSITION", help=f"Start from a position: {POSITIONS}.")
    ]
    same_dice: Annotated[
        bool,
        click.option(
            "--same-dice",
            is_flag=True,
            help="With --from REPLAY@TURN: repeat the dice that the replay has after this position.",
        ),
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
        bool,
        click.option(
            "--swap", is_flag=True, help="Play several matches with each seed, so that each bot has each seat once."
        ),
    ]
    legs: Annotated[
        int | None,
        click.option(
            "--legs",
            type=click.IntRange(1, 2),
            help="Play this many legs for each match, in a game with unequal sides.",
        ),
    ]
    clock: Annotated[str | None, CLOCK]
    limits: Annotated[
        tuple[str, ...],
        click.option(
            "--limit", "limits", multiple=True, metavar="NAME=SIZE", help="Change a limit: memory=2GiB, processes=100."
        ),
    ]
    settings: Annotated[
        tuple[str, ...],
        click.option(
            "--bot-option",
            "settings",
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
    sandbox: Annotated[str, SANDBOX]
    level: Annotated[int, ISOLATION]
    timeout_policy: Annotated[
        Penalty,
        click.option(
            "--timeout-policy",
            type=Choice(["forfeit", "skip", "strike"]),
            default="forfeit",
            show_default=True,
            help="Choose the penalty for a time-out: loss of the match, loss of the turn, or one of three strikes.",
        ),
    ]
    ponder: Annotated[
        bool,
        click.option(
            "--ponder", is_flag=True, help="Let bots use the processor in the opponent's turn. Only for trusted bots."
        ),
    ]
    no_timeout: Annotated[
        bool,
        click.option("--no-timeout", is_flag=True, help="Play without time limits, except for the start of a bot."),
    ]
    debug: Annotated[
        bool,
        click.option(
            "--debug",
            is_flag=True,
            help="Run bots in this terminal without sandbox and clock, so that breakpoint() works. Bots in C and C++ "
            "are built with sanitizers, which name the line of a crash.",
        ),
    ]
    human_clock: Annotated[
        str | None,
        click.option(
            "--human-clock",
            metavar="NAME=SECONDS,...",
            help="Give human players a clock too. The form is that of --clock.",
        ),
    ]
    listen: Annotated[
        str | None,
        click.option(
            "--listen", metavar="ADDRESS", help="Accept remote bots at this address, such as tcp://0.0.0.0:5555."
        ),
    ]
    address: Annotated[
        str,
        click.option(
            "--address",
            default="",
            metavar="HOST",
            help="Write this host name of the machine into the tickets for remote bots.",
        ),
    ]
    resume: Annotated[
        float,
        click.option(
            "--resume",
            type=FiniteRange(1, 3600),
            default=30.0,
            show_default=True,
            help="Let a remote bot resume a lost connection within this many seconds. Its clock runs on.",
        ),
    ]
    cpu: Annotated[int | None, click.option("--cpu", type=click.IntRange(0), help="Pin the match to this processor.")]
    as_json: Annotated[bool, AS_JSON]
