"""How a bot's process ended, as a value and in words.

It imports nothing of processes: a match in memory says the same of its bots, also in a browser, where there are none.
"""

from __future__ import annotations

import os
import signal
from dataclasses import dataclass

SIGNAL_OFFSET = 128
"""A sandbox exits, like a shell, with this number plus that of the signal that ended the bot."""


@dataclass(frozen=True, slots=True)
class Exit:
    """The end of a bot's process, and how to say it in words.

    Attributes:
        signal: The name of that signal, such as `SIGSEGV`; empty without a signal.
        survives: Whether the bot's first process still runs long after it was killed.
        from_outside: Whether it is certain that another program, neither Arena nor the bot, killed the process.
    """

    code: int | None
    signal: str = ""
    out_of_memory: bool = False
    survives: bool = False
    from_outside: bool = False

    @property
    def reason(self) -> str:
        """How the process ended, in a few words such as `exit code 1` or `killed by SIGSEGV`."""
        if self.survives:
            return "killed, but some of its processes still run"
        if self.out_of_memory:
            return "out of memory"
        if self.from_outside:
            return "another program killed its sandbox"
        return f"killed by {self.signal}" if self.signal else f"exit code {self.code}"


def decode_wait_status(status: int, *, relayed: bool) -> Exit:
    """Return the `Exit` that a wait status describes.

    Args:
        relayed: Whether the process is a monitor, which exits with 128 + the signal's number if a signal ended the bot.
    """
    if os.WIFSIGNALED(status):
        return Exit(None, signal_name(os.WTERMSIG(status)))
    code = os.WEXITSTATUS(status)
    if relayed and SIGNAL_OFFSET < code < SIGNAL_OFFSET + signal.NSIG:
        return Exit(None, signal_name(code - SIGNAL_OFFSET))
    return Exit(code)


LAST_WORDS_OF_THE_STARVED = ("MemoryError", "std::bad_alloc", "JavaScript heap out of memory", "OutOfMemoryError")


def complains_of_memory(stderr: str) -> bool:
    """Return whether the last line of a failed program's error output reports that it ran out of memory.

    The kernel does not report that a process has reached its own memory limit, such as `RLIMIT_AS`. A bot that prints
    such a line falsely changes only the reason for its loss.
    """
    last = stderr.rstrip().rpartition("\n")[2]
    return any(words in last for words in LAST_WORDS_OF_THE_STARVED)


def signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
