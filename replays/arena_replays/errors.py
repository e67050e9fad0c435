"""Errors of this package: each is one sentence, a hint what to do, and an exit code for the command line."""

from __future__ import annotations


class ReplayError(Exception):
    """Root of everything this package raises on purpose.

    Attributes:
        message: What is wrong, in one sentence.
        hint: What to do about it, or an empty string.
        exit_code: What a command that fails with this error should exit with.
    """

    exit_code = 9

    def __init__(self, message: str, *, hint: str = "", exit_code: int | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        if exit_code is not None:
            self.exit_code = exit_code

    def __str__(self) -> str:
        return self.message


class NotAReplay(ReplayError):  # noqa: N818 - the name says what is wrong
    """The file is something else, or cannot be read at all."""


class UnknownVersion(ReplayError):  # noqa: N818
    """The file was written by a newer version of the format."""

    exit_code = 10


class DamagedReplay(ReplayError):  # noqa: N818
    """A part that was asked for is cut off, altered or makes no sense."""

    exit_code = 11


class CannotWrite(ReplayError):  # noqa: N818
    """The replay cannot be written where it was asked for."""

    exit_code = 6


class NoBrowser(ReplayError):  # noqa: N818
    """Pictures and films need a Chromium, and there is none."""

    exit_code = 12
