"""Find the lines of values in a TOML text, for error messages."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from arena.game.validation import Defect


def located(defects: Iterable[Defect], text: str, source: str) -> list[str]:
    """Return a message for each defect, with file and line."""
    messages = []
    for defect in defects:
        line = line_of(text, defect.place)
        messages.append(f"{source}:{line}: {defect}" if line else f"{source}: {defect}")
    return messages


def line_of(text: str, place: str) -> int:
    """Return the line number of a place such as ``stages[1].rounds``.

    If the text lacks the place, return the line of its table. If it lacks the table too, return 0.
    """
    head, _, key = place.rpartition(".")
    match = re.fullmatch(r"(\w*)(?:\[(\d+)\])?", head or place)
    if match is None:
        return line_of(text, head)  # the value is part of another value
    table, number = match[1], int(match[2] or 0)
    wanted = (table, number) if head else None
    assignment = re.compile(rf"\s*{re.escape(key)}\s*=")
    current: tuple[str, int] | None = None
    seen: Counter[str] = Counter()
    table_line = 0
    for index, line in enumerate(text.splitlines(), 1):
        if header := re.match(r"\s*\[+\s*([\w.-]+)\s*\]+", line):
            current = (header[1], seen[header[1]])
            seen[header[1]] += 1
            table_line = index if current == (table, number) else table_line
        elif current == wanted and assignment.match(line):
            return index
    return table_line or (line_of(text, table) if head else 0)
