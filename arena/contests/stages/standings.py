"""Compute tables from results. Tie-breaks apply in a given order. Each row names the deciding tie-break."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise
from math import inf
from statistics import fmean

from arena.contests.config import StageConfig
from arena.contests.ratings.sequential import mean_and_margin
from arena.contests.stages.encounters import EncounterResult

EXPLANATIONS: Mapping[str, str] = {
    "head_to_head": "points from the encounters among the tied players, if all of them have met",
    "buchholz": "sum of the points of all opponents; rounds without a game or before the first one add the own points",
    "buchholz_cut1": "Buchholz without the weakest opponent",
    "buchholz_median": "Buchholz without the strongest and the weakest opponent",
    "sonneborn_berger": "for each opponent, their points times the share of the points won against them",
    "wins": "games won",
    "margin": "sum of the differences of the game's own scores",
    "seed": "order at the start",
    "opponents": "mean of the points of all opponents, each counted once for each meeting",
    "plus_minus": "in a cooperative game: the points are the mean of the common scores, give or take this (95 %)",
    "payoffs": "sum of the bot's payoffs in the games",
}
"""The meaning of each tie-break, for the readers of the tables."""

Number = Fraction | float
_NO_COLUMN = ("head_to_head", "payoffs")
"""Tie-breaks that `Row.tiebreaks` lacks: head to head has no value for one bot, and `Row.payoffs` has the payoffs."""


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a table.

    Attributes:
        games: Games played, without walkovers and byes.
        byes: Number of encounters that gave points without a game.
        points: In a cooperative game, the mean of the common scores.
        tiebreaks: Name and value of each tie-break that has a column, in the order of their use. In a ladder: the skill
            and its uncertainty.
        explained: What decided the place besides the points, such as a tie-break; empty if nothing else did.
        places: Number of first places, second places and so on at tables; empty without tables.
    """

    place: int
    name: str
    points: float
    games: int
    wins: int
    draws: int
    losses: int
    byes: int
    tiebreaks: tuple[tuple[str, float], ...]
    explained: str
    places: tuple[int, ...] = ()
    payoffs: float | None = None


@dataclass(slots=True)
class _Tally:
    """The sums of one entrant.

    A share is the entrant's part (0 to 1) of the points of an encounter. `unplayed` lists the shares in encounters
    without a game, and 0 for each round of a Swiss before `first`, the entrant's first one. `met` lists each opponent
    in each other encounter: name, points against this opponent, share.
    """

    points: Fraction = Fraction()
    games: int = 0
    wins: int = 0
    draws: int = 0
    margin: float = 0.0
    byes: int = 0
    unplayed: list[Fraction] = field(default_factory=list)
    met: list[tuple[str, Fraction, Fraction]] = field(default_factory=list)
    places: Counter[int] = field(default_factory=Counter)
    payoffs: float | None = None
    common: list[float] = field(default_factory=list)
    first: float = inf


def rank_table(stage: StageConfig, names: tuple[str, ...], results: Sequence[EncounterResult]) -> tuple[Row, ...]:
    tallies = _tallies(stage, names, results)
    breaks = _Breaks(names, tallies)
    levels = _split(names, {name: tally.points for name, tally in tallies.items()})
    reasons: dict[str, str] = {}
    for tiebreak in stage.tiebreaks:
        levels = _refine(levels, tiebreak, breaks, reasons)
    rows: list[Row] = []
    for level in levels:
        place = len(rows) + 1
        for name in level:
            rows.append(_row(place, name, tallies[name], stage, breaks, reasons.get(name, "")))
    return tuple(rows)


def _row(place: int, name: str, tally: _Tally, stage: StageConfig, breaks: "_Breaks", reason: str) -> Row:
    values = tuple((tb, round(float(breaks.shown(tb, name)), 6)) for tb in stage.tiebreaks if tb not in _NO_COLUMN)
    losses = 0 if tally.common else tally.games - tally.wins - tally.draws
    if breaks.have_intervals:
        values += (("plus_minus", round(mean_and_margin(tally.common)[1], 6)),)
    places = tuple(tally.places[rank] for rank in range(1, breaks.lowest_place + 1))
    payoffs = None if tally.payoffs is None else round(tally.payoffs, 6)
    return Row(
        place, name, round(float(tally.points), 6), tally.games, tally.wins, tally.draws, losses, tally.byes, values,
        reason, places, payoffs,
    )  # fmt: skip


