"""Handle SIGINT and SIGTERM while a match is played."""

from __future__ import annotations

import os
import signal
from contextlib import ExitStack
from typing import Any

from arena.referee.poller import Poller


class Interruption:
    """Records SIGINT and SIGTERM, so that the loop can end the match properly. A signal also wakes the poller.

    In a match process, SIGINT is blocked before and after the match, so that a finished match can send its result. A
    SIGINT from before the match arrives with `catch`.

    Attributes:
        reason: A text that names the signal; empty if no signal came.
    """

    def __init__(self) -> None:
        self.reason = ""

    def catch(self, stack: ExitStack, poller: Poller) -> None:
        """Handle the signals until the end of `stack`."""
        read_end, write_end = os.pipe()
        for descriptor in (read_end, write_end):
            os.set_blocking(descriptor, False)
            stack.callback(os.close, descriptor)
        for number in (signal.SIGINT, signal.SIGTERM):
            stack.callback(signal.signal, number, signal.signal(number, self._on_signal))
        stack.callback(signal.set_wakeup_fd, signal.set_wakeup_fd(write_end, warn_on_full_buffer=False))
        poller.add(read_end, lambda _: None, -1)
        before = signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
        stack.callback(signal.pthread_sigmask, signal.SIG_SETMASK, before)

    def _on_signal(self, number: int, _frame: Any) -> None:
        self.reason = f"interrupted by {signal.Signals(number).name}"
