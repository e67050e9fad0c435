"""The rows of all tables of a contest, for programs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from arena.contests.board import Board
from arena.contests.report import listings, tables
from arena.contests.report.documents import contest_document
from arena.contests.report.shown import Match, Shown
from arena.contests.report.tables import Table
from arena.contests.values import LADDER
from arena.match.result import MatchResult
from arena.match.spec import MatchSpec

Row = dict[str, Any]


def tables_of(shown: Shown, document: Mapping[str, Any] | None = None) -> Iterator[Table]:
    """Yield all tables, in the order of `tables.KINDS`.

    Args:
        document: What `contest_document` returns, if it is known. It needs no games.
    """
    document = document or contest_document(shown, games=False)
    stages = document["stages"]
    yield Table.of(tables.CONTEST, [_contest(shown, document)])
    yield Table.of(tables.ENTRANTS, _entrants(shown, document))
    yield Table.of(tables.VERSIONS, _versions(shown))
    standings = [(stage["name"], row) for stage in stages for row in stage["standings"]]
    yield Table.of(tables.STANDINGS, [{"stage": stage, **row} for stage, row in standings])
    yield Table.of(tables.LADDER, document["ladder"] or [])
    breaks = [
        {"stage": stage, "name": row["name"], "tiebreak": name, "value": value}
        for stage, row in standings
        for name, value in row["tiebreaks"].items()
    ]
    yield Table.of(tables.TIEBREAKS, breaks)
    rows = [row for stage in stages for row in listings.encounters(stage).rows]
    yield Table(tables.ENCOUNTERS, rows, tables.ENCOUNTERS.columns)
    yield Table(tables.RATINGS, listings.ratings(document).rows, tables.RATINGS.columns)
    yield Table.of(tables.SUPERIORITY, _superiority(document["ratings"]))
    yield Table.of(tables.SKILLS, _skills(shown))
    yield Table.of(tables.BEHAVIOUR, [{"name": name, **one} for name, one in document["statistics"].items()])
    yield Table.of(tables.ACTS, document["acts"])
    yield Table.of(tables.MATCHES, match_rows(shown))
    yield Table.of(tables.SEATS, _seats(shown))


def _contest(shown: Shown, document: Mapping[str, Any]) -> Row:
    config = shown.state.settings
    held = sum(not shown.released.shows(one) for one in shown.state.played.values())
    known = {key: document[key] for key in ("id", "game", "finished", "matches", "different_games")}
    return known | {"name": config.name, "deadline": config.visible.deadline or None, "held_back": held}


def _entrants(shown: Shown, document: Mapping[str, Any]) -> Iterator[Row]:
    state, suspended, remote = shown.state, document["suspended"], document["remote"]
    for place, name in enumerate(document["final"], 1):
        orders, entrant = state.orders, state.entrants[name]
        out = "disqualified" if name in orders.out else "withdrawn" if name in orders.withdrawn else None
        yield {
            "place": place, "name": name, "team": entrant.is_team, "groups": " ".join(entrant.groups), "out": out,
            "suspended": suspended.get(name), "remote": name in remote,
        }  # fmt: skip


def _versions(shown: Shown) -> Iterator[Row]:
    state = shown.state
    for name, versions in state.versions.items():
        is_secret = state.entrants[name].is_team and not shown.everything
        for one in versions:
            if shown.everything or state.was_active(one.player):
                yield {"name": name, "version": one.number, "at": one.at, "hash": None if is_secret else one.hash}


def _superiority(ratings: list[Row]) -> Iterator[Row]:
    for place, one in enumerate(ratings):
        for other in ratings[place + 1 :]:
            yield {"name": one["name"], "other": other["name"], "likelihood": one["superiority"][other["name"]]}


def _skills(shown: Shown) -> Iterator[Row]:
    """Add all results of the ladder to a new board, one by one."""
    state, board = shown.state, Board(shown.state)
    for played in shown.results:
        if played.kind in (LADDER, "replay") and state.counts(played):
            board.advance(played.index + 1)
            for name in dict.fromkeys(played.names):
                skill = board.skills[name]
                yield {
                    "match_id": played.id, "ended_at": played.at, "name": name, "rating": round(skill.ordinal, 6),
                    "skill": round(skill.mu, 6), "uncertainty": round(skill.sigma, 6),
                }  # fmt: skip


def match_rows(shown: Shown) -> list[Row]:
    """Return the rows of the table `matches`, in the order in which the matches ended."""
    counted = {spec.match_id for spec, result in shown.of_stages if result.has_verdict}
    return [
        match_row(
            *_counting(shown, played), played.at, spent=shown.everything or shown.seed_is_spent(played.spec),
            counts=shown.state.counts(played) if played.is_rated else played.id in counted,
        )
        for played in shown.results
    ]  # fmt: skip


def _counting(shown: Shown, played: Any) -> Match:
    return played.spec, shown.state.orders.of(played.id, played.result)


def counting(shown: Shown) -> list[Match]:
    """Return all matches that a reader sees with the results that count, in the order in which they ended."""
    return [_counting(shown, played) for played in shown.results]


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
    return {
        "match_id": spec.match_id, "stage": spec.stage, "round": spec.round, "pairing": spec.pairing + 1,
        "number": spec.number + 1, "map": spec.map, "seed": spec.seed if spent else None, "ended_at": at,
        "turns": result.turns, "result": kind, "reason": outcome.reason, "counts": counts,
        "winner": spec.names[winners[0]] if kind == "won" and len(winners) == 1 else None,
        "seconds": round(result.seconds.total, 3), "isolation": int(result.isolation.level), "replay": result.replay,
    }  # fmt: skip


def _seats(shown: Shown) -> Iterator[Row]:
    for played, (spec, result) in zip(shown.results, counting(shown), strict=True):
        versions = [shown.state.by_player[player].number for player in played.players]
        yield from seat_rows(spec, result, versions)


def seat_rows(spec: MatchSpec, result: MatchResult, versions: Iterable[int]) -> Iterator[Row]:
    """Yield the rows of the table `seats` of one match."""
    outcome, valid = result.outcome, result.has_verdict
    for seat, (player, version) in enumerate(zip(result.players, versions, strict=True)):
        clock = player.clock
        place: int | None = None
        if valid and outcome.common is None:
            won = outcome.winner is None or outcome.winner == seat
            place = outcome.ranks[seat] if outcome.ranks else 1 if won else 2
        yield {
            "match_id": spec.match_id, "seat": seat + 1, "name": spec.names[seat], "version": version,
            "points": result.points(seat) if valid else None, "score": player.score, "place": place,
            "ending": player.ending, "turns": clock.turns, "refused": sum(player.refusals.values()),
            "wall_seconds": round(clock.wall, 4), "cpu_seconds": None if clock.cpu is None else round(clock.cpu, 4),
            "worst_turn_seconds": round(clock.worst_turn, 4),
        }  # fmt: skip
