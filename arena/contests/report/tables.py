"""Tables of data for programs: one value a column, written as CSV, JSON and SQLite.

The page of the documentation about data shows these definitions.
"""

import contextlib
import csv
import io
import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from arena.errors import ArenaError, ExitCode
from arena.match.result import MatchResult
from arena.match.spec import MatchSpec
from arena.text.printable import harmless
from arena_replays.files import replace_file

Value = str | int | float | bool | None
Row = tuple[Value, ...]
_SQL: Final = {"text": "text", "time": "text", "whole number": "integer", "number": "real", "yes or no": "integer"}


@dataclass(frozen=True, slots=True)
class Column:
    """One column.

    Attributes:
        kind: Times are texts in ISO 8601 with an offset. Yes and no are true and false, in SQLite 1 and 0.
    """

    name: str
    kind: Literal["text", "time", "whole number", "number", "yes or no"]
    meaning: str


@dataclass(frozen=True, slots=True)
class Kind:
    """The definition of a table."""

    name: str
    meaning: str
    columns: tuple[Column, ...]


@dataclass(frozen=True, slots=True)
class Table:
    kind: Kind
    rows: Sequence[Row]


MATCH_ID: Final = Column("match_id", "text", "The id of the match, the same in all tables, pages and commands.")
MATCHES: Final = Kind(
    "matches",
    "One row for each match that was played.",
    (
        MATCH_ID,
        Column("stage", "text", "The name of the stage. In a season: ladder, challenge, replay or trial."),
        Column("round", "whole number", "The round, from 1. In a season: the number of the encounter."),
        Column("pairing", "whole number", "The encounter within the round, from 1."),
        Column("number", "whole number", "The match within the encounter, from 1."),
        Column("map", "text", "The map; empty if the game has none, or plays its default."),
        Column("seed", "whole number", "The seed of the dice; empty before all matches with this seed are over."),
        Column("ended_at", "time", "When the result was recorded."),
        Column("turns", "whole number", "The number of turns."),
        Column("result", "text", "won, drawn, finished (a cooperative game) or void."),
        Column("winner", "text", "The name of the winner; empty without a single one."),
        Column("reason", "text", "Why the game ended so, in the game's own word."),
        Column("counts", "yes or no", "Whether the result counts in the tables."),
        Column("seconds", "number", "The time that the match took, in seconds."),
        Column("isolation", "whole number", "The level at which its bots were isolated, 0 to 3."),
        Column("replay", "text", "The path of the replay in the folder with the results; empty without one."),
    ),
)
SEATS: Final = Kind(
    "seats",
    "One row for each seat of each match.",
    (
        MATCH_ID,
        Column("seat", "whole number", "The seat, from 1, in the order of play."),
        Column("name", "text", "The bot. In a season: the team or the built-in bot."),
        Column(
            "version", "whole number", "The version of the bot, from 1; see the table versions. 0 for a built-in bot."
        ),
        Column("points", "number", "The share of opponents that it has beaten, 0 to 1; empty if the match is void."),
        Column("score", "number", "The score of the game."),
        Column(
            "place", "whole number", "The place in this match, from 1; equal for those who share it; empty if void."
        ),
        Column("ending", "text", "How the match ended for it: won, lost, drawn, crashed, timed_out and so on."),
        Column("turns", "whole number", "The number of its turns."),
        Column("refused", "whole number", "The number of its actions that were refused."),
        Column("wall_seconds", "number", "The time that it used for all turns, in seconds of wall time."),
        Column("cpu_seconds", "number", "The same in seconds of processor time; empty if it was not measured."),
        Column("worst_turn_seconds", "number", "The time of its longest turn, in seconds."),
    ),
)


