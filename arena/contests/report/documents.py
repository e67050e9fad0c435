"""Make JSON documents of a tournament. The standings document has no times, since times differ from run to run."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from arena.match.repeats import different_games
from arena.match.result import MatchResult, PlayerResult
from arena.match.spec import MatchSpec
from arena.ratings.choices import units
from arena.ratings.plackett_luce import Ratings, plackett_luce
from arena.text.numbers import rounded
from arena.contests.stages.encounters import EncounterResult
from arena.contests.stages.stage import StageRun
from arena.contests.stages.series import Series
from arena.contests.stages.standings import EXPLANATIONS
from arena.contests.statistics import bot_statistics
from arena.tournament.run.organizer import Snapshot


def standings_document(snapshot: Snapshot) -> dict[str, Any]:
    """Return standings, encounters and ratings. The same results always give the same document."""
    schedule = snapshot.schedule
    different = different_games(schedule.matches())
    return {
        "tournament": snapshot.tournament.config.name,
        "game": snapshot.tournament.config.game,
        "id": snapshot.tournament.id,
        "finished": schedule.finished,
        "matches": len(schedule.matches()),
        "different_games": len(different),
        "final": final_order(snapshot),
        "stages": [
            _stage(run) | {"encounters": [_encounter(series) for series in run.series]} for run in schedule.stages
        ],
        "ratings": _ratings(_fitted(snapshot.tournament.names, different)),
        "versions": _versions(snapshot),
        "suspended": dict(schedule.suspended),
        "uncounted": [spec.match_id for spec in schedule.uncounted()],
        "conflicts": list(snapshot.conflicts),
        "excluded": list(snapshot.excluded),
        "remote": [entrant.name for entrant in snapshot.tournament.entrants if entrant.is_remote],
    }


def _versions(snapshot: Snapshot) -> dict[str, dict[str, int]]:
    found: dict[str, Counter[str]] = {}
    for spec, _ in snapshot.schedule.matches():
        for seat in spec.seats:
            found.setdefault(seat.name, Counter())[seat.hash] += 1
    return {name: dict(versions) for name, versions in found.items() if len(versions) > 1}


def statistics_document(snapshot: Snapshot, *, private: bool = False) -> dict[str, Any]:
    """Return endings, refusals, void matches and times of each bot. The times differ from run to run.

    Args:
        private: Whether to include the last output of the bots, which is for the organizer only.
    """
    names = snapshot.tournament.names
    found = bot_statistics(names, snapshot.schedule.matches(), snapshot.voids)
    return {
        name: {
            "matches": one.matches,
            "endings": dict(sorted(one.endings.items())),
            "refusals": one.refusals,
            "voids": one.voids,
            "mean_turn_seconds": round(one.mean_turn_seconds, 6),
            "mean_turn_cpu_seconds": None if one.mean_turn_cpu_seconds is None else round(one.mean_turn_cpu_seconds, 6),
            "worst_turn_seconds": round(one.worst_turn_seconds, 6),
            "cpu_seconds": round(one.cpu_seconds, 6),
            "last_failure": one.last_failure + (f"; {one.last_words}" if private and one.last_words else ""),
        }
        for name, one in found.items()
    }


def tournament_document(snapshot: Snapshot, *, private: bool = False, games: bool = True) -> dict[str, Any]:
    """Return all data of a tournament in one document.

    Args:
        private: Whether to include the last output of the bots, which is for the organizer only.
        games: Whether to include each match.
    """
    return {
        **standings_document(snapshot),
        "statistics": statistics_document(snapshot, private=private),
        "games": [
            match_document(spec, result, private=private, spent=snapshot.schedule.seed_is_spent(spec))
            for spec, result in (snapshot.schedule.matches() if games else ())
        ],
    }


def stage_documents(snapshot: Snapshot) -> list[dict[str, Any]]:
    """Return the standings of each stage."""
    return [_stage(run) for run in snapshot.schedule.stages]


def match_document(
    spec: MatchSpec, result: MatchResult, *, private: bool = False, spent: bool = False
) -> dict[str, Any]:
    """Return one match with its result.

    Args:
        private: Whether to include what is for the organizer only: the `last_words` of failed bots, each seed, and the
            name of the machine that played.
        spent: Whether no further match with this seed will be played. Then the seed is public.
    """
    document = spec.to_document()
    del document["tournament"]
    if not (private or spent):
        del document["seed"]
    same = ("turns", "replay", "replay_hash", "void", "lateness", "pressure")
    document["outcome"] = {
        "seats": [
            _seat_document(player, private=private) | ({"place": place} if (place := result.place(seat)) else {})
            for seat, player in enumerate(result.players)
        ],
        **result.outcome.to_document(),
        "isolation": result.isolation.name,
        "seconds": result.seconds.total,
        **{name: getattr(result, name) for name in same},
    }
    if private:
        document["outcome"]["host"] = result.host
    return document


def _seat_document(player: PlayerResult, *, private: bool) -> dict[str, Any]:
    clock = player.clock
    document = {
        "ending": player.ending,
        "score": player.score,
        "turns": clock.turns,
        "refusals": sum(player.refusals.values()),
        "wall_seconds": clock.wall,
        "cpu_seconds": clock.cpu,
        "worst_turn_seconds": clock.worst_turn,
        "detail": player.explanation,
    }
    return document | {"said": player.last_words} if private else document


def final_order(snapshot: Snapshot) -> list[str]:
    """Return all entrants, best first. Entrants of a later stage come before those who only played earlier stages."""
    order: dict[str, None] = {}
    for run in reversed(snapshot.schedule.stages):
        order |= dict.fromkeys(row.name for row in run.rank())
    return list(order | dict.fromkeys(snapshot.tournament.names))


def _fitted(names: Sequence[str], different: Iterable[tuple[MatchSpec, MatchResult]]) -> Ratings:
    """Return the ratings of all entrants who have played.

    Args:
        different: The games, without those that only repeat another game.
    """
    found = units(different)
    seen = {name for unit in found for name in unit.wins}
    return plackett_luce([name for name in names if name in seen], found)


def _ratings(ratings: Ratings) -> list[dict[str, Any]]:
    order = sorted(range(len(ratings.names)), key=lambda index: (-round(ratings.elo[index], 2), index))
    return [
        {
            "name": ratings.names[index],
            "elo": rounded(ratings.elo[index], 2),
            "low": rounded(ratings.interval(index)[0], 2),
            "high": rounded(ratings.interval(index)[1], 2),
            "superiority": {
                ratings.names[other]: round(ratings.superiority(index, other), 4) for other in order if other != index
            },
        }
        for index in order
    ]


def _stage(run: StageRun) -> dict[str, Any]:
    rows = [row.to_document() for row in run.rank()]
    columns = [*run.config.tiebreaks, *({"plus_minus"} & (rows[0]["tiebreaks"].keys() if rows else set()))]
    return {
        "name": run.config.name,
        "format": run.config.format,
        "finished": run.finished,
        "tiebreaks": {name: EXPLANATIONS[name] for name in columns} if not is_bracket(run) else {},
        "standings": rows,
    }


def is_bracket(run: StageRun) -> bool:
    return run.config.format in ("single_elimination", "double_elimination")


def _table(result: EncounterResult) -> dict[str, Any]:
    """Return the ranks, and the points against each opponent, of an encounter with three or more players.

    In a knockout, also return the order of the players, and how many of them advance.
    """
    players = result.encounter.players
    numbers = range(len(players))
    opponents = [set().union(*(game.opponents(one) for game in result.outcomes)) for one in numbers]
    document: dict[str, Any] = {
        "ranks": [list(game.ranks) for game in result.outcomes],
        "against": [
            [result.against(one, other) if other in opponents[one] else None for other in numbers] for one in numbers
        ],
    }
    if result.order:
        document |= {"order": [players[index] for index in result.order], "advance": result.encounter.advance}
    return document


def _encounter(series: Series) -> dict[str, Any]:
    encounter = series.encounter
    document: dict[str, Any] = {
        "round": encounter.round,
        "index": encounter.index,
        "section": encounter.section,
        "column": encounter.column,
        "row": encounter.row,
        "players": list(encounter.players),
        "matches": [game.spec.match_id for game in series.games],
    }
    if series.is_decided:
        result = series.result()
        document |= {
            "points": [float(points) for points in result.points],
            "winner": result.winner_name,
            "decided": result.decided,
        }
        if len(encounter.players) > 2:
            document |= _table(result)
    return document
