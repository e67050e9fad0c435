"""Candidates for turning points: which decisions are tested, and for how long."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from arena.analysis.estimates import difference
from arena.analysis.explanation import CONFIDENCE, Decision

CONFIRMED_FROM = 30
"""Fewer pairs support no claim. With this many, chance makes no more wrong claims than the confidence allows."""
NARROW = 0.02
"""A candidate gets no more pairs once the interval of its gain is this narrow."""
CERTAIN = 0.5
"""The same if the interval is this part of the gain: zero is then 4 half widths of the interval away from the gain."""
SMALLEST_GAIN = 0.02
"""A smaller gain is no turning point, even if it is certain."""


def worst_moments(
    decisions: Sequence[Decision], count: int, near: float, promise: Callable[[Decision], float]
) -> list[Decision]:
    """Return the decisions that look worst: first one for each moment, then the others.

    Second is the alternative to the worst of all, the choice of another bot in the same part: the choice that promises
    most may be no better than what was done, while the other one is.

    Args:
        decisions: Screened decisions of one player.
        count: How many are wanted.
        near: Turns are of one moment if their numbers differ by at most this. Its worst decision comes first.
        promise: Returns how bad a decision looks.
    """
    first: list[Decision] = []
    again: list[Decision] = []
    for one in sorted(decisions, key=promise, reverse=True):
        known = any(abs(one.part.turn - other.part.turn) <= near for other in first)
        (again if known else first).append(one)
    for alternative in again:
        if alternative.part is first[0].part:
            return [first[0], alternative, *first[1:], *(one for one in again if one is not alternative)][:count]
    return (first + again)[:count]


def is_open(decision: Decision) -> bool:
    """Return whether more pairs may lead to a claim, or to a narrower interval of one.

    A false claim does not become more likely when a bad candidate is dropped. A gain that is far from zero is certain,
    and leaves its pairs to the other candidates.
    """
    gain = difference(decision.differences, CONFIDENCE)
    return gain.high > SMALLEST_GAIN and gain.high - gain.low > max(2 * NARROW, CERTAIN * gain.value)


def clearness(decision: Decision) -> float:
    """Return a gain in widths of its interval."""
    gain = difference(decision.differences, CONFIDENCE)
    return gain.value / (gain.high - gain.low)
