"""What the code of players says: log texts, drawings, printed lines, and the traceback of an exception."""

from __future__ import annotations

import contextlib
import io
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from arena.match.limits import Limits
from arena.match.stack import CodePosition, last_stack
from arena.play.referee.outputs import NoteKind, Printed
from arena.play.referee.played import TAIL
from arena.text.printable import printable
from arena_player.errors import BOT_RAISED, PlayerError
from arena_player.runner import print_traceback

HERE = str(Path(__file__).parent)
NOWHERE = contextlib.nullcontext()
KEPT = Limits().output_kept
"""The number of characters of stdout or stderr, from the beginning, that a replay can have."""


class Note(NamedTuple):
    """Something that a player said.

    Attributes:
        player: The player's number.
        turn: The number that the game gives to the player's latest turn; None before the player's first turn.
        kind: ``log`` (`AI.log`), ``draw`` (`AI.draw`), or ``stdout`` and ``stderr`` for printed lines.
        payload: The text; for ``draw`` the list of shapes.
    """

    player: int
    turn: int | None
    kind: NoteKind
    payload: Any


@dataclass(frozen=True, slots=True)
class Failure:
    """An exception of a player's code.

    Attributes:
        error: The exception.
        traceback: What Python prints about it, from the first line of the player's own code on.
        turn: The number that the game gives to the turn in which it was raised; None before the player's first turn.
    """

    error: BaseException
    traceback: str
    turn: int | None = None

    @classmethod
    def of(cls, error: BaseException, turn: int | None = None) -> Failure:
        """Describe any exception of a bot's code, for example one that was raised when its file was loaded."""
        return cls(error, printable(_traceback(error)), turn)

    @property
    def file(self) -> str:
        """The file of the innermost line of the player's own code in the traceback; empty if there is none."""
        return self._position.file if self._position else ""

    @property
    def line(self) -> int:
        """The number of this line, from 1; 0 if there is none."""
        return self._position.line if self._position else 0

    @property
    def exit_code(self) -> int:
        """The exit code of a program that the exception would end."""
        if isinstance(self.error, PlayerError):
            return self.error.exit_code
        if not isinstance(self.error, SystemExit):
            return BOT_RAISED
        code = 0 if self.error.code is None else self.error.code
        return code if isinstance(code, int) else BOT_RAISED

    @property
    def _position(self) -> CodePosition | None:
        stack = last_stack(self.traceback)
        return None if stack is None else stack.position


def _traceback(error: BaseException) -> str:
    """Return what a program would print, without the lines of this package."""
    if isinstance(error, SystemExit):
        return "" if error.code is None or isinstance(error.code, int) else f"{error.code}\n"
    if isinstance(error, PlayerError):
        return f"{error}\n"
    trace = error.__traceback__
    while trace is not None and trace.tb_frame.f_code.co_filename.startswith(HERE):
        trace = trace.tb_next
    text = io.StringIO()
    with contextlib.redirect_stderr(text):
        print_traceback(error.with_traceback(trace))
    return text.getvalue()


class PrintedText(io.TextIOBase):
    """A stream that keeps what is printed: the beginning for the replay, the end for the result."""

    def __init__(self) -> None:
        self.end = ""
        self.total = 0
        self._lines = ""

    def write(self, text: str) -> int:
        """Keep a text."""
        self._lines += printable(text[: max(0, KEPT - self.total)])
        self.total += len(text)
        self.end = (self.end + printable(text[-TAIL:]))[-TAIL:]
        return len(text)

    def writable(self) -> bool:
        """Return True."""
        return True

    def take(self, *, closed: bool) -> str:
        """Return the complete lines since the last call; if the stream is closed, also an unfinished last line."""
        size = len(self._lines) if closed else self._lines.rfind("\n") + 1
        lines, self._lines = self._lines[:size], self._lines[size:]
        return lines


class SeatOutput:
    """What the code of one player prints. If it is not captured, it goes where the output of this process goes."""

    def __init__(self, *, captures: bool) -> None:
        self.stdout = PrintedText()
        self.stderr = PrintedText()
        self._captures = captures

    def captured(self) -> contextlib.AbstractContextManager[object]:
        """Keep what is printed in this context."""
        if not self._captures:
            return NOWHERE
        stack = contextlib.ExitStack()
        stack.enter_context(contextlib.redirect_stdout(self.stdout))
        stack.enter_context(contextlib.redirect_stderr(self.stderr))
        return stack

    def take(self, *, closed: bool) -> list[tuple[Printed, str]]:
        """Return what `PrintedText.take` returns for each stream that has any text."""
        streams: list[tuple[Printed, PrintedText]] = [("stdout", self.stdout), ("stderr", self.stderr)]
        return [(kind, stream.take(closed=closed)) for kind, stream in streams if stream.total]

    def as_result(self) -> dict[str, Any]:
        """Return the fields of a player's result."""
        return {
            "stdout": self.stdout.end,
            "stdout_cut": self.stdout.total > TAIL,
            "stderr": self.stderr.end,
            "stderr_cut": self.stderr.total > TAIL,
        }
