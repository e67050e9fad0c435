"""What a user reads when something is wrong: one sentence, a hint, an exit code."""

from enum import IntEnum


class ExitCode(IntEnum):
    """The exit codes of the command ``arena``."""

    OK = 0
    DIFFERENCE = 1
    USAGE = 2
    UNKNOWN_GAME = 3
    BAD_OPTION = 4
    BAD_BOT = 5
    CANNOT_WRITE = 6
    NO_ISOLATION = 7
    NO_START = 8
    NOT_A_REPLAY = 9
    UNKNOWN_VERSION = 10
    DAMAGED_REPLAY = 11
    NO_BROWSER = 12
    BAD_TRACE = 13
    BAD_LEAGUE = 14
    BUSY = 15
    STUCK = 16
    NO_SCHEDULER = 17
    CHANGED = 18
    NOT_INSTALLED = 19
    FAULT = 70
    INTERRUPTED = 130


class ArenaError(Exception):
    """A mistake that is the user's to mend, or a condition of his machine.

    The command line prints the sentence and the hint and exits with the code; it never prints a traceback
    for one of these.

    Args:
        sentence: What is wrong and where, in one sentence.
        hint: What to do about it; empty where nothing can be said.
        exit_code: The exit code of the command; docs/exit-codes.md lists them.
    """

    exit_code = 2

    def __init__(self, sentence: str, *, hint: str = "", exit_code: int | None = None) -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.hint = hint
        if exit_code is not None:
            self.exit_code = exit_code
