"""Send the replays of running matches from workers to the organizer, while the matches go on.

Only the live page needs this data, for its boards. If data is lost, the page does not update the board any more. The
whole replay comes with the result of the match.
"""

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
    """Send the growing replay of this worker's running match to the organizer until the context ends."""
    from distributed import get_worker

    try:
        worker: Any = get_worker()
    except ValueError:
        # This code does not run on a worker, so there is no organizer to send to.
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
    """The organizer's copies of the replays of matches that run on workers."""

    def __init__(self, path_of: Callable[[str], Path]) -> None:
        self._path_of = path_of
        self._lock = threading.Lock()
        self._running: set[str] = set()

    def listen(self, client: Any) -> None:
        client.subscribe_topic(_TOPIC, self._take)

    def begin(self, match_id: str) -> None:
        with self._lock:
            self._running.add(match_id)

    def end(self, match_id: str) -> Path:
        """Stop accepting the replay of a finished match. Late data is ignored.

        Returns:
            The path of the received data. The file need not exist.
        """
        with self._lock:
            self._running.discard(match_id)
        return self._path_of(match_id)

    def _take(self, event: tuple[float, Any]) -> None:
        match event[1]:
            case [str(match_id), int(offset), bytes(data)] if offset + len(data) <= _MOST_OF_REPLAY:
                self._keep(match_id, offset, data)

    def _keep(self, match_id: str, offset: int, data: bytes) -> None:
        # Ignore a full disk here: it is reported when the result is written.
        with self._lock, contextlib.suppress(OSError):
            if match_id not in self._running:
                return
            path = self._path_of(match_id)
            path.parent.mkdir(parents=True, exist_ok=True)
            # Accept only bytes that continue the file. Offset 0 starts a new replay: the match is played again.
            if offset == 0 or (path.exists() and path.stat().st_size == offset):
                with path.open("ab" if offset else "wb") as file:
                    file.write(data)
