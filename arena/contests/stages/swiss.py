"""Swiss pairings: players with equal points meet, and rematches are avoided. Free-for-all does the same with tables.

Each round of pairs is a matching with the lowest cost. The costs express these goals, the most important first:

* no rematch
* no second bye
* balanced seats
* small differences in points, and byes for the players with the fewest points

Within a group of equal points, the upper half plays the lower half.

A matching among all pairs of 1,000 players takes seconds. So larger fields are paired among neighbours. The first three
goals are reached as well as among all pairs, or the neighbourhood grows up to all pairs.
"""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import combinations

from arena.contests.config import PairingRules, StageConfig
from arena.contests.stages.encounters import Encounter, Pairings, RoundResult
from arena.contests.stages.pairing import EarlierRounds, Seats, cheapest_matching
from arena.contests.stages.tables import seat_round, table_sizes

_BYE = -1
_REMATCH = 10**13
_SECOND_BYE = 10**12
_SEATS = 10**11
_DIFFERENCE = 10**4
"""The costs of a rematch, a second bye, an unbalanced seat, and (times the square of four times the difference) a
difference in points. They decide in this order, unless a second bye saves ten unbalanced seats, or a rematch a hundred;
all differences of a round of 1,000 players cost less than one seat. Below `_DIFFERENCE` is the distance from the
opponent in the other half of a group, which is a number of places."""
_FEW = 128
"""Among so many players, all pairs are compared. Among more, only neighbours, if that reaches the goals. All pairs
of 128 take 0.03 s, those of 1,000 took 8.6 s, and neighbours give the same rounds in 0.2 s."""
_NEIGHBOURS = 8
"""The first width of the neighbourhood. Chosen, not measured: it is doubled until the goals are reached."""


def swiss(stage: StageConfig, names: tuple[str, ...], rules: PairingRules, absent: frozenset[str]) -> Pairings:
    """Yield `rounds` rounds of Swiss pairings or tables (0: as many as single elimination would take).

    The stage ends if fewer than two players are present, or too few for a table.
    """
    rounds = stage.rounds or max(1, math.ceil(math.log2(max(2, len(names)))))
    history = EarlierRounds(stage.points, seats=Seats.of(stage, rules))
    number = 1
    while number <= rounds:
        players = [name for name in names if name not in absent]
        if len(players) < 2 or (stage.table and not table_sizes(len(players), stage.table, rules)):
            return
        report: RoundResult = yield _round(stage, number, players, history, rules)
        number, absent = 1 + max(encounter.round for encounter in report.encounters), report.absent
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
    width = _NEIGHBOURS if count > _FEW else count
    while width < count:
        pairs = _cheapest(ranked, history, _near(ranked, history, width))
        if _reaches_goals(ranked, pairs, history):
            return pairs
        width *= 2
    return _cheapest(ranked, history)


def _cheapest(
    ranked: Sequence[str], history: EarlierRounds, possible: Iterable[tuple[int, int]] | None = None
) -> list[tuple[str, ...]]:
    count = len(ranked)
    edges = _edges(ranked, history, possible)
    costs = ((count if player == _BYE else player, opponent, cost) for player, opponent, cost in edges)
    pairs = cheapest_matching(count + count % 2, costs, count)
    pairs.sort(key=lambda pair: count in pair)  # the bye last
    return [tuple(ranked[player] for player in pair if player < count) for pair in pairs]


