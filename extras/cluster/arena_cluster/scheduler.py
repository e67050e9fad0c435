"""Run the scheduler of a cluster in this process. It runs no code that another machine has sent."""

import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from arena.errors import ArenaError, ExitCode
from arena_cluster.keys import security_of
from arena_cluster.pickles import guard_scheduler
from arena_cluster.worker import until_stopped

# The requests and messages that workers and organizers need. Others write files, run functions or stop the scheduler.
_REQUESTS: Final = frozenset(
    {
        "connection_stream", "gather", "heartbeat_worker", "identity", "log_event", "register-client",
        "register-worker", "register_nanny", "retire_workers", "unregister", "who_has",
    }
)  # fmt: skip
_MESSAGES: Final = frozenset(
    {
        "add-keys", "cancel-keys", "client-desires-keys", "client-releases-keys", "close-client", "heartbeat-client",
        "keep-alive", "log-event", "long-running", "release-worker-data", "report-key", "request-refresh-who-has",
        "reschedule", "steal-response", "subscribe-topic", "task-erred", "task-finished", "unsubscribe-topic",
        "update-graph", "worker-status-change",
    }
)  # fmt: skip


async def serve_cluster(host: str, port: int, keys: Path | None, started: Callable[[str], None]) -> None:
    """Run a scheduler until Ctrl-C or SIGTERM."""
    import dask
    from distributed import Scheduler

    protocol = "tls" if keys else "tcp"
    security = security_of(keys, f"{protocol}://")
    logging.getLogger("distributed").setLevel(logging.WARNING)
    dask.config.set({"distributed.scheduler.http.routes": []})
    guard_scheduler()
    make: Any = Scheduler
    try:
        scheduler = make(
            host=host,
            port=port,
            protocol=f"{protocol}://",
            security=security,
            dashboard=False,
            dashboard_address="127.0.0.1:0",  # Dask always starts a dashboard; this one has no pages
        )
        for name in scheduler.handlers.keys() - _REQUESTS:
            del scheduler.handlers[name]
        for name in scheduler.stream_handlers.keys() - _MESSAGES:
            del scheduler.stream_handlers[name]
        await scheduler
    except (RuntimeError, OSError, ValueError) as error:
        raise ArenaError(
            f"A scheduler cannot listen on {host}, port {port}: {error.__cause__ or error}.",
            hint="Choose another address with --host, or another port with --port.",
            exit_code=ExitCode.CANNOT_WRITE,
        ) from error
    try:
        started(scheduler.address)
        await until_stopped()
    finally:
        await scheduler.close()
