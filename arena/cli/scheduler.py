"""``arena scheduler``: connect an organizer with the workers of a tournament."""

from __future__ import annotations

from pathlib import Path

import click

from arena.cli.extras import need_extra
from arena.cli.options import KEYS
from arena.cli.output import say, say_lines


@click.command()
@click.option(
    "--host", metavar="ADDRESS", default="127.0.0.1", show_default=True, help="Listen on this address of this machine."
)
@click.option("--port", type=click.IntRange(0, 65535), default=8786, show_default=True, help="Listen on this port.")
@KEYS
def command(host: str, port: int, keys: Path | None) -> None:
    """Connect the organizer of a tournament with the workers that play its matches.

    Start `arena worker` on every machine that plays, and `arena tournament run --engine dask --scheduler ADDRESS` on
    the organizer's machine. This command is Dask's scheduler. Unlike `dask scheduler`, it runs no code that a worker
    has sent.
    """
    import asyncio

    need_extra("dask", "Playing on many machines")
    from arena.matches.engines.dask_keys import WARNING
    from arena.matches.engines.dask_scheduler import serve_cluster

    if keys is None:
        say_lines(WARNING, err=True)
    asyncio.run(serve_cluster(host, port, keys, lambda address: say(f"Scheduler at {address}. Ctrl-C stops it.")))
