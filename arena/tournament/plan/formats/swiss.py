"""Swiss pairings: equals meet equals, nobody meets anybody twice before it is forced.

Each round is one matching of maximum weight. The edges carry what is wanted, in this order: no rematch, a bye
only for those who had none, small differences in points, byes at the bottom, and within a group of equal points
the upper half against the lower half.
"""

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from arena.tournament.plan.config import StageConfig
from arena.tournament.plan.encounters import Encounter, EncounterResult, Pairings, RoundResult

_BYE = -1
_NEIGHBOURS = 8
_REMATCH = 10**13
_SECOND_BYE = 10**12
_DIFFERENCE = 10**4
_CEILING = 10**16


@dataclass(slots=True)
class _History:
    """What earlier rounds say about the players."""

    points: Counter[str] = field(default_factory=Counter)
    met: Counter[frozenset[str]] = field(default_factory=Counter)
    byes: Counter[str] = field(default_factory=Counter)
    first_seats: Counter[str] = field(default_factory=Counter)

    def add(self, result: EncounterResult) -> None:
        players = result.encounter.players
        for name, points in zip(players, result.points, strict=True):
            self.points[name] += points  # type: ignore[assignment]
        if result.decided in ("bye", "walkover"):
            # A win without a game counts as a bye: nobody gets two of them before it is forced.
            for name, points in zip(players, result.points, strict=True):
                self.byes[name] += 1 if points else 0
        if len(players) > 1:
            self.met[frozenset(players)] += 1
            self.first_seats[players[0]] += 1


def swiss(stage: StageConfig, names: tuple[str, ...]) -> Pairings:
    """`rounds` rounds of Swiss pairings (0: as many as single elimination would take)."""
    late, withdrawn = dict(stage.late), dict(stage.withdrawn)
    rounds = stage.rounds or max(1, math.ceil(math.log2(max(2, len(names)))))
    history = _History()
    absent: frozenset[str] = frozenset()
    for number in range(1, rounds + 1):
        players = [
            name for name in names
            if late.get(name, 1) <= number < withdrawn.get(name, rounds + 1) and name not in absent
        ]  # fmt: skip
        if len(players) < 2:
            continue
        report: RoundResult = yield tuple(_round(stage, number, players, history))
        absent = report.absent
        for result in report.results:
            history.add(result)


def _round(stage: StageConfig, number: int, players: list[str], history: _History) -> Iterator[Encounter]:
    seeds = {name: seed for seed, name in enumerate(players)}
    ranked = sorted(players, key=lambda name: (-history.points[name], seeds[name]))
    for index, pair in enumerate(pair_round(ranked, history)):
        if len(pair) == 2 and history.first_seats[pair[0]] > history.first_seats[pair[1]]:
            pair = (pair[1], pair[0])
        yield Encounter(stage.name, number, index, pair, stage.games)


def pair_round(ranked: Sequence[str], history: _History) -> list[tuple[str, ...]]:
    """Pair players who are sorted by points; a single name at the end has the bye.

    A matching among near neighbours is tried first and the circle is widened until everybody is paired without
    a rematch; only when the whole field does not allow that are rematches let in.
    """
    reach = _NEIGHBOURS
    while True:
        matching = _match(ranked, history, reach, forced=False)
        if matching is not None or reach >= len(ranked):
            break
        reach *= 4
    if matching is None:
        matching = _match(ranked, history, len(ranked), forced=True)
    assert matching is not None, "with rematches allowed everybody can be paired"
    pairs = sorted(tuple(sorted(pair)) for pair in matching if _BYE not in pair)
    result: list[tuple[str, ...]] = [(ranked[one], ranked[other]) for one, other in pairs]
    result += [(ranked[max(pair)],) for pair in matching if _BYE in pair]
    return result


def _match(ranked: Sequence[str], history: _History, reach: int, *, forced: bool) -> set[tuple[int, int]] | None:
    """Return a perfect matching, or None when there is none with these edges."""
    import networkx

    graph: networkx.Graph[int] = networkx.Graph()
    count = len(ranked)
    places = _places_in_group(ranked, history)
    for one in range(count):
        # A group's halves meet, so the reach is counted from the ideal opponent on.
        half = max(1, places[one][1] // 2)
        for other in range(one + 1, min(count, one + half + reach)):
            rematches = history.met[frozenset((ranked[one], ranked[other]))]
            if rematches and not forced:
                continue
            cost = rematches * _REMATCH + _distance(ranked, history, places, one, other)
            graph.add_edge(one, other, weight=_CEILING - cost)
    if count % 2:
        for one in range(count):
            byes = history.byes[ranked[one]]
            if byes and not forced:
                continue
            graph.add_edge(_BYE, one, weight=_CEILING - byes * _SECOND_BYE - _bye_cost(ranked, history, one))
    matching = networkx.max_weight_matching(graph, maxcardinality=True)
    return matching if 2 * len(matching) == count + count % 2 else None


def _places_in_group(ranked: Sequence[str], history: _History) -> list[tuple[int, int]]:
    """For each player: place within the group of equal points, and size of the group."""
    sizes = Counter(history.points[name] for name in ranked)
    seen: Counter[float] = Counter()
    places = []
    for name in ranked:
        points = history.points[name]
        places.append((seen[points], sizes[points]))
        seen[points] += 1
    return places


def _distance(ranked: Sequence[str], history: _History, places: list[tuple[int, int]], one: int, other: int) -> int:
    difference = abs(history.points[ranked[one]] - history.points[ranked[other]])
    if difference == 0:
        place, size = places[one]
        return abs(places[other][0] - place - size // 2)
    return round((4 * difference) ** 2) * _DIFFERENCE + (other - one)


def _bye_cost(ranked: Sequence[str], history: _History, one: int) -> int:
    """Return the bye goes to the bottom of the table: dearer for each point above the last."""
    difference = history.points[ranked[one]] - history.points[ranked[-1]]
    return round((4 * difference) ** 2) * _DIFFERENCE * 4 + (len(ranked) - 1 - one)
