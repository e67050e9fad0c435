"""Estimate what other choices are worth. Built-in bots play on after these choices and after the recorded ones."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from pathlib import Path
from time import monotonic

from arena.analysis.estimates import Estimate
from arena.analysis.playouts import Result
from arena.analysis.pool import Pool, Question
from arena.analysis.probability import win_difference
from arena.analysis.recorded_match import RecordedMatch
from arena.analysis.worker import required_bots
from arena.game import Document

PAIRS = 400
"""The limit for the number of pairs of playouts for one choice."""
PAIRS_AT_ONCE = 5
PLAYOUTS_OF_BUDGET = 100
"""The strongest bot that can play this many playouts within the budget is chosen."""


def gains(replay: Path, player: int, choices: Sequence[tuple[int, list[Document]]], seconds: float) -> list[Estimate]:
    """Return how much each choice raises the player's win probability, compared with the recorded choice.

    Args:
        choices: For each choice, the number of accepted actions before it in the replay, and the actions to play
            instead.

    Returns:
        One estimate for each choice. It has no playouts if no `Part` of the player begins at the choice.
    """
    match = RecordedMatch.of_file(replay)
    names = required_bots(match.game)
    begins = accumulate((len(part.actions) for part in match.parts), initial=0)
    places = {begin: part.index for begin, part in zip(begins, match.parts, strict=False) if part.player == player}
    hides = player if match.end.hides_information() else None
    deadline = monotonic() + seconds
    found: list[list[tuple[Result, Result]]] = [[] for _ in choices]
    with Pool(replay) as pool:
        limit = seconds * pool.processes / PLAYOUTS_OF_BUDGET
        costs = dict(pool.ask([("cost", name, limit) for name in names]))
        fast = [at for at in range(len(names)) if costs[at] <= limit] or [min(costs, key=lambda at: costs[at])]
        questions: list[Question] = []
        asked: list[int] = []
        for first in range(0, PAIRS, PAIRS_AT_ONCE):
            for number, (begin, actions) in enumerate(choices):
                if begin in places:
                    seeds = list(range(first, first + PAIRS_AT_ONCE))
                    questions.append(("pairs", names[fast[-1]], places[begin], actions, seeds, hides))
                    asked.append(number)
        for at, pairs in pool.ask(questions, deadline):
            found[asked[at]] += pairs
    return [win_difference(pairs, player, match.game.playout_power) for pairs in found]
