"""Fit words and tables into the width of a terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Collection, Iterator, Sequence

NARROWEST = 9
"""The characters to which a column of words may shrink, if no word is longer."""


def columns(rows: Sequence[Sequence[str]], width: int | None, right: Collection[int] = ()) -> Iterator[str]:
    """Yield the lines of a table. If it is wider than `width`, cells of several words are wrapped, the widest first.

    Args:
        right: The columns whose cells are at the right.
    """
    by_column = list(zip(*rows, strict=True))
    widths = [max(map(len, cells)) for cells in by_column]
    least = [max([NARROWEST, *(len(word) for cell in cells for word in cell.split())]) for cells in by_column]
    while width is not None and (over := sum(widths) + 2 * (len(widths) - 1) - width) > 0:
        wide = [index for index, size in enumerate(widths) if size > least[index]]
        if not wide:
            break
        widest = max(wide, key=widths.__getitem__)
        widths[widest] = max(least[widest], widths[widest] - over)
    for row in rows:
        cells = [textwrap.wrap(cell, size) or [""] for cell, size in zip(row, widths, strict=True)]
        for line in range(max(map(len, cells))):
            parts = [cell[line] if line < len(cell) else "" for cell in cells]
            yield "  ".join(
                part.rjust(size) if column in right else part.ljust(size)
                for column, (part, size) in enumerate(zip(parts, widths, strict=True))
            ).rstrip()


def wrapped(text: str, width: int, indent: str = "") -> list[str]:
    return textwrap.wrap(text, width, initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False) or [
        indent
    ]
