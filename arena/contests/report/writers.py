"""Write tables: to the terminal, as CSV, and into an SQLite file."""

from __future__ import annotations

import contextlib
import csv
import io
import sqlite3
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from arena.contests.report.columns import MATCH_ID, PublishedTable, Value
from arena.errors import ArenaError, ExitCode
from arena.text.printable import harmless, one_line
from arena_replays.files import replace_file

_SQL: Final = {
    "text": "text",
    "time": "text",
    "whole number": "integer",
    "number": "real",
    "seconds": "real",
    "yes or no": "integer",
}
"""The types of SQLite, by the kind of a column."""
FOLDED: Final = 12
"""The characters to which a column of words may shrink, if no word is longer. Shorter lines are hard to read."""


def csv_of(heads: Iterable[str], rows: Iterable[Iterable[Value]]) -> str:
    """Return rows as CSV. An apostrophe keeps spreadsheets from running a text that begins like a formula."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow([harmless(head) for head in heads])
    writer.writerows([_cell(value) for value in row] for row in rows)
    return stream.getvalue()


def _cell(value: Value) -> Value:
    if isinstance(value, bool):
        return str(value).lower()
    return harmless(value) if isinstance(value, str) else value


def to_csv(table: PublishedTable) -> str:
    return csv_of([column.name for column in table.columns], table.rows)


def write_folder(tables: Iterable[PublishedTable], folder: Path) -> list[Path]:
    """Write each table as NAME.csv. Return the paths."""
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for table in tables:
        path = folder / f"{table.kind.name}.csv"
        replace_file(path, to_csv(table).encode(), sync=False)
        written.append(path)
    return written


def write_database(tables: Iterable[PublishedTable], path: Path) -> None:
    """Write all tables into a new SQLite file, and their description into the table `columns`."""
    temporary = path.with_name(f".{path.name}.new")
    temporary.unlink(missing_ok=True)
    try:
        with contextlib.closing(sqlite3.connect(temporary, isolation_level=None)) as database:
            database.execute("pragma journal_mode = off")
            database.execute("pragma synchronous = off")
            database.execute("begin")
            database.execute("create table columns (table_name text, column_name text, kind text, meaning text)")
            for table in tables:
                _fill(database, table)
            database.execute("commit")
        temporary.replace(path)
    except sqlite3.Error as error:
        text = f"{path} cannot be written: {str(error).splitlines()[0]}."
        raise ArenaError(text, exit_code=ExitCode.CANNOT_WRITE) from error
    finally:
        temporary.unlink(missing_ok=True)


def _fill(database: sqlite3.Connection, table: PublishedTable) -> None:
    name, columns = table.kind.name, table.columns
    declared = ", ".join(f'"{column.name}" {_SQL[column.kind]}' for column in columns)
    database.execute(f'create table "{name}" ({declared})')
    database.executemany(
        "insert into columns values (?, ?, ?, ?)",
        [(name, column.name, column.kind, column.meaning) for column in columns],
    )
    database.executemany(f'insert into "{name}" values ({", ".join("?" * len(columns))})', table.rows)
    if columns[0] is MATCH_ID:
        database.execute(f'create index "{name}_by_match" on "{name}" (match_id)')


# -- the terminal --------------------------------------------------------------------------------------


def print_table(table: PublishedTable) -> None:
    """Print a table for people. A narrow terminal gets fewer columns, and a note about them."""
    from rich.console import Console

    console = Console()
    if not console.is_terminal:
        # A pipe has no width. Use a very large width, so that nothing is cut.
        console = Console(width=1_000)
    table = _fitting(table, console.width)
    console.print(_rich(table))
    for note in table.notes:
        console.print(one_line(note), style="dim", markup=False, highlight=False)


def _fitting(table: PublishedTable, width: int) -> PublishedTable:
    """Return the table without the optional columns that are too many for the terminal, and name them in a note."""
    from rich.cells import cell_len

    lines = [table.heads, *table.lines]

    def needed(index: int) -> int:
        cells = [line[index] for line in lines]
        whole = max(map(cell_len, cells))
        if index not in table.left:
            return whole + 3
        word = max((cell_len(word) for cell in cells for word in cell.split()), default=0)
        return min(whole, max(FOLDED, word)) + 3

    sizes = {column.name: needed(index) for index, (_, column) in enumerate(table.for_people)}
    left_out = []
    for _, column in reversed(table.for_people):
        if column.optional and sum(sizes.values()) > width:
            del sizes[column.name]
            left_out.append(column)
    if not left_out:
        return table
    titles = [column.title for column in reversed(left_out)]
    notes = tuple(note for note in table.notes if note.partition(":")[0] not in titles)
    missing = f"Too narrow for {', '.join(titles)}: a wider window shows them, and so does --format csv."
    return replace(table.without([column.name for column in left_out]), notes=(*notes, missing))


def _rich(table: PublishedTable) -> Any:
    """Return a table of the package rich. Text from bots is not treated as markup."""
    from rich import box
    from rich.table import Table as RichTable
    from rich.text import Text

    lines, left = table.lines, table.left
    title = Text(one_line(table.title), "bold")
    drawn = RichTable(title=title, box=box.SIMPLE_HEAD, title_justify="left", pad_edge=False)
    for index, head in enumerate(table.heads):
        drawn.add_column(
            Text(one_line(head)),
            justify="left" if index in left else "right",
            no_wrap=index not in left or not any(" " in line[index] for line in lines),
            overflow="fold",
        )
    for line in lines:
        drawn.add_row(*(Text(one_line(cell)) for cell in line))
    return drawn
