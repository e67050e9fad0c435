"""A director for screens without a presenter: what to show now, from what everybody sees, and from the time.

After a result: who has won, what it did to the table, who meets next. Otherwise a match that runs; without one, in
turn, key stretches of the best of the last matches, and the table between them. It remembers nothing: the same moment
of a contest shows the same, also after a restart.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import Final

from arena.web.contests.extending import ContestReading, MatchRow

RESULT, TABLE, NEXT = 8.0, 10.0, 6.0
"""Seconds for what follows a result: the winner, the table, the next encounter."""
STRETCH, BETWEEN = 40.0, 14.0
"""Seconds of a stretch of a match, and of the table after it."""
_LAST: Final = 24
"""The newest results among which the best matches are searched."""
_BEST: Final = 5
"""So many of them are shown in turn."""
_UPSET: Final = 200.0
"""The difference in Elo points that counts as much as a match that could not be closer."""


@dataclass(frozen=True, slots=True)
class Cut:
    """What the director shows.

    Attributes:
        kind: ``result``, ``table``, ``next``, ``running``, ``stretch`` or ``waiting``.
        number: Another number for each cut.
        begun: When it began, in seconds since 1970.
    """

    kind: str
    number: int
    begun: float
    match: MatchRow | None = None


def cut_at(public: ContestReading, now: float) -> Cut:
    """Return what to show at a time."""
    running = next((row for row in public.running() if row.watch), None)
    recent = [row for row in islice(public.recent(), _LAST) if row.counts]
    if not recent:
        return Cut("running", 0, 0.0, running) if running else Cut("waiting", 0, 0.0)
    newest, began = recent[0], _seconds(recent[0].at)
    for kind, length in (("result", RESULT), ("table", TABLE), ("next", NEXT)):
        if now < began + length:
            return Cut(kind, int(began), began, newest)
        began += length
    if running:
        return Cut("running", int(_seconds(running.at)), _seconds(running.at), running)
    best = sorted((row for row in recent if row.watch), key=lambda row: -worth(public, row))[:_BEST]
    slot, within = divmod(now - began, STRETCH + BETWEEN)
    if not best or within >= STRETCH:
        return Cut("table", int(began + slot), now - within)
    return Cut("stretch", int(began + slot), now - within, best[int(slot) % len(best)])


def worth(public: ContestReading, row: MatchRow) -> float:
    """Return how much a match is worth to be seen: its stakes, how close it was, and how surprising."""
    names, numbers = [side.name for side in row.sides], _numbers([side.score for side in row.sides])
    stakes = 1.0 if "inal" in row.place else 0.0
    close = 1.0 - (max(numbers) - min(numbers)) / max(1.0, *map(abs, numbers)) if numbers else 0.5
    ratings = public.ratings()
    winners = [name for name, side in zip(names, row.sides, strict=True) if side.won]
    beaten = max((ratings.get(name, 0.0) for name in names), default=0.0)
    upset = max((beaten - ratings.get(name, 0.0) for name in winners), default=0.0) / _UPSET
    return stakes + close + min(1.0, upset) + turned(public, row)


def turned(public: ContestReading, row: MatchRow) -> float:
    """Return when the lead changed for the last time, as a share of the match; 0 if it never did."""
    advantage = public.advantage(row.id)
    if not advantage:
        return 0.0
    leaders = [
        max(range(len(advantage)), key=lambda player: advantage[player][turn]) for turn in range(len(advantage[0]))
    ]
    changes = [turn for turn in range(1, len(leaders)) if leaders[turn] != leaders[turn - 1]]
    return changes[-1] / len(leaders) if changes else 0.0


def _numbers(scores: Sequence[str]) -> list[float]:
    try:
        return [float(score.replace("−", "-")) for score in scores]
    except ValueError:  # at tables they are places
        return []


def _seconds(at: str) -> float:
    return datetime.fromisoformat(at).timestamp()
