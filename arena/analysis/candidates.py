"""Candidates for turning points: which decisions are tested, and for how long."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from arena.analysis.estimates import difference
from arena.analysis.explanation import CONFIDENCE, Decision

CONFIRMED_FROM = 30
"""A claim that a turn is a turning point needs this many pairs. Then chance makes no more wrong claims than the
confidence allows."""
NARROW = 0.02
"""A candidate gets no more pairs once half the width of its gain's interval is at most this."""
CERTAIN = 0.5
"""A candidate also gets no more pairs once the width of the interval is at most this part of the gain. Zero is then at
least 4 half widths away from the gain."""
SMALLEST_GAIN = 0.02
"""A smaller gain is no turning point, even if it is certain."""


def worst_moments(
    decisions: Sequence[Decision], count: int, near: float, promise: Callable[[Decision], float]
) -> list[Decision]:
    """Return the decisions that look worst: first the worst one of each moment, then the others.

    The part with the worst decision can have another decision, with the choice of another bot. That decision comes
    second in the list: its choice can be better than the recorded one, even if the first bot's choice is not.

    Args:
        decisions: Screened decisions of one player.
        count: The limit for the number of decisions to return.
        near: Two turns belong to one moment if their numbers differ by at most this value.
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
    """Return whether more pairs of playouts can lead to a claim, or to a narrower interval of a claim.

    Dropping a bad candidate does not make a false claim more likely. A gain that is far from zero is certain, so
    further pairs go to the other candidates.
    """
    gain = difference(decision.differences, CONFIDENCE)
    return gain.high > SMALLEST_GAIN and gain.high - gain.low > max(2 * NARROW, CERTAIN * gain.value)


def clearness(decision: Decision) -> float:
    """Return a decision's gain, divided by the width of its interval."""
    gain = difference(decision.differences, CONFIDENCE)
    return gain.value / (gain.high - gain.low)
