"""How a bot's process ended, in words."""

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
        out_of_memory: Whether it went past its memory, as far as that is known.
        survives: Whether a part of it has not ended long after it was killed.
    """

    code: int | None
    signal: str = ""
    out_of_memory: bool = False
    survives: bool = False

    @property
    def reason(self) -> str:
        """The end in a few words, such as `exit code 1` or `killed by SIGSEGV`."""
        if self.survives:
            return "killed, but a part of it still runs"
        if self.out_of_memory:
            return "out of memory"
        return f"killed by {self.signal}" if self.signal else f"exit code {self.code}"


def decode_wait_status(status: int, *, relayed: bool, out_of_memory: bool = False) -> Exit:
    """Return the end that a wait status stands for.

    Args:
        status: From wait(2).
        relayed: Whether the process is a monitor that exits with 128 + the signal that ended the bot.
        out_of_memory: What the cgroup says.
    """
    if os.WIFSIGNALED(status):
        return Exit(None, signal_name(os.WTERMSIG(status)), out_of_memory)
    code = os.WEXITSTATUS(status)
    if relayed and SIGNAL_OFFSET < code < SIGNAL_OFFSET + signal.NSIG:
        return Exit(None, signal_name(code - SIGNAL_OFFSET), out_of_memory)
    return Exit(code, "", out_of_memory)


LAST_WORDS_OF_THE_STARVED = ("MemoryError", "std::bad_alloc", "JavaScript heap out of memory", "OutOfMemoryError")


def complains_of_memory(stderr: str) -> bool:
    """Whether a program that ended badly says that it got no more memory.

    For levels without a control group. A bot that prints this without need only gives its defeat another name.
    """
    last = stderr.rstrip().rpartition("\n")[2]
    return any(words in last for words in LAST_WORDS_OF_THE_STARVED)


def signal_name(number: int) -> str:
    """`SIGSEGV` for 11."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
