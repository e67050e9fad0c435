"""One defect of a mission."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Problem:
    """Something wrong with a mission, or worth a warning.

    Attributes:
        code: The word for it, such as ``unit_on_wall``.
        where: The place in the file, such as ``marines[2]``.
        sentence: What is wrong, for people.
        cell: The cell concerned, where there is one.
        is_error: False for a warning: the mission can be played.
    """

    code: str
    where: str
    sentence: str
    cell: tuple[int, int] | None = None
    is_error: bool = True

    def __str__(self) -> str:
        return f"{self.where}: {self.sentence} ({self.code})"

    def to_document(self) -> dict[str, Any]:
        """Return the problem as plain JSON, for editors."""
        return {
            "code": self.code,
            "where": self.where,
            "sentence": self.sentence,
            "cell": None if self.cell is None else list(self.cell),
            "error": self.is_error,
        }
