"""Elimination: a player is out after one, two, three or four losses.

One and two losses have brackets. A slot of a bracket holds a name, or None for a bye. If both slots of an encounter are
byes, the next column gets a bye. So byes go through both brackets without special code.

For more losses there is no bracket that anybody could read: all who are left are paired in each round, those with
equally many losses first, and without rematches as long as that is possible.
"""

import itertools
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations

from arena.contests.config import LOSSES, PairingRules, StageConfig
from arena.contests.stages.encounters import Encounter, EncounterResult, Pairings, RoundResult
from arena.contests.stages.pairing import cheapest_matching
from arena.contests.stages.standings import Row

Slot = str | None


def seed_order(size: int) -> list[int]:
    """Return the seeds, from 0, in order of the bracket's first column.

    The two best seeds can meet only in the final.
    """
    order = [0]
    while len(order) < size:
        count = 2 * len(order)
        order = [seed for better in order for seed in (better, count - 1 - better)]
    return order


def first_column(names: Sequence[str]) -> list[Slot]:
    """Return the names in order of the first column. Add byes until the number of slots is a power of two."""
    size = 1
    while size < len(names):
        size *= 2
    return [names[seed] if seed < len(names) else None for seed in seed_order(size)]


@dataclass(slots=True)
class _Columns:
    """The columns of a bracket, as they are made. `rows` has the number of encounters in each column."""

    stage: StageConfig
    number: int = 0
    encounters: list[Encounter] = field(default_factory=list)
    rows: dict[tuple[str, int], int] = field(default_factory=dict)

    def add(self, section: str, column: int, slots: Sequence[Slot]) -> None:
        pairs = list(zip(slots[::2], slots[1::2], strict=True))
        self.rows[section, column] = len(pairs)
        for row, pair in enumerate(pairs):
            players = tuple(name for name in pair if name is not None)
            if players:
                self.encounters.append(
                    Encounter(self.stage.name, 0, 0, players, self.stage.best_of, True, section, column, row)
                )

    def take(self) -> tuple[Encounter, ...]:
        self.number += 1
        encounters, self.encounters = self.encounters, []
        return tuple(replace(encounter, round=self.number, index=index) for index, encounter in enumerate(encounters))

    def results(self, report: RoundResult, section: str, column: int) -> tuple[list[Slot], list[Slot]]:
        """Return winners and losers of a column, in order of its rows. None represents a bye."""
        winners: list[Slot] = [None] * self.rows[section, column]
        losers: list[Slot] = [*winners]
        for result in report.results:
            encounter = result.encounter
            if (encounter.section, encounter.column) == (section, column):
                winners[encounter.row], losers[encounter.row] = result.winner_name, result.loser_name
        return winners, losers


def single_elimination(
    stage: StageConfig, names: tuple[str, ...], _rules: PairingRules, _absent: frozenset[str]
) -> Pairings:
    """Yield the columns of a bracket. A player who loses once is out.

    With `third_place`, the losers of the semi-finals play for the third place.
    """
    columns = _Columns(stage)
    slots = first_column(names)
    column = 0
    losers: list[Slot] = []
    while len(slots) > 1:
        column += 1
        columns.add("W", column, slots)
        if stage.third_place and len(slots) == 2 and len(losers) == 2:
            columns.add("third", 1, losers)
        report = yield columns.take()
        slots, losers = columns.results(report, "W", column)


def drop_in(losers: list[Slot], column: int) -> list[Slot]:
    """Return a column's losers in the order in which they enter the losers' bracket.

    The order delays rematches.
    """
    if column % 2 == 0:
        return losers[::-1]
    half = len(losers) // 2
    return losers[half:] + losers[:half]


def double_elimination(
    stage: StageConfig, names: tuple[str, ...], _rules: PairingRules, _absent: frozenset[str]
) -> Pairings:
    """Yield the columns of both brackets. A player who loses twice is out.

    If the winner of the losers' bracket wins the grand final, both finalists have lost once. With `reset`, they then
    play again.
    """
    if len(names) < 2:
        return
    columns = _Columns(stage)
    winners = first_column(names)
    columns.add("W", 1, winners)
    report = yield columns.take()
    winners, dropped = columns.results(report, "W", 1)
    survivors, column = dropped, 1
    while len(winners) > 1:
        # Both brackets have the same number of players. First, the players of the losers' bracket play each other. Then
        # the survivors play the players who lost in this column of the winners' bracket.
        column += 1
        minor, major = 2 * column - 3, 2 * column - 2
        columns.add("W", column, winners)
        columns.add("L", minor, survivors)
        report = yield columns.take()
        winners, dropped = columns.results(report, "W", column)
        survivors, _ = columns.results(report, "L", minor)
        meetings = zip(drop_in(dropped, column), survivors, strict=True)
        columns.add("L", major, [slot for pair in meetings for slot in pair])
        report = yield columns.take()
        survivors, _ = columns.results(report, "L", major)
    (upper,), (lower,) = winners, survivors
    columns.add("F", 1, [upper, lower])
    report = yield columns.take()
    if stage.reset and columns.results(report, "F", 1)[0] == [lower]:
        columns.add("F", 2, [lower, upper])
        yield columns.take()


_REMATCH = 10**12
_SECOND_BYE = 10**10
_DIFFERENCE = 10**6
"""The costs of a rematch, of a second bye, and of a difference of one loss. Each is above all that is less important
together, up to 1,000 players: differences are 9 at most, and distances in a group below 1,000."""


