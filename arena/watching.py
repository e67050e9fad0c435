"""Bringing replays and the renderers of their games together."""

from __future__ import annotations

import contextlib
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from arena.errors import ArenaError
from arena.lookup import find_game
from arena.verify import rebuild
from arena_replays import Reader, expand
from arena_replays.serve import Server, check_port


def renderer_for(header: dict[str, Any]) -> str | None:
    """Return the source of the renderer of a replay's game; None for the default one."""
    try:
        game = find_game(str(header.get("game", "")))
    except ArenaError:
        return None  # the default renderer draws what it can
    return None if game.viewer is None else game.viewer.read_text(encoding="utf-8")


def legs_for(header: dict[str, Any]) -> int:
    """Return how many legs a match of a replay's game has; 1 where the game is not installed."""
    try:
        return find_game(str(header.get("game", ""))).legs
    except ArenaError:
        return 1


@contextlib.contextmanager
def watchable(paths: Sequence[Path]) -> Iterator[list[Path]]:
    """Yield replays that have views: stripped ones are expanded into temporary copies.

    Raises:
        ReplayError: A file is no replay.
        ArenaError: A stripped replay's game is not installed.
    """
    with tempfile.TemporaryDirectory(prefix="arena-view-") as folder:
        yield [_with_views(path, Path(folder), number) for number, path in enumerate(paths)]


def _with_views(path: Path, folder: Path, number: int) -> Path:
    if not Reader(path).header.get("stripped"):
        return path
    (folder / str(number)).mkdir()
    copy = folder / str(number) / path.name
    expand(path, copy, rebuild)
    return copy


class LivePage:
    """Serves the page of a match that is still being played, from a thread of its own.

    Args:
        path: The replay that the referee writes.
        port: 0 for any that is free.
        announce: Called once with the address, as soon as there is something to see.

    Raises:
        CannotWrite: The port is taken.
    """

    def __init__(self, path: Path, port: int, announce: Callable[[str], None]) -> None:
        check_port(port)
        self._path = path
        self._port = port
        self._announce = announce
        self._before = _written(path)
        self._stopped = threading.Event()
        self._server: Server | None = None
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def _serve(self) -> None:
        while not self._stopped.is_set() and _written(self._path) == self._before:
            time.sleep(0.01)  # the referee has not begun to write
        if self._stopped.is_set():
            return
        with Server([self._path], self._port, renderer_for, live=True) as server:
            self._server = server
            self._announce(server.url)
            server.serve_forever(poll_interval=0.1)

    def wait(self) -> None:
        """Serve until the user interrupts."""
        with contextlib.suppress(KeyboardInterrupt):
            while self._thread.is_alive():
                self._thread.join(0.2)

    def stop(self) -> None:
        """Stop serving."""
        self._stopped.set()
        if self._server is not None:
            self._server.shutdown()
        self._thread.join(5)


def _written(path: Path) -> tuple[int, int] | None:
    """Tell one version of a file from another; None while there is none."""
    try:
        status = path.stat()
    except OSError:
        return None
    return (status.st_ino, status.st_mtime_ns)