def match_row(spec: MatchSpec, result: MatchResult, at: str, names: Sequence[str], *, counts: bool, spent: bool) -> Row:
    """Return a row of `MATCHES`.

    Args:
        names: Who played on each seat, by the names of the other tables.
        spent: Whether the seed is public, since no further match with it will be played.
    """
    outcome, winners = result.outcome, result.outcome.winners
    if not result.has_verdict:
        kind = "void"
    elif outcome.common is not None:
        kind = "finished"
    else:
        kind = "won" if 0 < len(winners) < len(spec.seats) else "drawn"
    return (
        spec.match_id, spec.stage, spec.round, spec.pairing + 1, spec.number + 1, spec.map,
        spec.seed if spent else None, at, result.turns, kind,
        names[winners[0]] if kind == "won" and len(winners) == 1 else None, outcome.reason, counts,
        round(result.seconds.total, 3), int(result.isolation.level), result.replay,
    )  # fmt: skip


def seat_rows(spec: MatchSpec, result: MatchResult, names: Sequence[str], versions: Sequence[int]) -> Iterable[Row]:
    """Yield the rows of `SEATS` of one match."""
    outcome, valid = result.outcome, result.has_verdict
    for seat, player in enumerate(result.players):
        clock = player.clock
        place: int | None = None
        if valid and outcome.common is None:
            won = outcome.winner is None or outcome.winner == seat
            place = outcome.ranks[seat] if outcome.ranks else 1 if won else 2
        yield (
            spec.match_id, seat + 1, names[seat], versions[seat], result.points(seat) if valid else None,
            player.score, place, player.ending, clock.turns, sum(player.refusals.values()), round(clock.wall, 4),
            None if clock.cpu is None else round(clock.cpu, 4), round(clock.worst_turn, 4),
        )  # fmt: skip


def to_csv(table: Table) -> str:
    """Return a table as CSV. An apostrophe keeps spreadsheets from running a text that begins like a formula."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow([column.name for column in table.kind.columns])
    writer.writerows([_cell(value) for value in row] for row in table.rows)
    return stream.getvalue()


def _cell(value: Value) -> Value:
    return harmless(value) if isinstance(value, str) else str(value).lower() if isinstance(value, bool) else value


def to_json(table: Table) -> str:
    """Return a table as JSON, in the form that pandas calls "split": the columns once, and the rows as lists."""
    columns = [column.name for column in table.kind.columns]
    rows = ",\n".join(json.dumps(row, ensure_ascii=False, separators=(",", ":")) for row in table.rows)
    return f'{{"columns":{json.dumps(columns)},\n"data":[\n{rows}\n]}}\n'


def write_folder(tables: Iterable[Table], folder: Path) -> list[Path]:
    """Write each table as NAME.csv and NAME.json. Return the paths."""
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for table in tables:
        for suffix, text in (("csv", to_csv(table)), ("json", to_json(table))):
            path = folder / f"{table.kind.name}.{suffix}"
            replace_file(path, text.encode(), sync=False)
            written.append(path)
    return written


def write_database(tables: Iterable[Table], path: Path) -> None:
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


def _fill(database: sqlite3.Connection, table: Table) -> None:
    kind = table.kind
    columns = ", ".join(f'"{column.name}" {_SQL[column.kind]}' for column in kind.columns)
    database.execute(f'create table "{kind.name}" ({columns})')
    database.executemany(
        "insert into columns values (?, ?, ?, ?)",
        [(kind.name, column.name, column.kind, column.meaning) for column in kind.columns],
    )
    marks = ", ".join("?" * len(kind.columns))
    database.executemany(f'insert into "{kind.name}" values ({marks})', table.rows)
    if kind.columns[0] is MATCH_ID:
        database.execute(f'create index "{kind.name}_by_match" on "{kind.name}" (match_id)')


def described(kinds: Mapping[str, Sequence[Kind]]) -> str:
    """Return the description of tables in Markdown, for the document. `kinds` has the tables by heading."""
    lines: list[str] = []
    for heading, group in kinds.items():
        lines += [f"## {heading}", ""]
        for kind in group:
            lines += [f"### {kind.name}", "", kind.meaning, "", "| column | kind | meaning |", "|---|---|---|"]
            lines += [f"| `{column.name}` | {column.kind} | {column.meaning} |" for column in kind.columns]
            lines.append("")
    return "\n".join(lines)
