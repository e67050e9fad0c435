"""Make JSON documents of a contest. The standings document has no times, since times differ from run to run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from arena.contests.acts import public_log
from arena.contests.report.ladder import ladder_document
from arena.contests.report.shown import Shown
from arena.contests.stages.encounters import EncounterResult
from arena.contests.stages.series import Series
from arena.contests.stages.stage import StageRun
from arena.contests.stages.standings import EXPLANATIONS
from arena.contests.statistics import bot_statistics
from arena.match.ending import REGULAR
from arena.match.repeats import different_games
from arena.match.result import MatchResult, PlayerResult
from arena.match.spec import MatchSpec
from arena.ratings.choices import units
from arena.ratings.plackett_luce import Ratings, plackett_luce
from arena.text.numbers import rounded

BRACKETS = ("single_elimination", "double_elimination")
"""The formats with a bracket."""


def standings_document(shown: Shown) -> dict[str, Any]:
    """Return ladder, standings, encounters and ratings. The same results always give the same document."""
    state, different = shown.state, different_games(shown.of_stages)
    remote = [name for name in state.entrants if (active := state.active(name)) and active.is_remote]
    return {
        "contest": state.settings.name,
        "game": state.settings.game,
        "id": state.id,
        "finished": shown.finished,
        "matches": len(shown.matches()),
        "matches_of_stages": len(shown.of_stages),
        "different_games": len(different),
        "final": shown.final_order(),
        "ladder": None if state.settings.ladder is None else [_named(row) for row in ladder_document(shown.ladder)],
        "stages": [
            _stage(shown, run) | {"encounters": [_encounter(series) for series in run.series]}
            for run in shown.stages.values()
        ],
        "ratings": _ratings(_fitted([*state.entrants], different)),
        "versions": _versions(shown),
        "suspended": shown.suspended,
        "uncounted": [spec.match_id for spec in shown.uncounted()],
        "conflicts": [one for one in state.conflicts if shown.released.shows(state.played[one])],
        "excluded": list(state.excluded),
        "remote": remote,
    }


def _named(row: dict[str, Any]) -> dict[str, Any]:
    return {"place": row["place"], "name": row["team"], **{key: row[key] for key in row if key != "team"}}


def _versions(shown: Shown) -> dict[str, dict[int, int]]:
    """Return the number of matches of each version, of entrants who have played in stages with several."""
    found: dict[str, Counter[int]] = {}
    for spec, _ in shown.of_stages:
        for name, content in shown.state.players_of(spec):
            found.setdefault(name, Counter())[shown.state.by_player[name, content].number] += 1
    return {name: dict(versions) for name, versions in found.items() if len(versions) > 1}


def statistics_document(shown: Shown, *, private: bool = False) -> dict[str, Any]:
    """Return endings, refusals, void matches and times of each bot. The times differ from run to run.

    Args:
        private: Whether to include the last output of the bots, which is for the organizer only.
    """
    found = bot_statistics(shown.state.entrants, shown.matches(), shown.state.voids)
    return {
        name: {
            "matches": one.matches,
            "endings": dict(sorted(one.endings.items())),
            "failures": ", ".join(
                f"{count} {ending}" for ending, count in one.endings.items() if ending not in (*REGULAR, "void")
            ),
            "refused": one.refusals,
            "voids": one.voids + one.endings["void"],
            "mean_turn_seconds": round(one.mean_turn_seconds, 6),
            "mean_turn_cpu_seconds": None if one.mean_turn_cpu_seconds is None else round(one.mean_turn_cpu_seconds, 6),
            "worst_turn_seconds": round(one.worst_turn_seconds, 6),
            "cpu_seconds": round(one.cpu_seconds, 6),
            "last_failure": one.last_failure + (f"; {one.last_words}" if private and one.last_words else ""),
        }
        for name, one in found.items()
    }


def contest_document(shown: Shown, *, private: bool = False, games: bool = True) -> dict[str, Any]:
    """Return all data of a contest in one document.

    Args:
        private: Whether to include the last output of the bots, which is for the organizer only.
        games: Whether to include each match.
    """
    return {
        **standings_document(shown),
        "statistics": statistics_document(shown, private=private),
        "acts": public_log(shown.state, everything=shown.everything),
        "games": [
            match_document(spec, result, private=private, spent=shown.seed_is_spent(spec))
            for spec, result in (shown.matches() if games else ())
        ],
    }


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
    document["seats"] = [{"name": name} for name in spec.names]
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


def _stage(shown: Shown, run: StageRun) -> dict[str, Any]:
    rows = [row.to_document() for row in run.rank()]
    columns = [*run.config.tiebreaks, *({"plus_minus"} & (rows[0]["tiebreaks"].keys() if rows else set()))]
    return {
        "name": run.config.name,
        "format": run.config.format,
        "finished": shown.is_over(run),
        "tiebreaks": {name: EXPLANATIONS[name] for name in columns} if run.config.format not in BRACKETS else {},
        "standings": rows,
    }


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
