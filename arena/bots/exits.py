"""The end of a bot's process, in words."""

from __future__ import annotations

import os
import signal
from dataclasses import dataclass

SIGNAL_OFFSET = 128


@dataclass(frozen=True, slots=True)
class Exit:
    """The end of a bot's process.

    Attributes:
        code: Its exit code; None when a signal ended it.
        signal: The signal's name such as `SIGSEGV`; empty otherwise.
        out_of_memory: Whether it exceeded its memory, as far as is known.
        survives: Whether a part of it still runs long after it was killed.
        from_outside: Whether it was certainly killed by a program that is neither Arena nor the bot.
    """

    code: int | None
    signal: str = ""
    out_of_memory: bool = False
    survives: bool = False
    from_outside: bool = False

    @property
    def reason(self) -> str:
        """The end in a few words, such as `exit code 1` or `killed by SIGSEGV`."""
        if self.survives:
            return "killed, but a part of it still runs"
        if self.out_of_memory:
            return "out of memory"
        if self.from_outside:
            return "its sandbox was killed from outside"
        return f"killed by {self.signal}" if self.signal else f"exit code {self.code}"


def decode_wait_status(status: int, *, relayed: bool) -> Exit:
    """Return the end for a wait status.

    Args:
        status: From wait(2).
        relayed: Whether the process is a monitor that exits with 128 + the signal that ended the bot.
    """
    if os.WIFSIGNALED(status):
        return Exit(None, signal_name(os.WTERMSIG(status)))
    code = os.WEXITSTATUS(status)
    if relayed and SIGNAL_OFFSET < code < SIGNAL_OFFSET + signal.NSIG:
        return Exit(None, signal_name(code - SIGNAL_OFFSET))
    return Exit(code)


LAST_WORDS_OF_THE_STARVED = ("MemoryError", "std::bad_alloc", "JavaScript heap out of memory", "OutOfMemoryError")


def complains_of_memory(stderr: str) -> bool:
    """Return whether the output of a failed program says that it got no more memory.

    For levels without a control group. A bot that prints this falsely only gives its loss another name.
    """
    last = stderr.rstrip().rpartition("\n")[2]
    return any(words in last for words in LAST_WORDS_OF_THE_STARVED)


def signal_name(number: int) -> str:
    """Return the name of a signal: `SIGSEGV` for 11."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
