"""What the games of a report say together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from math import isfinite
from statistics import fmean, pvariance
from typing import Any

from arena.contests.strength import mean_and_margin
from arena.game import GameSpec
from arena_learn.report.playing import Played

BINS = 12


def estimate(values: Iterable[tuple[int, float]], *, share: bool = False) -> dict[str, Any]:
    """Return the mean of values with its 95 % interval; the interval is null for fewer than two setups.

    Games of one setup are alike: they have the same start, the same map and bots with the same random numbers. So the
    interval counts setups, each with the mean of its games. It would be too narrow if it counted games.

    Args:
        values: The number of the setup and the value, of each game.
        share: Whether the values are shares from 0 to 1. If all of them are equal, the interval follows the rule of
            three: what happened in none of N setups happens in at most 3/N of all setups.
    """
    by_setup: dict[int, list[float]] = {}
    for setup, value in values:
        by_setup.setdefault(setup, []).append(value)
    mean, margin = mean_and_margin([fmean(group) for group in by_setup.values()])
    if share and not margin:
        margin = 3 / len(by_setup)
    ends = [round(mean - margin, 4), round(mean + margin, 4)] if isfinite(margin) else None
    count = sum(map(len, by_setup.values()))
    return {"mean": round(mean, 4), "interval": ends, "count": count, "setups": len(by_setup)}


def _of(games: Iterable[Played], value: Callable[[Played], float], *, share: bool = False) -> dict[str, Any]:
    return estimate(((one.setup.number, value(one)) for one in games), share=share)


def _points(games: Iterable[Played], seat: int, *, share: bool) -> dict[str, Any]:
    return _of(games, lambda one: one.points[seat], share=share)


def measured(game: GameSpec, games: Sequence[Played]) -> dict[str, Any]:
    """Return the measures of all games that ended, as a document."""
    seats = range(len(games[0].points))
    by_bot: dict[str, list[Played]] = {}
    for one in games:
        by_bot.setdefault(one.bot, []).append(one)
    share = not game.state.cooperative
    lengths = sorted(one.turns for one in games)
    return {
        "seats": [
            {"seat": seat, **_points(games, seat, share=share)}
            | {"bots": {bot: _points(own, seat, share=share) for bot, own in by_bot.items()}}
            for seat in seats
        ],
        "turns": {
            **_of(games, lambda one: one.turns),
            "least": lengths[0],
            "median": lengths[len(lengths) // 2],
            "most": lengths[-1],
            "histogram": histogram(lengths),
        },
        "actions": _of(games, lambda one: one.used.total()),
        "branching": {bot: _branching(own) for bot, own in by_bot.items()},
        "leads": {bot: _of(own, lambda one: one.leads) for bot, own in by_bot.items()},
        "dice": {bot: share_of_dice(own) for bot, own in by_bot.items()},
        "maps": _by_map(games, seats, share=share) if games[0].setup.map else [],
        "unused": _unused(game, games),
    }


def histogram(values: Sequence[int]) -> list[dict[str, int]]:
    """Return counts of values in up to `BINS` ranges of equal width."""
    low, high = min(values), max(values)
    width = max(1, -(-(high - low + 1) // BINS))
    counts = Counter((value - low) // width for value in values)
    return [
        {"from": low + number * width, "to": low + (number + 1) * width - 1, "count": counts[number]}
        for number in range((high - low) // width + 1)
    ]


def share_of_dice(games: Sequence[Played]) -> float | None:
    """Return the share of the variance of results that is due to the dice alone.

    Games with the same setup differ only in their dice, so the variance within setups is that of the dice. The rest is
    due to the setup: the starting position, and the bots' own random numbers. None if all results are equal.
    """
    by_setup: dict[int, list[float]] = {}
    for one in games:
        by_setup.setdefault(one.setup.number, []).append(one.points[0])
    groups = [points for points in by_setup.values() if len(points) > 1]
    points = [value for group in groups for value in group]
    if not points or not (total := pvariance(points)):
        return None
    degrees = len(points) - len(groups)
    within = sum(pvariance(group) * len(group) for group in groups) / degrees
    return round(min(1.0, within / (total * len(points) / (len(points) - 1))), 4)


def _branching(games: Iterable[Played]) -> dict[str, Any]:
    choices = sorted(choice for one in games for choice in one.choices)
    return {"mean": round(fmean(choices), 2), "median": choices[len(choices) // 2], "most": choices[-1]}


def _by_map(games: Sequence[Played], seats: range, *, share: bool) -> list[dict[str, Any]]:
    rows = []
    for name in dict.fromkeys(one.setup.map for one in games):
        own = [one for one in games if one.setup.map == name]
        found = [_points(own, seat, share=share) for seat in seats]
        unfair = [
            seat
            for seat, one in enumerate(found)
            if share and one["interval"] and not one["interval"][0] <= 0.5 <= one["interval"][1]
        ]
        rows.append({"map": name, "seats": found, "games": len(own), "unfair": unfair})
    return rows


def _unused(game: GameSpec, games: Sequence[Played]) -> dict[str, list[str]]:
    schema = game.schema()
    used = {name for one in games for name in one.used}
    seen = {name for one in games for name in one.classes}
    actions = {str(name) for entry in schema["classes"].values() for name in entry.get("actions", {})}
    classes = {str(name) for name in schema["classes"]}
    return {"actions": sorted(actions - used), "classes": sorted(classes - seen)}
