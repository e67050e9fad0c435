"""Turn the results of playouts into win probabilities.

Playouts contain random actions, but matches do not. In a game with few dice, these actions help the side that is
behind: it wins more often in playouts than in matches. `GameSpec.playout_power` corrects this.

An `Estimate` is a mean with its interval: of few results (`share`), of pairs of results with the same dice
(`difference`), and of win probabilities made of them. Intervals are those of 95 % unless a caller asks for others.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist, fmean, stdev
from typing import NamedTuple

from arena.game import GameSpec, State
from arena.text.reading import rounded

Result = tuple[float, ...]
"""Each player's share of the win, from 0 to 1: 1 for the only winner, 0.5 for each of two players who draw. If a
playout stops early, each player's win probability."""
WORTH = 5
"""The mean of all playouts that stop with the game's estimate says as much as this many whole ones. Measured at 32
positions of Saloon: it is right on average, and off by 17 points at one position. An estimate can say "even" where one
bot always wins."""


class Estimate(NamedTuple):
    value: float
    low: float
    high: float
    playouts: int

    def to_document(self) -> dict[str, float]:
        return {"value": rounded(self.value, 4), "low": rounded(self.low, 4), "high": rounded(self.high, 4)}


def share(values: Sequence[float], confidence: float = 0.95) -> Estimate:
    """Estimate a mean of values from 0 to 1, by Wilson's interval.

    The interval is wider than needed if there are values other than 0 and 1. Without values, the mean is 0.5.
    """
    count = len(values)
    return _interval(fmean(values), count, confidence) if count else Estimate(0.5, 0.0, 1.0, 0)


def _interval(mean: float, count: int, confidence: float = 0.95) -> Estimate:
    z = standard_errors(confidence)
    centre = (mean + z * z / (2 * count)) / (1 + z * z / count)
    half = z / (1 + z * z / count) * math.sqrt(mean * (1 - mean) / count + z * z / (4 * count * count))
    return Estimate(mean, max(0.0, centre - half), min(1.0, centre + half), count)


def difference(values: Sequence[float], confidence: float = 0.95, doubt: float = 1.0) -> Estimate:
    """Estimate the mean of paired differences between -1 and 1.

    The width of the interval is computed as if there were two more differences, at this distance from the mean. Without
    them, a few equal values would look certain.
    """
    count = len(values)
    if not count:
        return Estimate(0.0, -1.0, 1.0, 0)
    mean = fmean(values)
    half = standard_errors(confidence) * stdev([*values, mean + doubt, mean - doubt]) / math.sqrt(count)
    return Estimate(mean, max(-1.0, mean - half), min(1.0, mean + half), count)


def standard_errors(confidence: float) -> float:
    return NormalDist().inv_cdf(0.5 + confidence / 2)


def win_probability(shares: Sequence[float], player: int, power: float, value: float | None = None) -> float:
    """Return a player's win probability.

    Args:
        value: If given, it replaces the player's share in `shares`. The other players then divide the remaining
            ``1 - value`` in the proportions of their own shares.
    """
    mine = min(1.0, max(0.0, shares[player] if value is None else value))
    others = [max(0.0, one) for at, one in enumerate(shares) if at != player]
    total = sum(others)
    if not total:
        others, total = [1.0] * len(others), float(len(others))
    left = sum(math.pow((1 - mine) * one / total, power) for one in others)
    odds = math.pow(mine, power)
    return odds / (odds + left)


def win_estimate(shares: Sequence[Estimate], player: int, power: float) -> Estimate:
    values = [one.value for one in shares]
    own = shares[player]
    value, low, high = (win_probability(values, player, power, one) for one in (own.value, own.low, own.high))
    return Estimate(value, low, high, own.playouts)


def win_of(results: Sequence[Result], player: int, power: float) -> Estimate:
    """Return a player's win probability from the results of whole playouts."""
    if not results:
        return share(())
    return win_estimate([share(column) for column in zip(*results, strict=True)], player, power)


def win_with_estimates(short: Sequence[Result], whole: Sequence[Result], player: int) -> Estimate:
    """Return a player's win probability from playouts that stop with the game's estimate, and from whole ones.

    A short playout that ended before it was stopped counts as a whole one.
    """
    stopped = [result[player] for result in short if 0 < result[player] < 1]
    ended = [result[player] for result in short if not 0 < result[player] < 1]
    ended += [result[player] for result in whole]
    worth = min(len(stopped), WORTH)
    if not worth + len(ended):
        return share(())
    mean = (worth * fmean(stopped or [0.5]) + sum(ended)) / (worth + len(ended))
    return _interval(mean, worth + len(ended))._replace(playouts=len(short) + len(whole))


def estimated(game: GameSpec, state: State) -> Result | None:
    """Return the win probability of each player by the game's own estimate; None if it has none here."""
    shares = state.evaluate()
    if shares is None:
        return None
    return tuple(win_probability(shares, player, game.evaluation_power) for player in range(len(shares)))


def win_difference(
    pairs: Sequence[tuple[Result, Result]], player: int, power: float, confidence: float = 0.95
) -> Estimate:
    """Return a player's win probability in the second line of play, minus that in the first line.

    Args:
        pairs: For each seed, the result of a playout of the first line, and that of the second line.
    """
    share_gained = difference([second[player] - first[player] for first, second in pairs], confidence)
    if not pairs:
        return share_gained
    first, second = (_means(line) for line in zip(*pairs, strict=True))
    both = _means([first, second])
    start = win_probability(both, player, power, first[player])
    low, high = (win_probability(both, player, power, first[player] + one) - start for one in share_gained[1:3])
    value = win_probability(second, player, power) - win_probability(first, player, power)
    return Estimate(value, min(low, value), max(high, value), share_gained.playouts)


def _means(rows: Sequence[Sequence[float]]) -> list[float]:
    return [fmean(column) for column in zip(*rows, strict=True)]
