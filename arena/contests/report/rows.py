"""The rows of all tables of a contest, for programs, in the order of the columns of `columns`.

The tables that people read too are made by `listings`. `match_row` makes a row of the table of matches.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from arena.contests.ladder.board import Board
from arena.contests.report import columns, listings
from arena.contests.report.columns import PublishedTable, Row
from arena.contests.report.visible_contest import VisibleContest
from arena.contests.values import LADDER
from arena.match.result import MatchResult, counts_in_words
from arena.match.spec import MatchSpec


def tables_of(contest: VisibleContest, *, private: bool = False) -> Iterator[PublishedTable]:
    """Yield all tables, in the order of `columns.KINDS`.

    Args:
        private: Whether to include the last output of the bots, which is for the organizer only.
    """
    yield from standings_tables(contest)
    yield PublishedTable.of(columns.VERSIONS, _versions(contest))
    yield PublishedTable.of(columns.SKILLS, _skills(contest))
    yield listings.behaviour(contest, private=private)
    yield listings.acts(contest)
    yield PublishedTable.of(columns.MATCHES, match_rows(contest))
    yield PublishedTable.of(columns.SEATS, _seats(contest))


def standings_tables(contest: VisibleContest) -> Iterator[PublishedTable]:
    """Yield the tables with the order of the contest. They have no times: the same results give the same tables."""
    runs = contest.stages.values()
    yield PublishedTable.of(columns.CONTEST, [_contest(contest)])
    yield listings.final(contest)
    yield PublishedTable.of(columns.STANDINGS, (row for run in runs for row in listings.standing_rows(contest, run)))
    yield listings.ladder(contest)
    tiebreaks = ((run.config.name, row.name, *value) for run in runs for row in run.rank() for value in row.tiebreaks)
    yield PublishedTable.of(columns.TIEBREAKS, tiebreaks)
    yield PublishedTable.of(columns.ENCOUNTERS, (row for run in runs for row in listings.encounters(run).rows))
    yield listings.ratings(contest)
    pairs = (
        (row.name, weaker.name, row.superiority[weaker.name])
        for row in contest.ratings
        for weaker in contest.ratings[row.place :]
    )
    yield PublishedTable.of(columns.SUPERIORITY, pairs)


def _contest(contest: VisibleContest) -> Row:
    state, config = contest.state, contest.state.settings
    counts = len(contest.matches()), len(contest.different)
    is_held = not contest.visibility.everything  # how many are held back can tell who has won: a lost final is repeated
    return (state.id, config.name, config.game, config.visible.deadline or None, contest.finished, *counts, is_held)


def _versions(contest: VisibleContest) -> Iterator[Row]:
    state = contest.state
    for name, versions in state.versions.items():
        is_secret = state.entrants[name].is_team and not contest.everything
        for version in versions:
            if contest.everything or state.was_active(version.player):
                yield name, version.number, version.at, None if is_secret else version.hash


def _skills(contest: VisibleContest) -> Iterator[Row]:
    """Add all results of the ladder to a new board, one by one."""
    state, board = contest.state, Board(contest.state)
    for played in contest.results:
        if played.kind in (LADDER, "replay") and state.counts(played):
            board.advance(played.index + 1)
            for name in dict.fromkeys(played.names):
                skill = board.skills[name]
                numbers = (round(value, 6) for value in (skill.ordinal, skill.mu, skill.sigma))
                yield (played.id, played.at, name, *numbers)


def documents_of(tables_: Iterable[PublishedTable]) -> dict[str, list[dict[str, Any]]]:
    """Return the rows of tables for JSON, by the names of the tables."""
    return {table.kind.name: table.documents for table in tables_}


def match_documents(contest: VisibleContest) -> list[dict[str, Any]]:
    """Return the rows of the table `matches` for JSON, each with the rows of its seats, for the organizer.

    Only the organizer may know the machine that played, and the output of a failed bot.
    """
    documents = PublishedTable.of(columns.MATCHES, match_rows(contest)).documents
    seats = iter(PublishedTable.of(columns.SEATS, _seats(contest)).documents)
    for document, (_, result) in zip(documents, contest.counting, strict=True):
        document["host"] = result.host
        document["seats"] = [
            next(seats) | {"detail": player.explanation, "said": player.last_words} for player in result.players
        ]
    return documents


def match_rows(contest: VisibleContest) -> list[Row]:
    """Return the rows of the table `matches`, in the order in which the matches ended."""
    counted = {spec.match_id for spec, result in contest.of_stages if result.has_verdict}
    rows = []
    for played, (spec, result) in zip(contest.results, contest.counting, strict=True):
        counts = contest.state.counts(played) if played.is_rated else played.id in counted
        spent = contest.everything or contest.seed_is_spent(spec)
        rows.append(match_row(spec, result, played.at, counts=counts, spent=spent))
    return rows


def match_row(spec: MatchSpec, result: MatchResult, at: str, *, counts: bool, spent: bool) -> Row:
    """Return a row of the table `matches`.

    Args:
        spent: Whether the seed is public, since no further match with it will be played.
    """
    outcome, winners = result.outcome, result.outcome.winners
    if not result.has_verdict:
        verdict = "void"
    elif outcome.common is not None:
        verdict = "finished"
    else:
        verdict = "won" if 0 < len(winners) < len(spec.seats) else "drawn"
    return (
        spec.match_id,
        spec.stage,
        spec.round,
        spec.pairing + 1,
        spec.number + 1,
        spec.map,
        spec.seed if spent else None,
        at,
        result.turns,
        verdict,
        spec.names[winners[0]] if verdict == "won" and len(winners) == 1 else None,
        outcome.reason,
        counts,
        round(result.seconds.total, 3),
        int(result.isolation.level),
        result.replay,
    )


def _seats(contest: VisibleContest) -> Iterator[Row]:
    for played, (spec, result) in zip(contest.results, contest.counting, strict=True):
        versions = [contest.state.by_player[player].number for player in played.players]
        yield from _seats_of(spec, result, versions)


def _seats_of(spec: MatchSpec, result: MatchResult, versions: Iterable[int]) -> Iterator[Row]:
    outcome, valid = result.outcome, result.has_verdict
    for seat, (player, version) in enumerate(zip(result.players, versions, strict=True)):
        clock = player.clock
        place: int | None = None
        if valid and outcome.common is None:
            won = outcome.winner is None or outcome.winner == seat
            place = outcome.ranks[seat] if outcome.ranks else 1 if won else 2
        yield (
            spec.match_id,
            seat + 1,
            spec.names[seat],
            version,
            result.points(seat) if valid else None,
            player.score,
            place,
            player.ending,
            clock.turns,
            sum(player.refusals.values()),
            round(clock.wall, 4),
            None if clock.cpu is None else round(clock.cpu, 4),
            round(clock.worst_turn, 4),
            counts_in_words(player.counts),
        )
