"""The result of comparing one trace with the rules."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Mismatch:
    """The first place where rules and trace differ.

    Attributes:
        field: The path of the value in that line, for example ``state.cowboys[2].focus``.
        player: Who acted in that line; None for the first line.
        action: What was done in that line; None for the first line.
    """

    line: int
    field: str
    expected: str
    found: str
    player: int | None = None
    action: Any = None

    def __str__(self) -> str:
        return f"{self.field}: the trace has {self.expected}, the rules give {self.found}"

    def to_document(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class TraceReport:
    """The result of comparing one trace.

    Attributes:
        problem: Why the trace is unusable; empty if it is usable.
        line: The line of the problem; 0 if the file as a whole is unusable.
        unchecked: Keys that were not compared, since neither the format nor the game defines them. The keys of the
            first line are left out.
    """

    name: str
    lines: int = 0
    refused: int = 0
    finished: bool = False
    mismatch: Mismatch | None = None
    problem: str = ""
    line: int = 0
    unchecked: tuple[str, ...] = ()

    @property
    def verdict(self) -> str:
        return "unusable" if self.problem else "differs" if self.mismatch is not None else "ok"

    def __str__(self) -> str:
        if self.problem:
            return f"unusable  {self.name}{f':{self.line}' if self.line else ''}: {self.problem}"
        if self.mismatch is not None:
            return f"differs   {self.name}:{self.mismatch.line}: {self.mismatch}"
        tail = "" if self.finished else ", which stop before the end of the game"
        tail += f"; not compared: {', '.join(self.unchecked)}" if self.unchecked else ""
        return f"ok        {self.name}: {self.lines} lines, {self.refused} of them refusals{tail}"

    def to_document(self) -> dict[str, Any]:
        return {
            "file": self.name,
            "verdict": self.verdict,
            "lines": self.lines,
            "refused": self.refused,
            "finished": self.finished,
            "difference": self.mismatch and self.mismatch.to_document(),
            "problem": self.problem or None,
            "line": self.line or (self.mismatch and self.mismatch.line),
            "unchecked": list(self.unchecked),
        }
