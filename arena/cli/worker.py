"""``arena worker``: this machine plays matches of a tournament that runs elsewhere."""

from __future__ import annotations

from pathlib import Path

import click

from arena.cli.extras import need_extra


@click.command()
@click.option("--scheduler", metavar="ADDRESS", required=True, help="Of the Dask scheduler, such as tcp://host:8786.")
@click.option("--slots", type=click.IntRange(0), default=0, help="Matches at once; without it, all cores but one.")
@click.option("--speed", type=click.FloatRange(0, min_open=True), help="Million rounds a second; else measured.")
@click.option("--cache", type=click.Path(path_type=Path), help="Where bots are kept.")
def command(scheduler: str, slots: int, speed: float | None, cache: Path | None) -> None:
    """Offer this machine to a tournament.

    Start `dask scheduler` on one machine, this on as many as you like, and on the organizer's
    `arena tournament run --engine dask --scheduler ADDRESS`. A machine that is slower or faster than the organizer's
    plays with longer or shorter clocks. Whoever reaches the scheduler's port can run programs on
    the workers: keep it inside the cluster's own network, or use TLS as Dask's manual describes.
    """
    import asyncio

    need_extra("dask", "Playing on many machines")
    from arena.tournament.run.engines.dask_worker import serve_matches

    def told(slots: int) -> None:
        click.echo(f"Working for {scheduler}, {slots} matches at once. Ctrl-C ends it.")

    asyncio.run(serve_matches(scheduler, slots, cache, speed, told))
