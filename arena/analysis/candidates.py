"""Candidates for turning points: which decisions are tested, and for how long."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from arena.analysis.estimates import difference
from arena.analysis.explanation import CONFIDENCE, Decision

CONFIRMED_FROM = 30
"""A turn is reported as a turning point only after this many pairs of playouts. With fewer pairs, more reports would be
wrong than the confidence allows."""
NARROW = 0.02
"""A candidate gets no more pairs of playouts if half the width of its gain's interval is at most this value."""
CERTAIN = 0.5
"""A candidate gets no more pairs of playouts if the width of its gain's interval is at most this share of the gain. The
gain is then certainly greater than 0."""
SMALLEST_GAIN = 0.02
"""A turn with a smaller gain of win probability is no turning point, even if the gain is certain."""


def worst_moments(
    decisions: Sequence[Decision], count: int, near: float, promise: Callable[[Decision], float]
) -> list[Decision]:
    """Return the decisions that look worst: first the worst decision of each moment, then the others.

    A decision of another bot about the same part as the worst decision comes second.

    Args:
        near: Two turns belong to one moment if their numbers differ by at most this value.
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
    """Return whether more pairs of playouts are useful for a candidate.

    More pairs are useless if the gain is certain, or too small to be reported.
    """
    gain = difference(decision.differences, CONFIDENCE)
    return gain.high > SMALLEST_GAIN and gain.high - gain.low > max(2 * NARROW, CERTAIN * gain.value)


def clearness(decision: Decision) -> float:
    """Return a decision's gain, divided by the width of its interval."""
    gain = difference(decision.differences, CONFIDENCE)
    return gain.value / (gain.high - gain.low)
