"""A sequential test whether a bot is stronger than another bot. Its error rates hold for any share of drawn games.

Each pair of games has a score from 0 to 1. Bots of equal strength have a mean score of 0.5. The test compares a
hypothetical mean score with several other values, the rates. The evidence for a rate is a likelihood ratio of two
coins: one with this rate, one with the hypothetical mean score. For scores between 0 and 1, the ratio is interpolated.
The test uses the mean evidence of all rates.

If the hypothesis is true, the evidence reaches 1 / alpha at any time with a probability of at most alpha (Ville's
inequality). This bound holds for every distribution of the scores.
"""

import math
from dataclasses import dataclass

from arena.ratings.sprt import PairScores

PROMOTED, HELD = "promoted", "held"
_RATES = (0.02, 0.1, 0.2, 0.3, 0.4, 0.6, 0.7, 0.8, 0.9, 0.98)


@dataclass(frozen=True, slots=True)
class PromotionTest:
    """A test between two hypotheses about a bot's mean score."""

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
    logs = [
        sum(
            count * math.log(1.0 + (rate - mean) / (mean * (1.0 - mean)) * (score - mean))
            for score, count in pairs.tally.items()
        )
        for rate in rates
    ]
    most = max(logs)
    return most + math.log(sum(math.exp(one - most) for one in logs) / len(logs))
