"""The advantage in each turn of a match: each player's win probability, by the estimates of the game alone."""

from __future__ import annotations

from arena.study.coach.probability import estimated
from arena.study.coach.recorded_match import RecordedMatch


def advantage_of(match: RecordedMatch) -> list[list[float]] | None:
    """Return for each player the win probabilities before each turn of the match and at its end.

    They add up to 1. The last is the result of the match; that of a match without one is an estimate too. Return None
    if the game has no estimates under these options.
    """
    found = [estimated(match.game, match.parts[index].state) for index in match.starts[:-1]]
    found.append(match.result if match.result is not None else estimated(match.game, match.end))
    rows = [row for row in found if row is not None]
    if len(rows) < len(found):
        return None
    return [list(column) for column in zip(*rows, strict=True)]
