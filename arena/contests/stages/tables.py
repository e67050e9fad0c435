"""Tables of more than two players: sizes of tables, seating, and elimination by tables."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import count, cycle
from typing import TYPE_CHECKING

from arena.contests.config import PairingRules, StageConfig
from arena.contests.stages.encounters import Encounter, EncounterResult, Pairings
from arena.contests.stages.pairing import EarlierRounds, Seats
from arena.contests.stages.standings import Row, rank_table

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    Array = NDArray[numpy.int64]

_UNIT = 100
"""Differences of points are compared in hundredths: finer than the share of one opponent at the largest table."""
_REMATCH = (2 * _UNIT) ** 2
"""The cost of a repeated meeting. It equals a difference of two points."""
_SEATS = _UNIT**2
"""The cost if two players at a table have both had the same seat too often. It equals a difference of one point."""
_EFFORT = 1_600
_MOST_STARTS = 24
"""The number of further starts of the search is `_EFFORT` divided by the number of bots, but at most `_MOST_STARTS`. A
start takes time with the square of the bots: with these values, a round of 400 bots takes 0.4 s, one of 64 0.04 s."""


def table_sizes(bots: int, size: int, rules: PairingRules) -> list[int]:
    """Return the sizes of the tables of a round, the larger ones first.

    A table has `size` bots, or one less if the game allows this. As many bots as possible play, and the others have a
    bye. If there are too few bots for such a table, all share one smaller table. Return an empty list if the game
    needs more bots.
    """
    least, most = rules.players
    size = min(size, most)
    smaller = size - 1 if size > max(least, 2) else size
    counts = [(large, (bots - large * size) // smaller if smaller < size else 0) for large in range(bots // size + 1)]
    large, small = max(counts, key=lambda counts: (counts[0] * size + counts[1] * smaller, counts[0]))
    if not large + small:
        return [bots] if max(least, 2) <= bots < size else []
    return [size] * large + [smaller] * small


def seat_round(
    ranked: Sequence[str], history: EarlierRounds, sizes: Sequence[int], games: int
) -> Iterator[tuple[str, ...]]:
    """Yield the tables of a round, each in order of its seats, and then the byes.

    No player has a second bye before all players have had a first bye. The players with the fewest points have byes
    first. The search for tables avoids repeated meetings and large differences in points. It also balances the seats of
    each player.
    """
    byes = sorted(ranked, key=lambda name: (history.byes[name], -ranked.index(name)))[: len(ranked) - sum(sizes)]
    seated = [name for name in ranked if name not in byes]
    for table in _best_tables(seated, sizes, _costs(seated, history, games % sizes[0] == 0)):
        yield history.seats.placed([seated[index] for index in table], games)
    for name in sorted(byes, key=ranked.index):
        yield (name,)


def _costs(names: Sequence[str], history: EarlierRounds, seats_rotate: bool) -> Array:
    import numpy

    points = numpy.array([round(_UNIT * history.points[name]) for name in names], dtype=numpy.int64)
    met = [[history.met[frozenset((name, opponent))] for opponent in names] for name in names]
    seats = range(1 + max((seat for _, seat in history.seats.taken), default=0))
    taken = numpy.array([[history.seats.taken[name, seat] for seat in seats] for name in names], dtype=numpy.int64)
    surplus = taken - taken.min(axis=1, keepdims=True)
    # Two players who have both had the same seat too often need other seats, so avoid the same table.
    clashes = numpy.zeros((1, 1), numpy.int64) if seats_rotate else surplus @ surplus.T
    costs: Array = _REMATCH * numpy.array(met, dtype=numpy.int64) + _SEATS * clashes
    costs += numpy.square(points[:, None] - points[None, :])
    numpy.fill_diagonal(costs, 0)
    return costs


def _best_tables(names: Sequence[str], sizes: Sequence[int], costs: Array) -> list[list[int]]:
    """Search for the tables with the smallest sum of costs, from several starts.

    The first start seats neighbours in `names` at one table, or at different tables if all costs are 0. Each further
    start exchanges some players of the best solution so far.

    Integers and fixed random numbers give the same result on every machine.
    """
    import numpy

    where = numpy.repeat(numpy.arange(len(sizes)), sizes)
    if not costs.any():
        where = numpy.array([table for place in range(sizes[0]) for table, size in enumerate(sizes) if place < size])
    dice = random.Random(len(names))
    cost, best = _improved(where, costs)
    for _ in range(min(_MOST_STARTS, _EFFORT // len(names)) if len(sizes) > 1 else 0):
        where = best.copy()
        for _ in range(max(2, len(names) // 6)):
            first, second = (int(dice.random() * len(names)) for _ in range(2))
            where[[first, second]] = where[[second, first]]
        new_cost, where = _improved(where, costs)
        if new_cost < cost:
            cost, best = new_cost, where
    return [[int(index) for index in numpy.flatnonzero(best == table)] for table in range(len(sizes))]


def _improved(where: Array, costs: Array) -> tuple[int, Array]:
    """Exchange players of different tables while an exchange lowers the sum of costs. Return the sum and the tables."""
    import numpy

    where = where.copy()
    of_table = numpy.stack([costs[:, where == table].sum(axis=1) for table in range(int(where.max()) + 1)], axis=1)
    rows = numpy.arange(len(where))
    while True:
        at_other_table = of_table[:, where]
        at_own_table = of_table[rows, where]
        change = at_other_table + at_other_table.T - 2 * costs - at_own_table[:, None] - at_own_table[None, :]
        change[where[:, None] == where[None, :]] = 0
        first, second = divmod(int(change.argmin()), len(where))
        if change[first, second] >= 0:
            return int(at_own_table.sum()), where
        moved = costs[:, second] - costs[:, first]
        of_table[:, where[first]] += moved
        of_table[:, where[second]] -= moved
        where[[first, second]] = where[[second, first]]


def elimination_tables(
    stage: StageConfig, names: tuple[str, ...], rules: PairingRules, absent: frozenset[str]
) -> Pairings:
    """Yield rounds of tables. The best `winners` of each table advance, until one table is left.

    In the first round, the players are ordered by seed. In later rounds, the winners of tables come first, then the
    second players of tables, and so on. If the tables have too few places, the first players of the order advance
    without a game. The others are distributed to the tables in snake order.
    """
    seeds = {name: seed for seed, name in enumerate(names)}
    seats = Seats.of(stage, rules)
    left = list(names)
    for number in count(1):
        left = [name for name in left if name not in absent]
        report = yield _elimination_round(stage, number, left, table_sizes(len(left), stage.table, rules), seats)
        if any(result.encounter.section == "F" for result in report.results):
            return
        absent, passed = report.absent, []
        for result in report.results:
            seats.add(result)
            passed += [
                (place, name) for place, name in enumerate(_in_order(result)) if place < result.encounter.advance
            ]
        left = [name for _, name in sorted(passed, key=lambda winner: (winner[0], seeds[winner[1]]))]


def _elimination_round(
    stage: StageConfig, number: int, left: Sequence[str], sizes: Sequence[int], seats: Seats
) -> Iterator[Encounter]:
    last = len(sizes) == 1 and sizes[0] == len(left)
    encounter = Encounter(
        stage.name, number, 0, (), stage.games, True, "F" if last else "", number, 0, 1 if last else stage.winners
    )
    byes = len(left) - sum(sizes)
    tables = _dealt(left[byes:], sizes[::-1])
    players = [*((name,) for name in left[:byes]), *(seats.placed(table, stage.games) for table in tables)]
    for index, seated in enumerate(players if sizes else ()):
        yield replace(encounter, index=index, row=index, players=seated)


def _dealt(names: Sequence[str], sizes: Sequence[int]) -> list[list[str]]:
    """Distribute the names to tables in snake order."""
    tables: list[list[str]] = [[] for _ in sizes]
    turns = cycle((*range(len(sizes)), *reversed(range(len(sizes)))))
    for name in names:
        tables[next(number for number in turns if len(tables[number]) < sizes[number])].append(name)
    return tables


def _in_order(result: EncounterResult) -> list[str]:
    indexes = result.order or sorted(range(len(result.points)), key=lambda index: index != result.winner)
    return [result.encounter.players[index] for index in indexes]


def rank_elimination(stage: StageConfig, names: tuple[str, ...], results: Sequence[EncounterResult]) -> tuple[Row, ...]:
    """Rank the players. A player who is out later ranks better; in the same round, the place at the table decides."""
    finished = any(result.encounter.section == "F" for result in results)
    waiting = (len(names), "left") if finished else (-1, "still in")
    reached: dict[str, tuple[int, int, str]] = dict.fromkeys(names, (1, *waiting))
    for result in results:
        encounter, last = result.encounter, result.encounter.section == "F"
        where = "at the final table" if last else f"at a table of round {encounter.round}"
        how = {"seed": ", decided by seed", "margin": ", decided by scores"}.get(result.decided, "")
        for place, name in enumerate(_in_order(result)):
            if place < encounter.advance and not last:
                reached[name] = (encounter.round + 1, *waiting)
            else:
                text = "champion" if last and place == 0 else f"place {place + 1} {where}"
                reached[name] = (encounter.round, place, text + how)
    rows = {row.name: row for row in rank_table(stage, names, results)}
    order = sorted(names, key=lambda name: (-reached[name][0], reached[name][1], names.index(name)))
    ranked: list[Row] = []
    for index, name in enumerate(order):
        level = index > 0 and reached[order[index - 1]][:2] == reached[name][:2]
        text = reached[name][2] + (", tied; listed by seed" if level else "")
        ranked.append(replace(rows[name], place=ranked[-1].place if level else index + 1, tiebreaks=(), explained=text))
    return tuple(ranked)
