"""Errors that a user can fix: a message, a hint and an exit code."""

from enum import IntEnum

__all__ = ["ArenaError", "ExitCode"]


class ExitCode(IntEnum):
    """What commands exit with. docs/exit-codes.md says what each code means."""

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
    CHANGED = 18
    NOT_INSTALLED = 19
    DAMAGED_JOURNAL = 20
    NO_BUILD = 22
    BAD_TICKET = 23
    NOT_REACHED = 24
    REFUSED = 25
    NOT_RECORDED = 26
    NOT_POSIX = 27
    FAULT = 70
    INTERRUPTED = 130
    CLOSED_OUTPUT = 141


class ArenaError(Exception):
    """A mistake that the user can fix, or a condition of their machine.

    The command line prints the message and the hint, without a traceback, and exits with the exit code.

    Args:
        message: What is wrong and where. It starts with a capital letter and ends with a period.
        hint: What to do; empty if there is no advice.
        exit_code: The exit code of the command; 2 if None. docs/exit-codes.md lists all exit codes.
    """

    exit_code = 2

    def __init__(self, message: str, *, hint: str = "", exit_code: int | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        if exit_code is not None:
            self.exit_code = exit_code
