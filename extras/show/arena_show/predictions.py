"""Guesses of spectators before an encounter, and how good they were.

A guess is the chance of the first player, from 0 to 1. It is an entry of the journal before the first match is shown,
and each guesser has one. A forecaster of our own guesses too, from the ratings that everybody knows by then.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Final

from arena.web.contests.extending import ContestReading

FORECASTER: Final = "arena"
MOST: Final = 2000
"""The limit for the guesses about an encounter: a large hall. Each is an entry of the journal."""


def forecast(public: ContestReading, first: str, second: str) -> float:
    """Return the chance of the first of two players by their ratings in Elo points: 0.5 without ratings."""
    ratings = public.ratings()
    difference = ratings.get(second, 0.0) - ratings.get(first, 0.0)
    chance = 1.0 / (1.0 + math.pow(10.0, max(-2000.0, min(2000.0, difference)) / 400.0))
    return round(chance, 3)


def outcomes(public: ContestReading) -> dict[str, float]:
    """Return what the first player of each decided encounter of two got: 1, 0, or 0.5 without a winner."""
    found = {}
    for stage in public.stages:
        for row in stage.encounters:
            if row.decided and len(row.players) == 2:
                won = 0.5 if not row.winner else float(row.winner == row.players[0])
                found[f"{stage.name}:{row.key}"] = won
    return found


def scores(guesses: Mapping[str, Mapping[str, float]], known: Mapping[str, float]) -> dict[str, tuple[float, int]]:
    """Return the Brier score of each guesser, from 0 (best) to 1, and how many guesses it has."""
    errors: dict[str, list[float]] = {}
    for match, by in guesses.items():
        if match in known:
            for guesser, win in by.items():
                errors.setdefault(guesser, []).append((win - known[match]) ** 2)
    return {guesser: (sum(squares) / len(squares), len(squares)) for guesser, squares in errors.items()}


def place_of(own: str, found: Mapping[str, tuple[float, int]]) -> int:
    """Return the place of a guesser among those with as many guesses or more; 0 for one without a score."""
    if own not in found:
        return 0
    score, count = found[own]
    return 1 + sum(other < score for other, guesses in found.values() if guesses >= count)
