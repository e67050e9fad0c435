"""Run Dask workers for matches on this machine: one process for each slot, each on its own core."""

import asyncio
import contextlib
import logging
import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

from arena.contests.engines import physical_cores
from arena.errors import ArenaError
from arena.match.lookup import installed_games
from arena_cluster.keys import check_address, host_for, no_scheduler, security_of
from arena_cluster.playing import CPU_VARIABLE, programs_of

_PATIENCE = "20s"
"""Time limit for the first answer of the scheduler, which is perhaps still starting."""


def cores_for(slots: int) -> list[int]:
    """Return one core for each slot.

    For 0 slots, return all cores but one, and at least one. The organizer and the system use the remaining core.
    """
    cores = physical_cores()
    slots = slots or max(1, len(cores) - 1)
    if slots > len(cores):
        raise ArenaError(f"This machine has {len(cores)} cores: {slots} matches at once would slow each other down.")
    return cores[-slots:]


async def serve_matches(
    scheduler: str, slots: int, started: Callable[[int], None], *, host: str = "", keys: Path | None = None
) -> None:
    """Run workers for a scheduler until Ctrl-C or SIGTERM.

    Each slot has its own process. If the process dies, another process (Dask's `Nanny`) starts it again.

    Args:
        host: The address to listen on; if empty, this machine's address in the scheduler's network.
        keys: The folder with the keys of the cluster; None for a cluster without keys.
    """
    from distributed import Nanny

    cores = cores_for(slots)
    logging.getLogger("distributed").setLevel(logging.WARNING)
    check_address(scheduler)
    security = security_of(keys, scheduler)
    host = host or host_for(scheduler)
    await _try_to_connect(scheduler, security)
    resources = {programs_of(game): 1 for game in installed_games()}
    async with contextlib.AsyncExitStack() as stack:
        for core in cores:
            nanny = Nanny(
                scheduler,
                nthreads=1,
                resources=resources,
                memory_limit=0,
                env={CPU_VARIABLE: str(core), "DASK_LOGGING__DISTRIBUTED": "warning"},
                dashboard=False,
                dashboard_address=f"[{host}]:0" if ":" in host else f"{host}:0",  # Dask always starts a dashboard
                host=host,
                security=security,
                name=f"{os.uname().nodename}-{os.getpid()}-{core}",
            )
            await stack.enter_async_context(nanny)
        started(len(cores))
        await until_stopped()


async def _try_to_connect(scheduler: str, security: Any) -> None:
    """Check that the scheduler answers. Without this check, Dask would print long tracebacks."""
    from distributed import Client

    make_client: Any = Client
    try:
        async with make_client(
            scheduler, asynchronous=True, timeout=_PATIENCE, set_as_default=False, security=security
        ):
            pass
    except OSError as error:
        raise no_scheduler(scheduler) from error


async def until_stopped() -> None:
    """Wait for Ctrl-C, or for SIGTERM, which batch systems send to stop a job."""
    stopped = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stopped.set)
    await stopped.wait()
