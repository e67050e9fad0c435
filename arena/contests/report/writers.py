"""Write sheets as CSV, as Markdown, and to the terminal."""

import csv
import io
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from arena.text.printable import harmless, one_line
from arena.contests.report.sheets import Sheet


def to_csv(sheet: Sheet) -> str:
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerows([harmless(cell) for cell in row] for row in (sheet.columns, *sheet.rows))
    return stream.getvalue()


def to_markdown(sheet: Sheet) -> str:
    marks = [":--" if index in sheet.left else "--:" for index in range(len(sheet.columns))]
    lines = [f"## {_markdown(sheet.title)}", "", _line(sheet.columns), "| " + " | ".join(marks) + " |"]
    lines += [_line(row) for row in sheet.rows]
    if sheet.notes:
        lines += ["", *(f"- {_markdown(note)}" for note in sheet.notes)]
    return "\n".join(lines) + "\n"


def _line(cells: Iterable[str]) -> str:
    return "| " + " | ".join(_markdown(cell) for cell in cells) + " |"


def _markdown(text: str) -> str:
    for char in "\\|<>[]*_`":
        text = text.replace(char, "\\" + char)
    return one_line(text)


def print_sheet(sheet: Sheet) -> None:
    from rich.console import Console

    console = Console()
    if not console.is_terminal:
        # A pipe has no width. Use a very large width, so that nothing is cut.
        console = Console(width=1_000)
    sheet = _fitting(sheet, console.width)
    console.print(rich_table(sheet))
    for note in sheet.notes:
        console.print(one_line(note), style="dim", markup=False, highlight=False)


FOLDED = 12
"""The characters to which a column of words may shrink, if no word is longer."""


def _fitting(sheet: Sheet, width: int) -> Sheet:
    """Return the sheet without the optional columns that are too many for the terminal, and name them in a note."""
    from rich.cells import cell_len

    def needed(index: int) -> int:
        cells = [line[index] for line in (sheet.columns, *sheet.rows)]
        whole = max(map(cell_len, cells))
        if index not in sheet.left:
            return whole + 3
        word = max((cell_len(word) for cell in cells for word in cell.split()), default=0)
        return min(whole, max(FOLDED, word)) + 3

    sizes = [needed(index) for index in range(len(sheet.columns))]
    kept, left_out = list(range(len(sheet.columns))), []
    for index in sheet.optional:
        if sum(sizes[index] for index in kept) <= width:
            break
        kept.remove(index)
        left_out.append(sheet.columns[index])
    if not left_out:
        return sheet
    notes = tuple(note for note in sheet.notes if note.partition(":")[0] not in left_out)
    missing = f"Too narrow for {', '.join(reversed(left_out))}: a wider window shows them, and so does --format csv."
    return replace(
        sheet,
        columns=tuple(sheet.columns[index] for index in kept),
        rows=tuple(tuple(row[index] for index in kept) for row in sheet.rows),
        left=frozenset(new for new, index in enumerate(kept) if index in sheet.left),
        notes=(*notes, missing),
    )


def rich_table(sheet: Sheet) -> Any:
    """Return a sheet as a table of the package rich. Text from bots is not treated as markup."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(title=Text(one_line(sheet.title), "bold"), box=box.SIMPLE_HEAD, title_justify="left", pad_edge=False)
    for index, column in enumerate(sheet.columns):
        table.add_column(
            Text(one_line(column)),
            justify="left" if index in sheet.left else "right",
            no_wrap=index not in sheet.left or not any(" " in row[index] for row in sheet.rows),
            overflow="fold",
        )
    for row in sheet.rows:
        table.add_row(*(Text(one_line(cell)) for cell in row))
    return table
