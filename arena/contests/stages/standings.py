"""Compute tables from results: points, then the tie-breaks of the stage. Each row names the deciding tie-break.

The result of an encounter is added to the `Tally` of each of its players; what the tie-breaks are is in
`arena.contests.tiebreaks`. Points are fractions, so that equal sums are equal, and values of tie-breaks are compared
after rounding: margins are sums of floats, whose order must not decide a place.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import inf
from statistics import fmean

from arena.contests.config import StageConfig
from arena.contests.ratings.sequential import mean_and_margin
from arena.contests.stages.encounters import EncounterResult
from arena.contests.tiebreaks import HEAD_TO_HEAD, HEADS, PLUS_MINUS, TIEBREAKS, Number, Tallies, Tally


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


def rank_table(stage: StageConfig, names: tuple[str, ...], results: Sequence[EncounterResult]) -> tuple[Row, ...]:
    tallies = Tallies(names, _tallies(stage, names, results))
    levels = _split(names, {name: tally.points for name, tally in tallies.by_name.items()})
    reasons: dict[str, str] = {}
    for tiebreak in stage.tiebreaks:
        levels = [part for level in levels for part in _refined(level, tiebreak, tallies, reasons)]
    rows: list[Row] = []
    for level in levels:
        place = len(rows) + 1
        rows += [_row(place, name, tallies, stage, reasons.get(name, "")) for name in level]
    return tuple(rows)


def _row(place: int, name: str, tallies: Tallies, stage: StageConfig, reason: str) -> Row:
    tally = tallies.by_name[name]
    columns = [tiebreak for tiebreak in stage.tiebreaks if tiebreak in HEADS]
    values = [(tiebreak, round(float(_shown(tiebreak, tallies, name)), 6)) for tiebreak in columns]
    if tallies.have_intervals:
        values.append((PLUS_MINUS, round(mean_and_margin(tally.common)[1], 6)))
    return Row(
        place=place,
        name=name,
        points=round(float(tally.points), 6),
        games=tally.games,
        wins=tally.wins,
        draws=tally.draws,
        losses=0 if tally.common else tally.games - tally.wins - tally.draws,
        byes=tally.byes,
        tiebreaks=tuple(values),
        explained=reason,
        places=tuple(tally.places[rank] for rank in range(1, tallies.lowest_place + 1)),
        payoffs=None if tally.payoffs is None else round(tally.payoffs, 6),
    )


def _tallies(stage: StageConfig, names: Iterable[str], results: Sequence[EncounterResult]) -> dict[str, Tally]:
    tallies = {name: Tally() for name in names}
    rounds: set[int] = set()
    for result in results:
        counted = result.counted(stage.points)
        for index, name in enumerate(result.encounter.players):
            _add(tallies[name], result, index, counted[index])
        if stage.format == "swiss":
            rounds.add(result.encounter.round)
            for name in result.encounter.players:
                tallies[name].first = min(tallies[name].first, result.encounter.round)
    for tally in tallies.values():
        tally.unplayed += [Fraction()] * sum(number < tally.first < inf for number in rounds)
        if tally.common:
            tally.points = Fraction(fmean(tally.common))
    return tallies


def _add(tally: Tally, result: EncounterResult, index: int, points: Fraction) -> None:
    """Add an encounter to the tally of one of its players."""
    players = result.encounter.players
    share = result.points[index] / (sum(result.points) or Fraction(1))
    tally.points += points
    tally.games += result.played
    tally.wins += result.wins[index]
    tally.draws += result.draws
    tally.margin += result.margin[index]
    for outcome in result.outcomes:
        if len(outcome.ranks) > 2:
            tally.places[outcome.ranks[index]] += 1
            tally.draws += outcome.verdict(index) == "drawn"
        if outcome.common is not None:
            tally.common.append(outcome.common)
        if outcome.payoffs:
            tally.payoffs = (tally.payoffs or 0.0) + outcome.payoffs[index]
    if result.played == 0:
        tally.byes += points > 0
        tally.unplayed.append(share)
        return
    for opponent, name in enumerate(players):
        if opponent != index:
            gained = points if len(players) == 2 else Fraction(result.against(index, opponent))
            tally.met.append((name, gained, share))


def _value(tiebreak: str, tallies: Tallies, name: str) -> Number:
    value = TIEBREAKS[tiebreak].value
    assert value is not None, "head to head has no value for one entrant"
    return value(tallies, name)


def _shown(tiebreak: str, tallies: Tallies, name: str) -> Number:
    """Return the value of a tie-break as it is printed. A seed is printed as its number, from 1."""
    value = _value(tiebreak, tallies, name)
    return 1.0 - value if tiebreak == "seed" else value


def _split(level: Iterable[str], values: Mapping[str, Number]) -> list[list[str]]:
    """Split names that are tied into levels with equal values: larger ones first, each in the order of the names."""
    levels: dict[float, list[str]] = {}
    for name in level:
        levels.setdefault(round(float(values[name]), 9), []).append(name)
    return [levels[value] for value in sorted(levels, reverse=True)]


def _refined(level: list[str], tiebreak: str, tallies: Tallies, reasons: dict[str, str]) -> list[list[str]]:
    """Split a level by a tie-break, and add the reason of everybody who is below another one."""
    if len(level) == 1:
        return [level]
    if tiebreak == HEAD_TO_HEAD:
        values = shown = tallies.head_to_head(level)
    else:
        values = {name: _value(tiebreak, tallies, name) for name in level}
        shown = {name: _shown(tiebreak, tallies, name) for name in level}
    levels = _split(level, values)
    words = tiebreak.replace("_", " ")
    for upper, lower in pairwise(levels):
        above = upper[-1]
        for name in lower:
            own, other = _apart(float(shown[name]), float(shown[above]))
            reasons[name] = f"tied with {above}; {words} {own} against {other}"
    return levels


def _apart(own: float, other: float) -> tuple[str, str]:
    """Return two numbers with two decimals, or with more if they would look equal; without zeros at the end."""
    digits = next((digits for digits in range(2, 9) if round(own, digits) != round(other, digits)), 9)
    texts = (f"{value:z.{digits}f}".rstrip("0").rstrip(".").replace("-", "−") for value in (own, other))
    return next(texts), next(texts)
