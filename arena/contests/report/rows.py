"""The rows of all tables of a contest, for programs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from arena.contests.ladder.board import Board
from arena.contests.report import columns, listings
from arena.contests.report.columns import PublishedTable, Row
from arena.contests.report.visible import VisibleContest
from arena.contests.values import LADDER
from arena.match.result import MatchResult
from arena.match.spec import MatchSpec


def tables_of(shown: VisibleContest, *, private: bool = False, held_back: bool = True) -> Iterator[PublishedTable]:
    """Yield all tables, in the order of `columns.KINDS`.

    Args:
        private: Whether to include the last output of the bots, which is for the organizer only.
        held_back: Whether to say how many results are held back. While matches are played, this shows when one ends.
    """
    yield from standings_tables(shown, held_back=held_back)
    yield PublishedTable.of(columns.VERSIONS, _versions(shown))
    yield PublishedTable.of(columns.SKILLS, _skills(shown))
    yield listings.behaviour(shown, private=private)
    yield listings.acts(shown)
    yield PublishedTable.of(columns.MATCHES, match_rows(shown))
    yield PublishedTable.of(columns.SEATS, _seats(shown))


def standings_tables(shown: VisibleContest, *, held_back: bool = True) -> Iterator[PublishedTable]:
    """Yield the tables with the order of the contest. They have no times: the same results give the same tables."""
    runs = shown.stages.values()
    yield PublishedTable.of(columns.CONTEST, [_contest(shown, held_back=held_back)])
    yield listings.final(shown)
    yield PublishedTable.of(columns.STANDINGS, (row for run in runs for row in listings.standing_rows(shown, run)))
    yield listings.ladder(shown)
    breaks = ((run.config.name, row.name, *one) for run in runs for row in run.rank() for one in row.tiebreaks)
    yield PublishedTable.of(columns.TIEBREAKS, breaks)
    yield PublishedTable.of(columns.ENCOUNTERS, (row for run in runs for row in listings.encounters(run).rows))
    yield listings.ratings(shown)
    pairs = (
        (row.name, other.name, row.superiority[other.name])
        for row in shown.ratings
        for other in shown.ratings[row.place :]
    )
    yield PublishedTable.of(columns.SUPERIORITY, pairs)


def _contest(shown: VisibleContest, *, held_back: bool) -> Row:
    state, config = shown.state, shown.state.settings
    held = sum(not shown.visibility.shows(one) for one in state.played.values()) if held_back else None
    return (
        state.id, config.name, config.game, config.visible.deadline or None, shown.finished, len(shown.matches()),
        len(shown.different), held,
    )  # fmt: skip


def _versions(shown: VisibleContest) -> Iterator[Row]:
    state = shown.state
    for name, versions in state.versions.items():
        is_secret = state.entrants[name].is_team and not shown.everything
        for one in versions:
            if shown.everything or state.was_active(one.player):
                yield name, one.number, one.at, None if is_secret else one.hash


def _skills(shown: VisibleContest) -> Iterator[Row]:
    """Add all results of the ladder to a new board, one by one."""
    state, board = shown.state, Board(shown.state)
    for played in shown.results:
        if played.kind in (LADDER, "replay") and state.counts(played):
            board.advance(played.index + 1)
            for name in dict.fromkeys(played.names):
                skill = board.skills[name]
                numbers = (round(one, 6) for one in (skill.ordinal, skill.mu, skill.sigma))
                yield (played.id, played.at, name, *numbers)


def documents_of(tables_: Iterable[PublishedTable]) -> dict[str, list[dict[str, Any]]]:
    """Return the rows of tables for JSON, by the names of the tables."""
    return {table.kind.name: table.documents for table in tables_}


def match_documents(shown: VisibleContest) -> list[dict[str, Any]]:
    """Return the rows of the table `matches` for JSON, each with the rows of its seats, for the organizer.

    Only the organizer may know the machine that played, and the output of a failed bot.
    """
    found = PublishedTable.of(columns.MATCHES, match_rows(shown)).documents
    seats = iter(PublishedTable.of(columns.SEATS, _seats(shown)).documents)
    for document, (_, result) in zip(found, shown.counting, strict=True):
        document["host"] = result.host
        document["seats"] = [
            next(seats) | {"detail": player.explanation, "said": player.last_words} for player in result.players
        ]
    return found


def match_rows(shown: VisibleContest) -> list[Row]:
    """Return the rows of the table `matches`, in the order in which the matches ended."""
    counted = {spec.match_id for spec, result in shown.of_stages if result.has_verdict}
    return [
        match_row(
            spec, result, played.at, spent=shown.everything or shown.seed_is_spent(spec),
            counts=shown.state.counts(played) if played.is_rated else played.id in counted,
        )
        for played, (spec, result) in zip(shown.results, shown.counting, strict=True)
    ]  # fmt: skip


def match_row(spec: MatchSpec, result: MatchResult, at: str, *, counts: bool, spent: bool) -> Row:
    """Return a row of the table `matches`.

    Args:
        spent: Whether the seed is public, since no further match with it will be played.
    """
    outcome, winners = result.outcome, result.outcome.winners
    if not result.has_verdict:
        kind = "void"
    elif outcome.common is not None:
        kind = "finished"
    else:
        kind = "won" if 0 < len(winners) < len(spec.seats) else "drawn"
    winner = spec.names[winners[0]] if kind == "won" and len(winners) == 1 else None
    return (
        spec.match_id, spec.stage, spec.round, spec.pairing + 1, spec.number + 1, spec.map,
        spec.seed if spent else None, at, result.turns, kind, winner, outcome.reason, counts,
        round(result.seconds.total, 3), int(result.isolation.level), result.replay,
    )  # fmt: skip


def _seats(shown: VisibleContest) -> Iterator[Row]:
    for played, (spec, result) in zip(shown.results, shown.counting, strict=True):
        versions = [shown.state.by_player[player].number for player in played.players]
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
            spec.match_id, seat + 1, spec.names[seat], version, result.points(seat) if valid else None, player.score,
            place, player.ending, clock.turns, sum(player.refusals.values()), round(clock.wall, 4),
            None if clock.cpu is None else round(clock.cpu, 4), round(clock.worst_turn, 4),
        )  # fmt: skip
