"""The tables of a contest: each published column is declared here, once.

The rows are tuples with the values of the columns in their order: a new column needs a value at the same position in
the function that makes the row, in `rows` or `listings`.

`arena.contests.report.rows` fills them, and `arena.contests.report.writers` writes them: for the terminal, as CSV and
into SQLite. The page of the documentation about data shows these definitions.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

Value = str | int | float | bool | None
Row = tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Column:
    """One column.

    Attributes:
        kind: Times are texts in ISO 8601 with an offset. Yes and no are true and false, in SQLite 1 and 0.
        title: The heading for people; empty if only programs need the column.
        form: How people see a number, as in a format string; empty for at most two decimals.
        optional: Whether a narrow terminal does without it. The last of these columns goes first.
    """

    name: str
    kind: Literal["text", "time", "whole number", "number", "seconds", "yes or no"]
    meaning: str
    title: str = ""
    form: str = ""
    optional: bool = False

    @property
    def is_text(self) -> bool:
        return self.kind in ("text", "time", "yes or no")

    def words(self, value: Value) -> str:
        """Return a value for people."""
        if value is None or value is False:
            return ""
        if value is True:
            return "yes"
        if isinstance(value, str):
            return value
        if self.kind == "seconds":
            return duration(value)
        return f"{value:{self.form}}" if self.form else number(value)


@dataclass(frozen=True, slots=True)
class TableKind:
    """The definition of a table."""

    name: str
    meaning: str
    columns: tuple[Column, ...]


@dataclass(frozen=True, slots=True)
class PublishedTable:
    """Rows of a table, and what stands above and below them for people.

    Attributes:
        columns: Those of the kind, and perhaps further ones that depend on the rows.
        key: A name for the table on a page.
    """

    kind: TableKind
    rows: Sequence[Row]
    columns: tuple[Column, ...]
    title: str = ""
    notes: tuple[str, ...] = ()
    key: str = ""

    @classmethod
    def of(
        cls, kind: TableKind, rows: Iterable[Row], title: str = "", notes: Iterable[str] = (), key: str = ""
    ) -> PublishedTable:
        """Return a table whose rows have the values of the columns of its kind, in their order."""
        return cls(kind, [*rows], kind.columns, title, tuple(notes), key or kind.name)

    def inserted(self, before: str, columns: Iterable[Column], cells: Iterable[Row]) -> PublishedTable:
        """Return the table with further columns, which depend on the rows, before the column with this name.

        Args:
            cells: The values of the further columns in each row.
        """
        index = [column.name for column in self.columns].index(before)
        rows = [(*row[:index], *more, *row[index:]) for row, more in zip(self.rows, cells, strict=True)]
        return replace(self, rows=rows, columns=(*self.columns[:index], *columns, *self.columns[index:]))

    @property
    def documents(self) -> list[dict[str, Any]]:
        """The rows for JSON: the values by the names of their columns."""
        names = [column.name for column in self.columns]
        return [dict(zip(names, row, strict=True)) for row in self.rows]

    # -- for people ------------------------------------------------------------------------------------

    @property
    def for_people(self) -> list[tuple[int, Column]]:
        """The columns for people, each with its index."""
        return [(index, column) for index, column in enumerate(self.columns) if column.title]

    @property
    def heads(self) -> list[str]:
        return [column.title for _, column in self.for_people]

    @property
    def left(self) -> set[int]:
        """The indexes of the columns of words among those for people."""
        return {index for index, (_, column) in enumerate(self.for_people) if column.is_text}

    @property
    def lines(self) -> list[list[str]]:
        """The rows in words, for people."""
        return [[column.words(row[index]) for index, column in self.for_people] for row in self.rows]

    def without(self, names: Sequence[str]) -> PublishedTable:
        """Return the table with these columns hidden from people."""
        columns = [replace(column, title="") if column.name in names else column for column in self.columns]
        return replace(self, columns=tuple(columns))


def number(value: float) -> str:
    """Return a number, rounded to two decimals and without zeros at the end."""
    return f"{value:z.2f}".rstrip("0").rstrip(".")


def duration(seconds: float) -> str:
    """Return a time with two digits, for example ``3.4 ms``."""
    return f"{float(f'{seconds:.2g}'):g} s" if seconds >= 1 else f"{float(f'{1000 * seconds:.2g}'):g} ms"


# -- the tables ----------------------------------------------------------------------------------------


def _table(name: str, meaning: str, *columns: Column) -> TableKind:
    return TableKind(name, meaning, columns)


MATCH_ID: Final = Column(
    "match_id", "text", "The id of the match, the same in all tables, pages and commands.", "Match"
)
_NAME: Final = Column("name", "text", "The team or the bot.", "Name")
_STAGE: Final = Column("stage", "text", "The name of the stage.")
_PLACE: Final = Column("place", "whole number", "The place, from 1.", "#")
CONTEST: Final = _table(
    "contest",
    "One row: the contest.",
    Column("id", "text", "The id of the contest."),
    Column("name", "text", "Its name."),
    Column("game", "text", "The game."),
    Column("deadline", "time", "The deadline; empty if there is none."),
    Column("finished", "yes or no", "Whether all stages are over."),
    Column("matches", "whole number", "The number of results that count."),
    Column("different_games", "whole number", "The number of matches of stages that do not only repeat another one."),
    Column("held_back", "yes or no", "Whether results are held back, which are in no table."),
)
ENTRANTS: Final = _table(
    "entrants",
    "One row for each team and bot that takes part, the best one first.",
    Column("place", "whole number", "The place in the final order, or in the order so far, from 1.", "#"),
    _NAME,
    Column("team", "yes or no", "Whether it is a team, whose members hand in bots."),
    Column("groups", "text", "The groups to which it belongs, separated by spaces."),
    Column("out", "text", "withdrawn or disqualified; empty if it plays."),
    Column("suspended", "text", "Why it was suspended; empty if it was not."),
    Column("remote", "yes or no", "Whether it played from another machine, where nobody isolated it."),
)
STANDINGS: Final = _table(
    "standings",
    "One row for each bot in each stage. The ladder is a table of its own.",
    _STAGE,
    _PLACE,
    _NAME,
    Column("points", "number", "The points of all matches of the stage.", "Points"),
    Column("games", "whole number", "The number of its matches.", "Games"),
    Column("wins", "whole number", "The number of matches that it won.", "W"),
    Column("draws", "whole number", "The number of draws.", "D"),
    Column("losses", "whole number", "The number of matches that it lost.", "L"),
    Column("byes", "whole number", "The number of encounters that gave points without a match.", "Byes", "", True),
    Column("explained", "text", "What decided the place besides the points, such as a tie-break.", "Why here"),
)
LADDER: Final = _table(
    "ladder",
    "One row for each team and bot of the ladder.",
    _PLACE,
    _NAME,
    Column("rating", "number", "The skill minus three times its uncertainty.", "Rating", "z.2f"),
    Column("skill", "number", "The skill.", "Skill", "z.2f"),
    Column("uncertainty", "number", "The standard deviation of the skill.", "±", "z.2f"),
    Column("matches", "whole number", "The number of its rated matches.", "Matches"),
    Column("points", "number", "The points of these matches.", "Points", "", True),
    Column("version", "whole number", "The version that plays; 0 for an anchor.", "Version", "", True),
    Column("is_anchor", "yes or no", "Whether it is an anchor, whose skill is fixed.", "Anchor", "", True),
)
TIEBREAKS: Final = _table(
    "tiebreaks",
    "One row for each tie-break of each bot in each stage.",
    _STAGE,
    _NAME,
    Column("tiebreak", "text", "The tie-break, such as buchholz."),
    Column("value", "number", "Its value; higher is better."),
)
ENCOUNTERS: Final = _table(
    "encounters",
    "One row for each encounter of a stage. Its matches are in matches.",
    _STAGE,
    Column("round", "whole number", "The round, from 1."),
    Column("pairing", "whole number", "The encounter within the round, from 1."),
    Column("section", "text", "The group or the part of the bracket; empty if there is none."),
    Column("bracket_column", "whole number", "The column of the bracket, from 1; 0 if there is none."),
    Column("title", "text", "The name of its round, such as Semi-final.", "Round"),
    Column("players", "text", "Who meets, at tables the best one first after its end.", "Players"),
    Column("points", "text", "Their points in the same order; empty for a bye, and before the end.", "Points"),
    Column("winner", "text", "Who won it, or who goes on from a table; empty for a tie.", "Winner"),
    Column("decided", "text", "What decided it, such as points; empty before that.", "Decided by"),
)
RATINGS: Final = _table(
    "ratings",
    "One row for each bot that has played in a stage, the strongest one first.",
    _PLACE,
    _NAME,
    Column("elo", "number", "The rating in Elo points; the mean of all bots is 0.", "Elo", "+z.0f"),
    Column("low", "number", "The lower end of its 95 % interval.", "Low", "+z.0f"),
    Column("high", "number", "The upper end of its 95 % interval.", "High", "+z.0f"),
)
SUPERIORITY: Final = _table(
    "superiority",
    "One row for each pair of bots that have played in stages.",
    Column("name", "text", "The bot with the higher rating."),
    Column("other", "text", "The other bot."),
    Column("likelihood", "number", "The likelihood that the first one is really stronger, 0 to 1."),
)
VERSIONS: Final = _table(
    "versions",
    "One row for each version that has played or is about to play.",
    _NAME,
    Column("version", "whole number", "The version, from 1."),
    Column("at", "time", "When it was entered or handed in."),
    Column("hash", "text", "The SHA-256 of its files; empty for a team, except with --everything."),
)
SKILLS: Final = _table(
    "skills",
    "One row for each bot in each match that changed its skill, in their order.",
    MATCH_ID,
    Column("ended_at", "time", "When the result was recorded."),
    _NAME,
    Column("rating", "number", "The skill minus three times its uncertainty, after the match."),
    Column("skill", "number", "The skill after the match."),
    Column("uncertainty", "number", "The standard deviation of the skill after the match."),
)
BEHAVIOUR: Final = _table(
    "behaviour",
    "One row for each bot: failures and times of all its matches.",
    _NAME,
    Column("matches", "whole number", "The number of its matches.", "Matches"),
    Column("failures", "text", "How it failed, and how often, such as 2 crashed.", "Failures"),
    Column("refused", "whole number", "The number of its actions that were refused.", "Refused"),
    Column("won", "whole number", "The number of matches that it won.", "Won"),
    Column("lost_by_play", "whole number", "The number of matches that it lost by the rules.", "Lost by play"),
    Column("lost_by_form", "whole number", "The number of matches in which it failed.", "Lost by form"),
    Column("voids", "whole number", "How often a match of it was void, also if it was played again.", "Void"),
    Column("counts", "text", "What its program has counted, if it is no bot, such as unreadable 2.", "Counted"),
    Column("mean_turn_seconds", "seconds", "The mean wall time of a turn.", "Turn"),
    Column("mean_turn_cpu_seconds", "seconds", "Its mean processor time; empty if not measured.", "CPU", "", True),
    Column("worst_turn_seconds", "seconds", "The time of its longest turn.", "Longest", "", True),
    Column("cpu_seconds", "seconds", "The processor time of all turns."),
    Column("last_failure", "text", "How it failed last; empty if it never did.", "Last failure"),
)
ACTS: Final = _table(
    "acts",
    "One row for each act of an organizer, the newest first.",
    Column("id", "text", "Its id, with which it can be undone; not public while results are held back.", "Act"),
    Column("at", "time", "When it was carried out.", "At", "", True),
    Column("author", "text", "The organizer; empty for a command.", "By", "", True),
    Column("text", "text", "What the organizer did.", "What"),
    Column("reason", "text", "The reason.", "Reason"),
    Column("undone", "yes or no", "Whether it was undone.", "Undone"),
)
MATCHES: Final = _table(
    "matches",
    "One row for each match that was played.",
    MATCH_ID,
    Column("stage", "text", "The name of the stage; else ladder, replay, challenge, comparison or trial."),
    Column("round", "whole number", "The round, from 1. On the ladder: the number of the encounter."),
    Column("pairing", "whole number", "The encounter within the round, from 1."),
    Column("number", "whole number", "The match within the encounter, from 1."),
    Column("map", "text", "The map; empty if the game has none, or plays its default.", "Map", "", True),
    Column("seed", "whole number", "The seed of the dice; empty before all matches with this seed are over."),
    Column("ended_at", "time", "When the result was recorded."),
    Column("turns", "whole number", "The number of turns.", "Turns", "", True),
    Column("result", "text", "won, drawn, finished (a cooperative game) or void."),
    Column("winner", "text", "The name of the winner; empty without a single one."),
    Column("reason", "text", "Why the game ended so, in the game's own word."),
    Column("counts", "yes or no", "Whether the result counts in the tables."),
    Column("seconds", "number", "The time that the match took, in seconds."),
    Column("isolation", "whole number", "The level at which its bots were isolated, 0 to 3."),
    Column("replay", "text", "The path of the replay in the folder of the contest; empty without one."),
)
SEATS: Final = _table(
    "seats",
    "One row for each seat of each match.",
    MATCH_ID,
    Column("seat", "whole number", "The seat, from 1, in the order of play."),
    _NAME,
    Column("version", "whole number", "The version of the bot, from 1."),
    Column("points", "number", "The share of opponents that it has beaten, 0 to 1; empty if the match is void."),
    Column("score", "number", "The score of the game."),
    Column("place", "whole number", "The place in this match, from 1; shared places are equal; empty if void."),
    Column("ending", "text", "How the match ended for it: won, lost, drawn, crashed, timed_out and so on."),
    Column("turns", "whole number", "The number of its turns."),
    Column("refused", "whole number", "The number of its actions that were refused."),
    Column("wall_seconds", "number", "The time that it used for all turns, in seconds of wall time."),
    Column("cpu_seconds", "number", "The same in seconds of processor time; empty if it was not measured."),
    Column("worst_turn_seconds", "number", "The time of its longest turn, in seconds."),
    Column("counts", "text", "What its program has counted, if it is no bot, such as unreadable 2."),
)
KINDS: Final = (
    CONTEST,
    ENTRANTS,
    STANDINGS,
    LADDER,
    TIEBREAKS,
    ENCOUNTERS,
    RATINGS,
    SUPERIORITY,
    VERSIONS,
    SKILLS,
    BEHAVIOUR,
    ACTS,
    MATCHES,
    SEATS,
)
"""All tables, in the order in which they are published."""


def described() -> str:
    """Return the description of all tables in Markdown, for the document."""
    lines: list[str] = []
    for kind in KINDS:
        lines += [f"### {kind.name}", "", kind.meaning, "", "| column | kind | meaning |", "|---|---|---|"]
        lines += [f"| `{column.name}` | {column.kind} | {column.meaning} |" for column in kind.columns]
        lines.append("")
    return "\n".join(lines)
