"""Swiss pairings: players with equal points meet, and rematches are avoided. Free-for-all does the same with tables.

Each round of pairs is a matching with the lowest cost. The costs express these goals, the most important first:

* no rematch
* no second bye
* balanced seats
* small differences in points, and byes for the players with the fewest points

Within a group of equal points, the upper half plays the lower half.
"""

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations

from arena.tournament.plan.config import PairingRules, StageConfig
from arena.tournament.plan.encounters import Encounter, EncounterResult, Pairings, RoundResult
from arena.tournament.plan.formats.matching import cheapest_matching
from arena.tournament.plan.formats.seats import Seats
from arena.tournament.plan.formats.tables import seat_round, table_sizes

_BYE = -1
_REMATCH = 10**13
_SECOND_BYE = 10**12
_SEATS = 10**11
_DIFFERENCE = 10**4


@dataclass(slots=True)
class EarlierRounds:
    points: Counter[str] = field(default_factory=Counter)
    met: Counter[frozenset[str]] = field(default_factory=Counter)
    byes: Counter[str] = field(default_factory=Counter)
    seats: Seats = field(default_factory=lambda: Seats(0))

    def add(self, result: EncounterResult) -> None:
        players = result.encounter.players
        for name, points in zip(players, result.points, strict=True):
            self.points[name] += points  # type: ignore[assignment]
        if result.decided in ("bye", "walkover"):
            # A win without a game counts as a bye. A player gets a second bye only if necessary.
            for name, points in zip(players, result.points, strict=True):
                self.byes[name] += 1 if points else 0
        if len(players) > 1:
            self.met.update(map(frozenset, combinations(players, 2)))
        self.seats.add(result)


def swiss(stage: StageConfig, names: tuple[str, ...], rules: PairingRules) -> Pairings:
    """Yield `rounds` rounds of Swiss pairings or tables (0: as many as single elimination would take).

    A round is left out if fewer than two players are present, or too few for a table.
    """
    late, withdrawn = dict(stage.late), dict(stage.withdrawn)
    rounds = stage.rounds or max(1, math.ceil(math.log2(max(2, len(names)))))
    history = EarlierRounds(seats=Seats.of(stage, rules))
    absent: frozenset[str] = frozenset()
    number = 0
    while (number := number + 1) <= rounds:
        players = [
            name for name in names
            if late.get(name, 1) <= number < withdrawn.get(name, rounds + 1) and name not in absent
        ]  # fmt: skip
        if len(players) < 2 or (stage.table and not table_sizes(len(players), stage.table, rules)):
            continue
        report: RoundResult = yield _round(stage, number, players, history, rules)
        number = max([number, *(result.encounter.round for result in report.results)])
        absent = report.absent
        for result in report.results:
            history.add(result)


def _round(
    stage: StageConfig, number: int, players: list[str], history: EarlierRounds, rules: PairingRules
) -> Iterator[Encounter]:
    seeds = {name: seed for seed, name in enumerate(players)}
    ranked = sorted(players, key=lambda name: (-history.points[name], seeds[name]))
    if stage.table:
        tables = seat_round(ranked, history, table_sizes(len(ranked), stage.table, rules), stage.games)
        for index, names in enumerate(tables):
            yield Encounter(stage.name, number, index, names, stage.games)
        return
    for index, pair in enumerate(pair_round(ranked, history)):
        yield Encounter(stage.name, number, index, history.seats.seated(pair, number + index), stage.games)


def pair_round(ranked: Sequence[str], history: EarlierRounds) -> list[tuple[str, ...]]:
    """Pair players who are sorted by points, at the lowest cost. A bye is a tuple of one name, at the end."""
    count = len(ranked)
    edges = _edges(ranked, history)
    costs = ((count if one == _BYE else one, other, cost) for one, other, cost in edges)
    pairs = cheapest_matching(count + count % 2, costs, count)
    return [tuple(ranked[one] for one in pair if one < count) for pair in sorted(pairs, key=lambda pair: count in pair)]


def _edges(ranked: Sequence[str], history: EarlierRounds) -> Iterator[tuple[int, int, int]]:
    """Yield each pair with its cost. A pair is the indexes of two players, or `_BYE` and an index."""
    count = len(ranked)
    places = _places_in_group(ranked, history)
    for one in range(count):
        for other in range(one + 1, count):
            rematches = history.met[frozenset((ranked[one], ranked[other]))]
            cost = rematches * _REMATCH + history.seats.clash(ranked[one], ranked[other]) * _SEATS
            yield one, other, cost + _distance(ranked, history, places, one, other)
    for one in range(count if count % 2 else 0):
        yield _BYE, one, history.byes[ranked[one]] * _SECOND_BYE + _bye_cost(ranked, history, one)


def _places_in_group(ranked: Sequence[str], history: EarlierRounds) -> list[tuple[int, int]]:
    sizes = Counter(history.points[name] for name in ranked)
    seen: Counter[float] = Counter()
    places = []
    for name in ranked:
        points = history.points[name]
        places.append((seen[points], sizes[points]))
        seen[points] += 1
    return places


def _distance(
    ranked: Sequence[str], history: EarlierRounds, places: list[tuple[int, int]], one: int, other: int
) -> int:
    difference = abs(history.points[ranked[one]] - history.points[ranked[other]])
    if difference == 0:
        place, size = places[one]
        return abs(places[other][0] - place - size // 2)
    return round((4 * difference) ** 2) * _DIFFERENCE + (other - one)


def _bye_cost(ranked: Sequence[str], history: EarlierRounds, one: int) -> int:
    """Return the cost of a bye. It grows with the player's lead in points over the last player."""
    difference = history.points[ranked[one]] - history.points[ranked[-1]]
    return round((4 * difference) ** 2) * _DIFFERENCE * 4 + (len(ranked) - 1 - one)
