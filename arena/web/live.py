"""Show a match while it is being played."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable
from pathlib import Path

from arena.web.public_replays import is_withheld
from arena.web.server import Server
from arena.web.viewing import Viewing


class LivePage:
    """Serves the page of a running match of this process, from its own thread.

    Args:
        announce: Called once with the address, when the page has something to show: at the first turn, or at the end
            of a match that nobody may see before (see `public_replays`).
    """

    def __init__(
        self, path: Path, port: int, announce: Callable[[str], None], say: Callable[[str], None] = lambda _message: None
    ) -> None:
        self._path = path
        self._say = say
        self._announce = announce
        self._viewing = Viewing(live=True)
        self._server = Server(self._viewing.application(), port)
        self._before = _version(path)
        self._stopped, self._over = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._await_replay, daemon=True)
        self._thread.start()
        self._server.start()

    def _await_replay(self) -> None:
        while not self._stopped.is_set() and _version(self._path) == self._before:
            time.sleep(0.01)  # wait until the referee starts to write
        if not self._stopped.is_set() and is_withheld(self._path):
            self._say("This match can be watched when it is over: a player must not see what the game hides.")
            self._over.wait()
        if not self._stopped.is_set():
            self._announce(self._server.url + self._viewing.add(self._path))

    def wait(self) -> None:
        """Serve until the user presses Ctrl-C. Call this when the match is over."""
        self._over.set()
        with contextlib.suppress(KeyboardInterrupt):
            while not self._stopped.wait(0.2):
                pass

    def stop(self) -> None:
        self._stopped.set()
        self._over.set()
        self._thread.join(5)
        self._server.stop()


def _version(path: Path) -> tuple[int, int] | None:
    """Return the inode and the time of the last change of a file, or None if there is no file."""
    try:
        status = path.stat()
    except OSError:
        return None
    return (status.st_ino, status.st_mtime_ns)
