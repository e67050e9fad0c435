"""The errors of this package. Each has a message, a hint, and an exit code for the command line."""

from __future__ import annotations


class ReplayError(Exception):
    """The base class of this package's errors.

    Attributes:
        message: What is wrong.
        hint: What to do about it, or an empty string.
        exit_code: The exit code of a command that fails with this error.
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
    """The file is not a replay, or cannot be read at all."""


class UnknownVersion(ReplayError):  # noqa: N818
    """The file was written by a newer version of the format."""

    exit_code = 10


class DamagedReplay(ReplayError):  # noqa: N818
    """A requested part is cut off, altered or invalid."""

    exit_code = 11


class CannotWrite(ReplayError):  # noqa: N818
    """A replay, page, picture or film cannot be written."""

    exit_code = 6


class NoBrowser(ReplayError):  # noqa: N818
    """Pictures and films need Chromium, which is not installed or does not work."""

    exit_code = 12
