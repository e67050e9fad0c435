"""``arena cluster``: the machines of a contest that is played by the engine dask."""

from __future__ import annotations

from pathlib import Path

import click

from arena.cli.extending import say, say_lines
from arena.match.ending import counted
from arena.text.printable import command_line

KEYS = click.option(
    "--keys", metavar="FOLDER", type=click.Path(path_type=Path), help="The folder from `arena cluster keys`."
)


@click.group()
def command() -> None:
    """Play contests on many machines.

    Start `arena cluster scheduler` on one machine, `arena cluster worker` on every machine that plays, and the
    contest on the organizer's machine, with --engine dask --engine-option scheduler=ADDRESS.
    """


@command.command(short_help="Make the keys of a cluster.")
@click.argument("folder", type=click.Path(path_type=Path))
def keys(folder: Path) -> None:
    """Make keys in FOLDER. Only machines with these keys can send work to the workers of the cluster.

    Copy the folder to every machine of the cluster over a secure connection.
    """
    from arena_cluster.keys import make_keys

    certificate, key = make_keys(folder)
    say(f"Wrote {certificate} and {key}. They are valid for a year. Start the scheduler with:")
    say(command_line("arena", "cluster", "scheduler", "--host", "ADDRESS", "--keys", folder))
    say(
        f"Give {command_line('--keys', folder)} to `arena cluster worker`, and "
        f"{command_line('--engine-option', f'keys={folder}')} to `arena contest run` or `arena contest serve`."
    )


@command.command(short_help="Connect the organizer with the workers.")
@click.option(
    "--host", metavar="ADDRESS", default="127.0.0.1", show_default=True, help="Listen on this address of this machine."
)
@click.option("--port", type=click.IntRange(0, 65535), default=8786, show_default=True, help="Listen on this port.")
@KEYS
def scheduler(host: str, port: int, keys: Path | None) -> None:
    """Connect the organizer of a contest with the workers that play its matches.

    This command is Dask's scheduler. Unlike `dask scheduler`, it runs no code that a worker has sent.
    """
    import asyncio

    from arena_cluster.keys import WARNING
    from arena_cluster.scheduler import serve_cluster

    if keys is None:
        say_lines(WARNING, err=True)
    asyncio.run(serve_cluster(host, port, keys, lambda address: say(f"Scheduler at {address}. Ctrl-C stops it.")))


@command.command(short_help="Play matches of another machine's contest.")
@click.option(
    "--scheduler", metavar="ADDRESS", required=True, help="Connect to this Dask scheduler, such as tls://host:8786."
)
@click.option(
    "--slots", type=click.IntRange(0), default=0, help="Play this many matches at once; all cores but one if not given."
)
@click.option(
    "--host",
    metavar="ADDRESS",
    default="",
    help="Listen on this address. The default is this machine's address in the scheduler's network.",
)
@KEYS
def worker(scheduler: str, slots: int, host: str, keys: Path | None) -> None:
    """Play matches of a contest that runs on another machine.

    The clocks are the same on every worker, so machines of one speed are fair. Without --keys, anyone who reaches a
    port of the scheduler or of a worker can run programs on the workers.
    """
    import asyncio

    from arena_cluster.keys import WARNING
    from arena_cluster.worker import serve_matches

    def announce(number: int) -> None:
        say(f"Working for {scheduler}, {counted(number, 'slot')}. Ctrl-C stops it.")

    if keys is None:
        say_lines(WARNING, err=True)
    asyncio.run(serve_matches(scheduler, slots, announce, host=host, keys=keys))
