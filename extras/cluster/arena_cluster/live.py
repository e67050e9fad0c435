"""Send the replays of running matches to the organizer, for its live page. What is lost is not sent again."""

import contextlib
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

_TOPIC = "arena-replays"
_EVERY = 0.25
_MOST = 1 << 20
"""Limit of bytes sent at once, so that large output of a bot does not block the scheduler."""
_MOST_OF_REPLAY = 256 << 20
"""Limit of the bytes that are kept of a running match, so that a worker does not fill the disk."""


@contextlib.contextmanager
def forwarded(match_id: str, replay: Path) -> Iterator[None]:
    from distributed import get_worker

    over, worker = threading.Event(), get_worker()
    thread = threading.Thread(target=_forward, args=(worker, match_id, replay, over), daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def _forward(worker: Any, match_id: str, replay: Path, over: threading.Event) -> None:
    sent = 0
    while not over.wait(_EVERY):
        with contextlib.suppress(OSError), replay.open("rb") as file:
            file.seek(sent)
            if data := file.read(_MOST):
                worker.log_event(_TOPIC, [match_id, sent, data])
                sent += len(data)


def receive(client: Any, lock: threading.Lock, place_of: Callable[[str], Path | None]) -> None:
    """Write what workers send to the path of their match; nothing if the match has no path, since it does not run."""

    def take(event: tuple[float, Any]) -> None:
        match event[1]:
            case [str(match_id), int(offset), bytes(data)] if offset + len(data) <= _MOST_OF_REPLAY:
                # Only what continues the file is written. Offset 0 starts it anew: the match is played again.
                with lock, contextlib.suppress(OSError):
                    if (path := place_of(match_id)) and (offset == 0 or path.stat().st_size == offset):
                        path.parent.mkdir(parents=True, exist_ok=True)
                        with path.open("ab" if offset else "wb") as file:
                            file.write(data)

    client.subscribe_topic(_TOPIC, take)