def _reaches_goals(ranked: Sequence[str], pairs: list[tuple[str, ...]], history: EarlierRounds) -> bool:
    """Return whether a round of neighbours is as good as one of all pairs, but for the differences in points.

    Everybody plays or has a first bye, nobody has a rematch, and as few seats as possible are unbalanced. More players
    with a surplus in one seat than others to meet cannot all be balanced.
    """
    byes = [pair[0] for pair in pairs if len(pair) == 1]
    games = [(pair[0], pair[1]) for pair in pairs if len(pair) == 2]
    if 2 * len(games) + len(byes) < len(ranked):
        return False
    if any(history.byes[name] for name in byes) or any(history.met[frozenset(pair)] for pair in games):
        return False
    surplus = Counter((history.seats.surplus[name] > 0) - (history.seats.surplus[name] < 0) for name in ranked)
    crowd = max(surplus[1], surplus[-1])
    least = max(0, (2 * crowd - len(ranked)) // 2)
    return sum(history.seats.clash(*pair) for pair in games) <= least


def _near(ranked: Sequence[str], history: EarlierRounds, width: int) -> list[tuple[int, int]]:
    """Return the pairs of players who are near to each other, as indexes.

    For each player, these are the `width` best opponents of the same points, of more and of less points. Opponents whom
    the player has met do not count. A quarter of `width` is added for opponents who have a surplus in the same seat.
    """
    count = len(ranked)
    pairs: set[tuple[int, int]] = set()
    for player, (place, size) in enumerate(_places_in_group(ranked, history)):
        first, end = player - place, player - place + size
        goal = player + size // 2 if place < (size + 1) // 2 else player - size // 2
        # A whole group can have to meet the next one. So not all look at the same few players of the other group first.
        for opponents, most in (
            (_around(goal, first, end), width),
            (range(end, count), width // 2),
            (range(end + place, count), width // 2),
            (range(first - 1, -1, -1), width // 2),
            (range(first - size + place, -1, -1), width // 2),
        ):
            left = {False: most, True: most // 4}
            for opponent in opponents:
                if player == opponent or history.met[frozenset((ranked[player], ranked[opponent]))]:
                    continue
                clash = history.seats.clash(ranked[player], ranked[opponent])
                if left[clash]:
                    left[clash] -= 1
                    pairs.add((player, opponent) if player < opponent else (opponent, player))
                if not left[False]:
                    break
    return sorted(pairs)


def _around(goal: int, first: int, end: int) -> Iterator[int]:
    """Yield the numbers from `first` to before `end`, those near to `goal` first."""
    goal = min(max(goal, first), end - 1)
    yield goal
    for distance in range(1, end - first):
        if goal + distance < end:
            yield goal + distance
        if goal - distance >= first:
            yield goal - distance


def _edges(
    ranked: Sequence[str], history: EarlierRounds, possible: Iterable[tuple[int, int]] | None = None
) -> Iterator[tuple[int, int, int]]:
    """Yield each pair with its cost. A pair is the indexes of two players, or `_BYE` and an index.

    Args:
        possible: The pairs of players, in a fixed order; all pairs if None.
    """
    count = len(ranked)
    places = _places_in_group(ranked, history)
    for player, opponent in combinations(range(count), 2) if possible is None else possible:
        names = ranked[player], ranked[opponent]
        cost = history.met[frozenset(names)] * _REMATCH + history.seats.clash(*names) * _SEATS
        yield player, opponent, cost + _distance(ranked, history, places, player, opponent)
    for player in range(count if count % 2 else 0):
        yield _BYE, player, history.byes[ranked[player]] * _SECOND_BYE + _bye_cost(ranked, history, player)


def _places_in_group(ranked: Sequence[str], history: EarlierRounds) -> list[tuple[int, int]]:
    sizes = Counter(history.points[name] for name in ranked)
    seen: Counter[Fraction] = Counter()
    places = []
    for name in ranked:
        points = history.points[name]
        places.append((seen[points], sizes[points]))
        seen[points] += 1
    return places


def _distance(
    ranked: Sequence[str], history: EarlierRounds, places: list[tuple[int, int]], player: int, opponent: int
) -> int:
    difference = abs(history.points[ranked[player]] - history.points[ranked[opponent]])
    if difference == 0:
        place, size = places[player]
        return abs(places[opponent][0] - place - size // 2)
    return round((4 * difference) ** 2) * _DIFFERENCE + (opponent - player)


def _bye_cost(ranked: Sequence[str], history: EarlierRounds, player: int) -> int:
    """Return the cost of a bye. It grows with the player's lead in points over the last player.

    It counts four times as much as the same difference of a pair: a bye is a whole point without a game.
    """
    difference = history.points[ranked[player]] - history.points[ranked[-1]]
    return round((4 * difference) ** 2) * _DIFFERENCE * 4 + (len(ranked) - 1 - player)
