"""What formats that pair round by round need: cheapest matchings, balanced seats, and what earlier rounds say.

Fixed random numbers break ties of matchings, so that all versions of rustworkx give the same one.
"""

import random
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations

from arena.contests.config import PairingRules, StageConfig
from arena.contests.stages.encounters import EncounterResult

_TIES = 2**40
"""Each edge costs a random part of one unit more, of so many steps that two matchings hardly ever cost the same. The
parts of a whole matching can add up to some units, so costs that matter are far larger than one."""
_CEILING = 10**16 * _TIES
"""The library looks for the largest weight: a weight is what the cost leaves of this. All costs are below 10**16."""


def cheapest_matching(count: int, edges: Iterable[tuple[int, int, int]], seed: int) -> list[tuple[int, int]]:
    """Return the cheapest of the matchings with the most pairs, as sorted pairs of node numbers.

    Args:
        edges: The possible pairs: two nodes, and the cost of pairing these nodes. The cost is below 10**16.
    """
    import rustworkx

    graph: rustworkx.PyGraph[int, int] = rustworkx.PyGraph(multigraph=False)
    graph.add_nodes_from(range(count))
    dice = random.Random(seed)
    graph.add_edges_from(
        (node, partner, _CEILING - cost * _TIES - int(dice.random() * _TIES)) for node, partner, cost in edges
    )
    matching = rustworkx.max_weight_matching(graph, max_cardinality=True, weight_fn=int)
    return sorted((min(pair), max(pair)) for pair in matching)


# Seats in formats that pair round by round: each player has each seat about equally often.


@dataclass(slots=True)
class Seats:
    """The number of times that each player has had each seat.

    Attributes:
        step: The change of `surplus` by one encounter: 1 if its number of matches is odd, else 0.
        surplus: For each player: the number of matches in the first seat minus the number in the second.
        taken: For each player and seat of a table: how many games the player has had in this seat.
    """

    step: int
    surplus: Counter[str] = field(default_factory=Counter)
    taken: Counter[tuple[str, int]] = field(default_factory=Counter)

    @classmethod
    def of(cls, stage: StageConfig, rules: PairingRules) -> "Seats":
        """Return the empty counts for a new stage."""
        return cls(stage.games * rules.legs % 2)

    def add(self, result: EncounterResult) -> None:
        """Count the seats of one encounter. An encounter without games changes nothing."""
        players = result.encounter.players
        if result.played and len(players) == 2:
            first, second = players
            self.surplus[first] += self.step
            self.surplus[second] -= self.step
        elif result.played:
            for seat, name in enumerate(players):
                self.taken.update((name, number) for number in rotation(seat, result.played, len(players)))

    def clash(self, player: str, opponent: str) -> bool:
        """Return whether an encounter of the two players would give one of them a surplus of two, or of minus two."""
        return self.surplus[player] * self.surplus[opponent] > 0

    def seated(self, pair: tuple[str, ...], turn: int) -> tuple[str, ...]:
        """Return a pair in order of its seats. If both orders are equally good, an odd `turn` swaps the players."""
        difference = self.surplus[pair[0]] - self.surplus[pair[-1]]
        return pair[::-1] if difference > 0 or (difference == 0 and turn % 2) else pair

    def placed(self, names: Sequence[str], games: int) -> tuple[str, ...]:
        """Return the players of a table, ordered so that each player has all seats about equally often."""
        count = len(names)
        edges = (
            # Squares of counts grow by twice the count and one: the cheapest matching makes the counts equal.
            (index, count + seat, sum(2 * self.taken[name, number] + 1 for number in rotation(seat, games, count)))
            for index, name in enumerate(names)
            for seat in range(count)
        )
        seats = {seat - count: names[index] for index, seat in cheapest_matching(2 * count, edges, count)}
        return tuple(seats[seat] for seat in range(count))


def rotation(seat: int, games: int, count: int) -> list[int]:
    """Return the seat of a player in each game of an encounter.

    After each game, all players move to the previous seat.
    """
    return [(seat - game) % count for game in range(games)]


@dataclass(slots=True)
class EarlierRounds:
    """What the pairing of a round depends on.

    Attributes:
        counting: The setting `points` of the stage: players are paired by the points of its table.
    """

    counting: str = "game"
    points: defaultdict[str, Fraction] = field(default_factory=lambda: defaultdict(Fraction))
    met: Counter[frozenset[str]] = field(default_factory=Counter)
    byes: Counter[str] = field(default_factory=Counter)
    seats: Seats = field(default_factory=lambda: Seats(0))

    def add(self, result: EncounterResult) -> None:
        players = result.encounter.players
        for name, points in zip(players, result.counted(self.counting), strict=True):
            self.points[name] += points
        if result.decided in ("bye", "walkover"):
            # A win without a game counts as a bye. A player gets a second bye only if necessary.
            for name, points in zip(players, result.points, strict=True):
                self.byes[name] += 1 if points else 0
        if len(players) > 1:
            self.met.update(map(frozenset, combinations(players, 2)))
        self.seats.add(result)
