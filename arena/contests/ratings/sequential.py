"""Decide between two bots while games are played: pairs of games, two sequential tests, and means with intervals.

`PairScores` counts pairs of games with the same seed and swapped seats. `Sprt` is the test of `arena compare` for two
players: it needs few games between close hypotheses, and its error rates are approximate. `PromotionTest` is that of
`arena climb` and of games for more players: its error rates are exact, for any distribution of scores.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean, stdev


def mean_and_margin(values: Sequence[float]) -> tuple[float, float]:
    """Return the mean, and half the width of its 95 % interval (Student's t); the margin of one value is infinite."""
    freedom = len(values) - 1
    if freedom < 1:
        return fmean(values), math.inf
    return fmean(values), quantile_95(freedom) * stdev(values) / math.sqrt(len(values))


def quantile_95(freedom: int) -> float:
    """Return the two-sided 95 % quantile of Student's t, within 0.5 % (the series of Cornish and Fisher)."""
    if freedom < 4:
        return (12.7062, 4.3027, 3.1824)[freedom - 1]
    z = _NORMAL_95
    first, second = (z**3 + z) / 4, (5 * z**5 + 16 * z**3 + 3 * z) / 96
    third = (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384
    return z + first / freedom + second / freedom**2 + third / freedom**3


# Sequential probability ratio test on pairs of games (pentanomial), and statistics for a comparison of two bots.
#
# A pair of games ends with 0, 1/2, 1, 3/2 or 2 points. The test uses only the counts of these five results. A pair is
# no evidence if both games repeat earlier games.
#
# The test compares the hypotheses elo1 and elo0 by a likelihood ratio. Each hypothesis states a mean score. Its
# likelihood is that of the most likely distribution with this mean score.
#
# `PromotionTest` is a second sequential test, and neither can do the other's work. Its bounds of errors are exact, for
# any distribution and any number of players, but between close hypotheses (0 and 10 Elo) it needs 1.4 to 3.4 times as
# many games as this test. The bounds of this test are approximate, and need pairs of games of two players.

SCORES = (0.0, 0.25, 0.5, 0.75, 1.0)
MOST_TIMES = 64
"""If so many times the games do not decide, the evidence so far is chance, and says nothing about missing games.

The standard error of a mean falls to an eighth with 64 times the games: less evidence is far below its own error.
"""
_EMPTY = 1e-3
"""The count that replaces 0, since a result that has not occurred is still possible. fishtest takes the same."""
_NORMAL_95 = 1.959964


def score_of(elo: float) -> float:
    return 1.0 / (1.0 + math.exp(-elo / 400.0 * math.log(10.0)))


def elo_of(score: float) -> float:
    """Return the difference of rating in Elo for an expected score; infinite at 0 and 1."""
    if score <= 0.0 or score >= 1.0:
        return -math.inf if score <= 0.0 else math.inf
    return -400.0 * math.log10(1.0 / score - 1.0)


@dataclass(slots=True)
class PairScores:
    """The scores of pairs of games, from 0 to 1.

    Attributes:
        different: Number of pairs in which at least one game did not repeat an earlier game.
    """

    tally: Counter[float] = field(default_factory=Counter)
    different: int = 0

    def add(self, score: float, *, new: bool = True) -> None:
        """Count one finished pair. `new` is false if both games repeat earlier games."""
        self.tally[score] += 1
        self.different += new

    @property
    def pairs(self) -> int:
        """The number of pairs."""
        return self.tally.total()

    @property
    def counts(self) -> list[int]:
        """The numbers of pairs with 0, 1/2, 1, 3/2 and 2 points in two games of two players."""
        return [self.tally[score] for score in SCORES]

    @property
    def evidence(self) -> list[float]:
        """The values of `counts`, scaled so that their sum is the number of different pairs."""
        return [count * self._weight for count in self.counts]

    def times(self, factor: float) -> PairScores:
        """Return the scores of so many times the games."""
        return PairScores(
            Counter({score: round(count * factor) for score, count in self.tally.items()}),
            round(self.different * factor),
        )

    @property
    def score(self) -> float:
        """Mean score of all pairs, from 0 to 1; 0.5 without any pair."""
        return sum(count * value for value, count in self.tally.items()) / self.pairs if self.pairs else 0.5

    @property
    def _weight(self) -> float:
        return self.different / self.pairs if self.pairs else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of the mean score; from 0 to 1 without any pair."""
        if not self.pairs:
            return 0.0, 1.0
        mean, error = self._estimate()
        half = _NORMAL_95 * error
        return max(0.0, min(self.score, mean - half)), min(1.0, max(self.score, mean + half))

    @property
    def elo(self) -> tuple[float, float, float]:
        """The difference of rating in Elo: lower end of the 95 % interval, estimate, upper end of the interval."""
        low, high = self.interval
        return elo_of(low), elo_of(self.score), elo_of(high)

    @property
    def superiority(self) -> float:
        """The probability that the first bot is really stronger."""
        mean, error = self._estimate()
        return 0.5 * (1.0 + math.erf((mean - 0.5) / (error * math.sqrt(2.0))))

    def _estimate(self) -> tuple[float, float]:
        weights = {value: count * self._weight for value, count in self.tally.items()}
        # Two virtual pairs, one lost and one won, keep the interval wide enough when all pairs ended alike.
        for value in (0.0, 1.0):
            weights[value] = weights.get(value, 0.0) + 1.0
        total = sum(weights.values())
        mean = sum(weight * value for value, weight in weights.items()) / total
        variance = sum(weight * (value - mean) ** 2 for value, weight in weights.items()) / total
        return mean, math.sqrt(variance / total)


@dataclass(frozen=True, slots=True)
class Sprt:
    """A sequential test of two hypotheses: the first bot is stronger than the second bot by elo0, or by elo1.

    Attributes:
        alpha: Probability of accepting elo1 although elo0 is true.
        beta: Probability of accepting elo0 although elo1 is true.
    """

    elo0: float = 0.0
    elo1: float = 10.0
    alpha: float = 0.05
    beta: float = 0.05

    @property
    def bounds(self) -> tuple[float, float]:
        """The two limits of `ratio`. The test accepts elo0 at or below the first, and elo1 at or above the second."""
        return math.log(self.beta / (1.0 - self.alpha)), math.log((1.0 - self.beta) / self.alpha)

    def progress(self, pairs: PairScores) -> dict[str, float]:
        """Return for each hypothesis the evidence for it, as a share of what it needs. Negative: against it."""
        ratio, (low, high) = self.ratio(pairs.evidence), self.bounds
        return {"elo1": ratio / high, "elo0": ratio / low}

    def ratio(self, counts: Sequence[float]) -> float:
        """Return the logarithm of the likelihood ratio; 0 without any game."""
        if not sum(counts):
            return 0.0
        weights = [count or _EMPTY for count in counts]
        total = sum(weights)
        shares = [weight / total for weight in weights]
        under_elo0 = _nearest_with_mean(shares, score_of(self.elo0))
        under_elo1 = _nearest_with_mean(shares, score_of(self.elo1))
        return total * sum(p * math.log(b / a) for p, a, b in zip(shares, under_elo0, under_elo1, strict=True))

    def decision(self, counts: Sequence[float]) -> str:
        """Return the accepted hypothesis, "elo0" or "elo1"; "" while the test continues."""
        low, high = self.bounds
        ratio = self.ratio(counts)
        if ratio >= high:
            return "elo1"
        return "elo0" if ratio <= low else ""

    def decide(self, pairs: PairScores) -> str:
        """Return the `decision` from these pairs of games. Pairs that only repeat earlier games add no evidence."""
        return self.decision(pairs.evidence)


def games_left(games: int, pairs: PairScores, progress: Callable[[PairScores], Mapping[str, float]]) -> int | None:
    """Estimate after how many more games a test decides, if they end like the games so far; None if it is open.

    Args:
        progress: The method of the test.
    """

    def decides(times: float) -> bool:
        return max(progress(pairs.times(times)).values()) >= 1

    if not decides(MOST_TIMES):
        return None
    low, high = 1.0, float(MOST_TIMES)
    while high - low > 0.01:
        middle = (low + high) / 2
        low, high = (low, middle) if decides(middle) else (middle, high)
    return math.ceil(games * (high - 1))


def evidence_in_words(shares: Mapping[str, float], left: int | None) -> str:
    """Say how far the evidence of a test is that has not decided.

    Args:
        shares: For each decision, in words such as "to be promoted": the share of the evidence that it needs.
        left: The result of `games_left`.
    """
    parts = ", ".join(f"{max(0.0, share):.0%} of what it takes {decision}" for decision, share in shares.items())
    rate = "These games favour neither" if left is None else f"At this rate, about {left} more games decide"
    return f"Evidence so far: {parts}. {rate}."


def _nearest_with_mean(shares: Sequence[float], mean: float) -> list[float]:
    """Return the most likely distribution with a given mean.

    It is p_i = share_i / (1 + x (score_i - mean)), with the only x that leads to this mean.
    """
    offsets = [score - mean for score in SCORES]
    low, high = -1.0 / max(offsets), -1.0 / min(offsets)

    def slope(x: float) -> float:
        return sum(p * offset / (1.0 + x * offset) for p, offset in zip(shares, offsets, strict=True))

    x = _root(slope, low, high)
    return [p / (1.0 + x * offset) for p, offset in zip(shares, offsets, strict=True)]


def _root(falling: Callable[[float], float], low: float, high: float) -> float:
    for _ in range(200):
        middle = 0.5 * (low + high)
        if middle in (low, high):
            break
        if falling(middle) > 0.0:
            low = middle
        else:
            high = middle
    return 0.5 * (low + high)


# A sequential test whether a bot is stronger than another bot. Its error rates hold for any share of drawn games.
#
# Each pair of games has a score from 0 to 1. Bots of equal strength have a mean score of 0.5. The test compares a
# hypothetical mean score with several other values, the rates. The evidence for a rate is a likelihood ratio of two
# coins: one with this rate, one with the hypothetical mean score. For scores between 0 and 1, the ratio is
# interpolated. The test uses the mean evidence of all rates.
#
# If the hypothesis is true, the evidence reaches 1 / alpha at any time with a probability of at most alpha (Ville's
# inequality). This bound holds for every distribution of the scores.

PROMOTED, HELD = "promoted", "held"
_RATES = (0.02, 0.1, 0.2, 0.3, 0.4, 0.6, 0.7, 0.8, 0.9, 0.98)
"""Wherever the true mean score is, one rate is near it. Ten rates cost the logarithm of ten of evidence at most.

Chosen, not measured: with fewer, clear results need more games, and more of them change little.
"""


@dataclass(frozen=True, slots=True)
class PromotionTest:
    """A test between two hypotheses about a bot's mean score.

    A built-in bot has 0.8 to 0.99 against the one below it, so `better` is what a new rung is at least. With it, a
    clear result takes 10 to 20 games, and an even one about 100. The errors `alpha` and `beta` are those of one rung.
    """

    equal: float = 0.5
    better: float = 0.65
    alpha: float = 0.02
    beta: float = 0.02

    def decide(self, pairs: PairScores) -> str:
        shares = self.progress(pairs)
        return next((decision for decision, share in shares.items() if share >= 1), "")

    def progress(self, pairs: PairScores) -> dict[str, float]:
        """Return for each decision the evidence for it, as a share of what it needs. Negative: evidence against it."""
        above = (self.better, *(rate for rate in _RATES if rate > self.better))
        below = (self.equal, *(rate for rate in _RATES if rate < self.equal))
        return {
            PROMOTED: _evidence(pairs, self.equal, above) / -math.log(self.alpha),
            HELD: _evidence(pairs, self.better, below) / -math.log(self.beta),
        }


def _evidence(pairs: PairScores, mean: float, rates: tuple[float, ...]) -> float:
    """Return the logarithm of the mean evidence for these rates against a mean score."""
    logs = []
    for rate in rates:
        slope = (rate - mean) / (mean * (1.0 - mean))
        logs.append(sum(count * math.log(1.0 + slope * (score - mean)) for score, count in pairs.tally.items()))
    most = max(logs)
    return most + math.log(sum(math.exp(evidence - most) for evidence in logs) / len(logs))
