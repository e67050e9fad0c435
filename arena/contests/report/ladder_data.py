"""The tables of a season for programs, from its journal. Another process can run the season meanwhile."""

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from arena.journal.chain import RESULT
from arena.journal.store import FILE
from arena.matches.data import MATCH_ID, MATCHES, SEATS, Column, Kind, Row, Table, match_row, seat_rows
from arena.matches.results import MatchJournal, Recorded, read_result
from arena.season.acts import public_log
from arena.season.board import Board
from arena.season.config import SeasonConfig
from arena.season.released import released
from arena.season.state import SeasonState

_TEAM: Final = Column("team", "text", "The team or the built-in bot.")
SEASON: Final = Kind(
    "season",
    "One row: the season.",
    (
        Column("id", "text", "The id of the season."),
        Column("name", "text", "Its name."),
        Column("game", "text", "The game."),
        Column("deadline", "time", "The deadline; empty if there is none."),
        Column("matches", "whole number", "The number of results in these tables."),
        Column("held_back", "whole number", "The number of results that are held back, and are in no table."),
    ),
)
STANDINGS: Final = Kind(
    "standings",
    "One row for each team and built-in bot of the ladder.",
    (
        Column("place", "whole number", "The place, from 1."),
        _TEAM,
        Column("rating", "number", "The skill minus three times its uncertainty."),
        Column("skill", "number", "The skill."),
        Column("uncertainty", "number", "The standard deviation of the skill."),
        Column("matches", "whole number", "The number of its rated matches."),
        Column("points", "number", "The points of these matches."),
        Column("version", "whole number", "The version that plays; 0 for a built-in bot."),
        Column("is_anchor", "yes or no", "Whether it is a built-in bot, whose skill is fixed."),
    ),
)
RATINGS: Final = Kind(
    "ratings",
    "One row for each team in each match that changed its rating, in the order of the matches.",
    (
        MATCH_ID,
        Column("ended_at", "time", "When the result was recorded."),
        _TEAM,
        Column("rating", "number", "The skill minus three times its uncertainty, after the match."),
        Column("skill", "number", "The skill after the match."),
        Column("uncertainty", "number", "The standard deviation of the skill after the match."),
    ),
)
ACTS: Final = Kind(
    "acts",
    "One row for each act of an organizer, the newest first.",
    (
        Column("number", "whole number", "The number of the act: that of its entry in the journal."),
        Column("at", "time", "When it was carried out."),
        Column("author", "text", "The organizer."),
        Column("act", "text", "What the organizer did."),
        Column("reason", "text", "The reason."),
        Column("undone", "yes or no", "Whether it was undone."),
    ),
)
KINDS: Final = (SEASON, STANDINGS, RATINGS, ACTS, MATCHES, SEATS)


@dataclass(frozen=True, slots=True)
class SeasonData:
    """The content of a season that a reader can see.

    Attributes:
        results: The released matches, in the order in which they were recorded.
    """

    config: SeasonConfig
    state: SeasonState
    results: list[Recorded]
    everything: bool


def read_data(config: SeasonConfig, folder: Path, *, everything: bool = False) -> SeasonData:
    """Read a season without changing it.

    Args:
        everything: Whether to include what only organizers see: results that are held back, and challenges and first
            matches.
    """
    state = SeasonState(folder / FILE)
    with contextlib.closing(MatchJournal(folder, state, read_only=True)) as journal:
        journal.read()
        shown = released(state, everything=everything)
        found = (entry for entry in journal.entries() if entry.kind == RESULT and entry.key in state.played)
        results = [
            read_result(entry)
            for entry in found
            if shown.shows(played := state.played[entry.key]) and (everything or played.is_rated)
        ]
    return SeasonData(config, state, results, everything)


def season_tables(data: SeasonData, board: Board | None = None) -> Iterator[Table]:
    """Yield all tables, in the order of `KINDS`; afterwards, `board` has the ladder."""
    state, config = data.state, data.config
    shown = released(state, everything=data.everything)
    held = sum(not shown.shows(one) for one in state.played.values())
    yield Table(SEASON, [(state.id, config.name, config.game, config.deadline or None, len(data.results), held)])
    board = board or Board(state)
    ratings = list(_history(board, shown.limit))
    rows = [tuple(getattr(row, column.name) for column in STANDINGS.columns) for row in board.table()]
    yield Table(STANDINGS, rows)
    yield Table(RATINGS, ratings)
    log = public_log(state, everything=data.everything)
    yield Table(ACTS, [(*(one[key] for key in ("number", "at", "author", "text", "reason", "undone")),) for one in log])
    matches: list[Row] = []
    seats: list[Row] = []
    for one in data.results:
        played = state.played[one.spec.match_id]
        spent = data.everything or one.spec.round not in state.open
        matches.append(match_row(one.spec, one.outcome, one.at, played.names, counts=state.counts(played), spent=spent))
        versions = [known.number if (known := state.by_player.get(player)) else 0 for player in played.players]
        seats += seat_rows(one.spec, one.outcome, played.names, versions)
    yield Table(MATCHES, matches)
    yield Table(SEATS, seats)


def _history(board: Board, limit: int | None) -> Iterator[tuple[str, str, str, float, float, float]]:
    """Add all results to a new board, one by one. Yield the rows of `RATINGS`."""
    state = board.state
    for played in state.played.values():
        if limit is not None and played.index >= limit:
            break
        board.advance(played.index + 1)
        if state.counts(played):
            for name in dict.fromkeys(played.names):
                skill = board.skills[name]
                values = (round(skill.ordinal, 6), round(skill.mu, 6), round(skill.sigma, 6))
                yield (played.id, played.at, name, *values)
    board.advance(limit)
