"""Handle Ctrl-C while matches are played: interrupt the running match and start no other."""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Iterator
from types import FrameType
from typing import Any

from arena.referee.match_process import MatchProcess


class Stopping:
    """A context in which the first Ctrl-C sets `asked` and interrupts the match.

    A second one raises KeyboardInterrupt.
    """

    def __init__(self) -> None:
        self.asked = False
        self._process: MatchProcess | None = None
        self._before: Any = signal.SIG_DFL

    @contextlib.contextmanager
    def ends(self, process: MatchProcess) -> Iterator[None]:
        """Let Ctrl-C interrupt a match process in this context. Interrupt it at once if `asked` is set already."""
        self._process = process
        if self.asked:
            process.interrupt()
        try:
            yield
        finally:
            self._process = None

    def __enter__(self) -> Stopping:
        self._before = signal.signal(signal.SIGINT, self._stop)
        return self

    def __exit__(self, *exception: object) -> None:
        signal.signal(signal.SIGINT, self._before)

    def _stop(self, number: int, frame: FrameType | None) -> None:
        del number, frame
        if self.asked:
            raise KeyboardInterrupt
        self.asked = True
        if self._process is not None:
            self._process.interrupt()
