"""What the pages of a contest show folded: how matches ended, how bots did on maps and seats, and their time."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from arena.contests.report.columns import duration, number
from arena.contests.report.history import ContestHistory, Points
from arena.contests.report.views import MOST_CROSS, Cell, HeatMap
from arena.contests.report.visible_contest import VisibleContest
from arena.pages.pictures import Range, interval

_LEAST: Final = 1e-5
"""The shortest time of a picture, in seconds: a scale of powers needs more than 0. Chosen, not measured."""


def shares(points: Points, names: Iterable[str], what: str) -> HeatMap | None:
    """Return the share of the points of each bot on each map or seat; None if there is only one.

    Args:
        names: The bots to show.
        what: What the keys of the points are: "map" or "seat".
    """
    keys = sorted({key for _, key in points}, key=lambda key: (not key.isdigit(), key.zfill(4)))
    if len(keys) < 2:
        return None
    headings = [(f"Seat {key}" if what == "seat" else key, "") for key in keys]
    cells = {name: [_share(points.get((name, key)), f"{what} {key}") for key in keys] for name in names}
    return HeatMap(headings, list(cells.items()))


def _share(reached: tuple[float, int] | None, where: str) -> Cell:
    if reached is None:
        return Cell("", -1, "", "")
    points, matches = reached
    share = points / matches
    return Cell(f"{share:.0%}", round(10 * share), f"{number(points)} points in {matches} matches on {where}", "")


@dataclass(frozen=True, slots=True)
class TimeLine:
    """The time that a bot uses in a turn, in words, and as a dot (the mean) on a bar that ends at the longest turn."""

    name: str
    mean: str
    longest: str
    picture: Range


def times_of(course: ContestHistory, names: Iterable[str]) -> list[TimeLine]:
    """Return the times of bots. Each step of the scale is ten times longer than the one before."""
    times: list[tuple[str, float, float]] = []
    for name in names:
        counts = course.statistics.get(name)
        if counts is not None and counts.turns:
            times.append((name, max(counts.mean_turn_seconds, _LEAST), max(counts.worst_turn_seconds, _LEAST)))
    powers = [math.log10(seconds) for _, *both in times for seconds in both] or [0.0]
    low, high = math.floor(min(powers)), math.ceil(max(powers))
    lines = []
    for name, mean, longest in times:
        picture = interval(low, math.log10(mean), math.log10(max(mean, longest)), low, high)
        lines.append(TimeLine(name, duration(mean), duration(longest), picture))
    return lines


@dataclass(frozen=True, slots=True)
class Details:
    """What the page of a contest shows folded: how matches ended, and how bots did on maps and seats and used time.

    Attributes:
        limit: The tables have only the first bots, so many; 0 if they have all.
    """

    endings: Sequence[tuple[str, int]]
    maps: HeatMap | None
    seats: HeatMap | None
    times: Sequence[TimeLine]
    limit: int


def details_of(contest: VisibleContest) -> Details:
    final, course = contest.final_order(), contest.course
    names = final[:MOST_CROSS]
    return Details(
        endings=endings(course.endings),
        maps=shares(course.maps, names, "map"),
        seats=shares(course.seats, names, "seat"),
        times=times_of(course, names),
        limit=len(names) if len(names) < len(final) else 0,
    )


def endings(counts: Mapping[str, int]) -> list[tuple[str, int]]:
    """Return how matches ended and how often, the most frequent first."""
    return sorted(counts.items(), key=lambda ending: (-ending[1], ending[0]))
