"""``arena worker``: play matches of a tournament that runs on another machine."""

from __future__ import annotations

from pathlib import Path

import click

from arena.cli.extras import need_extra
from arena.cli.options import KEYS, FiniteRange
from arena.cli.output import say, say_lines


@click.command()
@click.option(
    "--scheduler", metavar="ADDRESS", required=True, help="Connect to this Dask scheduler, such as tls://host:8786."
)
@click.option(
    "--slots", type=click.IntRange(0), default=0, help="Play this many matches at once; all cores but one if not given."
)
@click.option(
    "--speed",
    type=FiniteRange(0, min_open=True),
    help="Set the speed of this machine in millions of operations per second; measured if not given.",
)
@click.option(
    "--host",
    metavar="ADDRESS",
    default="",
    help="Listen on this address. The default is this machine's address in the scheduler's network.",
)
@KEYS
@click.option("--cache", type=click.Path(path_type=Path), help="Store the bots of the tournament in this folder.")
def command(scheduler: str, slots: int, speed: float | None, host: str, keys: Path | None, cache: Path | None) -> None:
    """Play matches of a tournament that runs on another machine.

    Start `arena scheduler` on one machine, `arena worker` on every machine that plays, and
    `arena tournament run --engine dask --scheduler ADDRESS` on the organizer's machine.

    The bots have more time on a machine that is slower than the organizer's, and less time on a faster machine. Without
    --keys, anyone who reaches a port of the scheduler or of a worker can run programs there.
    """
    import asyncio

    need_extra("dask", "Playing on many machines")
    from arena.matches.engines.dask_keys import WARNING
    from arena.matches.engines.dask_worker import serve_matches

    def announce(slots: int) -> None:
        say(f"Working for {scheduler}, {slots} matches at once. Ctrl-C stops it.")

    if keys is None:
        say_lines(WARNING, err=True)
    asyncio.run(serve_matches(scheduler, slots, cache, speed, announce, host=host, keys=keys))