def _tallies(stage: StageConfig, names: Iterable[str], results: Sequence[EncounterResult]) -> dict[str, _Tally]:
    tallies = {name: _Tally() for name in names}
    rounds: set[int] = set()
    for result in results:
        players = result.encounter.players
        total, counted = sum(result.points) or Fraction(1), result.counted(stage.points)
        for index, name in enumerate(players):
            tally = tallies[name]
            points = counted[index]
            tally.points += points
            tally.games += result.played
            tally.wins += result.wins[index]
            tally.draws += result.draws
            tally.margin += result.margin[index]
            _add_outcomes(tally, result, index)
            if result.played == 0:
                tally.byes += points > 0
                tally.unplayed.append(result.points[index] / total)
                continue
            for number, other in enumerate(players):
                if other != name:
                    gained = points if len(players) == 2 else Fraction(result.against(index, number))
                    tally.met.append((other, gained, result.points[index] / total))
        if stage.format == "swiss":
            rounds.add(result.encounter.round)
            for name in players:
                tallies[name].first = min(tallies[name].first, result.encounter.round)
    for tally in tallies.values():
        tally.unplayed += [Fraction()] * sum(number < tally.first < inf for number in rounds)
        if tally.common:
            tally.points = Fraction(fmean(tally.common))
    return tallies


def _add_outcomes(tally: _Tally, result: EncounterResult, index: int) -> None:
    for outcome in result.outcomes:
        if len(outcome.ranks) > 2:
            tally.places[outcome.ranks[index]] += 1
            tally.draws += outcome.verdict(index) == "drawn"
        if outcome.common is not None:
            tally.common.append(outcome.common)
        if outcome.payoffs:
            tally.payoffs = (tally.payoffs or 0.0) + outcome.payoffs[index]


class _Breaks:
    def __init__(self, names: Sequence[str], tallies: Mapping[str, _Tally]) -> None:
        self._tallies = tallies
        self._seeds = {name: seed for seed, name in enumerate(names)}
        self.have_intervals = all(len(tally.common) > 1 for tally in tallies.values())
        self.lowest_place = max((rank for tally in tallies.values() for rank in tally.places), default=0)
        self._opponents = {
            name: sorted([tallies[other].points for other, _, _ in tally.met] + [tally.points] * len(tally.unplayed))
            for name, tally in tallies.items()
        }

    def shown(self, tiebreak: str, name: str) -> Number:
        """Return the value of a tie-break as it is printed. A seed is printed as its number, from 1."""
        return 1.0 - self.value(tiebreak, name) if tiebreak == "seed" else self.value(tiebreak, name)

    def value(self, tiebreak: str, name: str) -> Number:
        """Return the value of a tie-break. Head to head is excluded, because it depends on the other tied entrants."""
        tally, opponents = self._tallies[name], self._opponents[name]
        match tiebreak:
            case "buchholz":
                return sum(opponents, Fraction())
            case "buchholz_cut1":
                return sum(opponents[1:], Fraction())
            case "buchholz_median":
                return sum(opponents[1:-1], Fraction())
            case "sonneborn_berger":
                played = sum(share * self._tallies[other].points for other, _, share in tally.met)
                return played + sum(share * tally.points for share in tally.unplayed)
            case "wins":
                return float(tally.wins)
            case "margin":
                return tally.margin
            case "opponents":
                met = [self._tallies[other].points for other, _, _ in tally.met]
                return sum(met, Fraction()) / max(1, len(met))
            case "payoffs":
                return tally.payoffs or 0.0
            case "seed":
                return -float(self._seeds[name])
        raise ValueError(tiebreak)

    def head_to_head(self, group: Sequence[str]) -> Mapping[str, Number]:
        """Return each member's points from encounters within the group. If a pair has not met, all points are 0."""
        members = set(group)
        points = dict.fromkeys(group, Fraction())
        met: dict[str, set[str]] = {}
        for name in group:
            met[name] = set()
            for other, gained, _ in self._tallies[name].met:
                if other in members:
                    points[name] += gained
                    met[name].add(other)
        complete = all(len(others) == len(group) - 1 for others in met.values())
        return points if complete else dict.fromkeys(group, Fraction())


def _split(level: Iterable[str], values: Mapping[str, Number]) -> list[list[str]]:
    """Split names that are tied into levels with equal values: larger ones first, each in the order of the names."""
    levels: dict[float, list[str]] = {}
    for name in level:
        levels.setdefault(round(float(values[name]), 9), []).append(name)
    return [levels[value] for value in sorted(levels, reverse=True)]


def _refine(levels: list[list[str]], tiebreak: str, breaks: _Breaks, reasons: dict[str, str]) -> list[list[str]]:
    result: list[list[str]] = []
    for level in levels:
        if len(level) == 1:
            result.append(level)
            continue
        if tiebreak == "head_to_head":
            values = breaks.head_to_head(level)
            shown: Mapping[str, Number] = values
        else:
            values = {name: breaks.value(tiebreak, name) for name in level}
            shown = {name: breaks.shown(tiebreak, name) for name in level}
        split = _split(level, values)
        for upper, lower in pairwise(split):
            words = tiebreak.replace("_", " ")
            above = upper[-1]
            for name in lower:
                reasons[name] = f"tied with {above}; {words} {float(shown[name]):g} against {float(shown[above]):g}"
        result += split
    return result
