"""What the games of a report say together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from math import isfinite
from statistics import fmean, pvariance
from typing import Any

from arena.game import GameSpec
from arena.ratings.means import mean_and_margin
from arena_learn.report.playing import Played

BINS = 12


def estimate(values: Sequence[float], *, share: bool = False) -> dict[str, Any]:
    """Return the mean of values with its 95 % interval; the interval is null for fewer than two values.

    Args:
        values: The values.
        share: Whether the values are shares from 0 to 1. If all of them are equal, the interval follows the rule of
            three: what happened in none of N games happens in at most 3/N of all games.
    """
    mean, margin = mean_and_margin(values)
    if share and not margin:
        margin = 3 / len(values)
    ends = [round(mean - margin, 4), round(mean + margin, 4)] if isfinite(margin) else None
    return {"mean": round(mean, 4), "interval": ends, "count": len(values)}


def measured(game: GameSpec, games: Sequence[Played]) -> dict[str, Any]:
    """Return the measures of all games that ended, as a document."""
    seats = range(len(games[0].points))
    bots = list(dict.fromkeys(one.bot for one in games))
    share = not game.state.cooperative
    lengths = sorted(one.turns for one in games)
    return {
        "seats": [
            {"seat": seat, **estimate([one.points[seat] for one in games], share=share)}
            | {
                "bots": {
                    bot: estimate([one.points[seat] for one in games if one.bot == bot], share=share) for bot in bots
                }
            }
            for seat in seats
        ],
        "turns": {
            **estimate([float(length) for length in lengths]),
            "least": lengths[0],
            "median": lengths[len(lengths) // 2],
            "most": lengths[-1],
            "histogram": histogram(lengths),
        },
        "actions": estimate([float(one.used.total()) for one in games]),
        "branching": {bot: _branching(one for one in games if one.bot == bot) for bot in bots},
        "leads": {bot: estimate([float(one.leads) for one in games if one.bot == bot]) for bot in bots},
        "dice": {bot: share_of_dice([one for one in games if one.bot == bot]) for bot in bots},
        "maps": _by_map(games, seats) if games[0].setup.map else [],
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


def _by_map(games: Sequence[Played], seats: range) -> list[dict[str, Any]]:
    rows = []
    for name in dict.fromkeys(one.setup.map for one in games):
        own = [one for one in games if one.setup.map == name]
        found = [estimate([one.points[seat] for one in own], share=True) for seat in seats]
        unfair = [
            seat
            for seat, one in enumerate(found)
            if one["interval"] and not one["interval"][0] <= 0.5 <= one["interval"][1]
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
