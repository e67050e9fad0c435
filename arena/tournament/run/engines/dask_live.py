"""Boards of matches that are being played on workers: their replays travel as they grow.

This is for the live page alone. What counts is the whole replay that comes with the result; anything lost here shows
as a board that stands still.
"""

import contextlib
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

_TOPIC = "arena-replays"
_EVERY = 0.25
_MOST = 1 << 20
"""Bytes sent at once, so that a flood of a bot's output does not clog the scheduler."""


@contextlib.contextmanager
def forwarded(match_id: str, replay: Path) -> Iterator[None]:
    """Meanwhile, what is written to a replay on this worker is sent to the organizer.

    Args:
        match_id: The match.
        replay: Where it is being written.
    """
    from distributed import get_worker

    try:
        worker: Any = get_worker()
    except ValueError:
        # Not on a worker: there are no spectators.
        yield
        return
    over = threading.Event()
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


class LiveReplays:
    """The organizer's copies of replays that are being written elsewhere.

    Args:
        path_of: Where the live page looks for the replay of a running match.
    """

    def __init__(self, path_of: Callable[[str], Path]) -> None:
        self._path_of = path_of
        self._lock = threading.Lock()
        self._running: set[str] = set()

    def listen(self, client: Any) -> None:
        """Begin to take in what workers send."""
        client.subscribe_topic(_TOPIC, self._take)

    def begin(self, match_id: str) -> None:
        """Return a match has been handed out: its replay may come."""
        with self._lock:
            self._running.add(match_id)

    def end(self, match_id: str) -> Path:
        """Return a match is over: what still comes is dropped.

        Returns:
            The path of what has come; there may be nothing.
        """
        with self._lock:
            self._running.discard(match_id)
        return self._path_of(match_id)

    def _take(self, event: tuple[float, Any]) -> None:
        match_id, offset, data = event[1]
        # A full disk is reported where it matters: when the result is written.
        with self._lock, contextlib.suppress(OSError):
            if match_id not in self._running:
                return
            path = self._path_of(match_id)
            path.parent.mkdir(parents=True, exist_ok=True)
            # A match that is played once more, since its worker died, begins anew.
            if offset == 0 or (path.exists() and path.stat().st_size == offset):
                with path.open("ab" if offset else "wb") as file:
                    file.write(data)