def by_losses(stage: StageConfig, names: tuple[str, ...], _rules: PairingRules, _absent: frozenset[str]) -> Pairings:
    """Yield rounds of all players who have not lost too often yet, until one is left.

    Each round is the cheapest matching: as few rematches as possible, then no second bye, then players with equally
    many losses; among those, the upper half of the seeds meets the lower half. An odd player, one with few losses and a
    high seed, has a bye.
    """
    most = LOSSES[stage.format]
    seeds = {name: seed for seed, name in enumerate(names)}
    losses: Counter[str] = Counter()
    byes: Counter[str] = Counter()
    met: Counter[frozenset[str]] = Counter()
    for number in itertools.count(1):
        left = sorted((name for name in names if losses[name] < most), key=lambda name: (losses[name], seeds[name]))
        if len(left) < 2:
            return
        pairs = _paired_by_losses(left, losses, byes, met)
        report = yield (
            Encounter(stage.name, number, index, players, stage.best_of, True) for index, players in enumerate(pairs)
        )
        for result in report.results:
            players = result.encounter.players
            met[frozenset(players)] += 1
            byes.update(players if len(players) == 1 else ())
            losses.update(name for index, name in enumerate(players) if index != result.winner)


def _paired_by_losses(
    left: Sequence[str], losses: Counter[str], byes: Counter[str], met: Counter[frozenset[str]]
) -> Iterator[tuple[str, ...]]:
    """Yield the pairs of a round, and the player who has a bye."""
    count = len(left)
    sizes = Counter(losses[name] for name in left)
    places = {name: index - sum(sizes[lost] for lost in range(losses[name])) for index, name in enumerate(left)}

    def cost(player: int, opponent: int) -> int:
        if opponent == count:
            return byes[left[player]] * _SECOND_BYE + losses[left[player]] * _DIFFERENCE + player
        upper, lower = left[player], left[opponent]
        difference = losses[lower] - losses[upper]
        apart = 0 if difference else abs(places[lower] - places[upper] - sizes[losses[upper]] // 2)
        return met[frozenset((upper, lower))] * _REMATCH + difference**2 * _DIFFERENCE + apart

    size = count + count % 2
    edges = ((*pair, cost(*pair)) for pair in combinations(range(size), 2))
    for pair in cheapest_matching(size, edges, count):
        yield tuple(left[player] for player in pair if player < count)


@dataclass(slots=True)
class _Career:
    """How far one player came. `reached` orders the players: the last round, with a part of one for a win in it."""

    reached: float = 0.0
    losses: int = 0
    points: int = 0
    games: int = 0
    wins: int = 0
    draws: int = 0
    byes: int = 0
    without_games: str = ""
    """How seed or scores decided the last encounter, such as "by seed after 2:2"; empty if they did not."""

    def add(self, result: EncounterResult, index: int) -> None:
        encounter, won = result.encounter, result.winner == index
        self.byes += encounter.is_bye
        self.points += won and not encounter.is_bye
        self.games += result.played
        self.wins += result.wins[index]
        self.draws += result.draws
        decided = {"seed": "by seed", "margin": "by scores"}.get(result.decided, "")
        score = ":".join(f"{float(points):g}" for points in result.points)
        self.without_games = f" {decided} after {score}" if decided else ""
        if encounter.section == "third":
            # The winner of the match for third place ranks above its loser. Both rank below the players of the final,
            # also before it: they have won in the round before.
            self.reached = encounter.round - 1 + (0.125 if won else 0.0)
        else:
            self.losses += not won
            self.reached = encounter.round + (0.25 if won else 0.0)


def rank_losses(stage: StageConfig, names: tuple[str, ...], results: Sequence[EncounterResult]) -> tuple[Row, ...]:
    """Rank the players. A player who is out later ranks better.

    Players who are out in the same round share a place, except after a match for third place.
    """
    lives = LOSSES[stage.format]
    careers = {name: _Career() for name in names}
    for result in results:
        for index, name in enumerate(result.encounter.players):
            careers[name].add(result, index)
    seeds = {name: seed for seed, name in enumerate(names)}
    order = sorted(names, key=lambda name: (-careers[name].reached, careers[name].losses, seeds[name]))
    left = [name for name in names if careers[name].losses < lives]
    champion = left[0] if len(left) == 1 and results else None
    if results and results[-1].encounter.section == "F" and not stage.reset:
        champion = results[-1].winner_name  # with one loss, the loser of the grand final is out as well
    rows: list[Row] = []
    for index, name in enumerate(order):
        career, above = careers[name], careers[order[index - 1]]
        level = index > 0 and (above.reached, above.losses) == (career.reached, career.losses)
        place = rows[-1].place if level else index + 1
        how = _how(name, career, champion, lives) + (", tied; listed by seed" if level else "")
        losses = career.games - career.wins - career.draws
        rows.append(
            Row(place, name, career.points, career.games, career.wins, career.draws, losses, career.byes, (), how)
        )
    return tuple(rows)


def _how(name: str, career: _Career, champion: str | None, lives: int) -> str:
    if name == champion:
        return "champion" + career.without_games
    if champion is not None or career.losses >= lives:
        return f"out in round {int(career.reached)}" + career.without_games
    return "still in"
