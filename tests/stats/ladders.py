"""Prove that each rung of a ladder is stronger than the one before: the sequential test of `arena compare`, in memory.

    python tests/stats/ladders.py [GAME [REFERENCE...]]

Prints a row for each pair of rungs. The seed of a pair of games is its number: the same command plays the same games.
In a game of two legs the pair is one match, which counts as the game decides it: by points, then by scores.
Without a game it proves all ladders of this repository, which takes hours; references take the place of a ladder.
"""

from __future__ import annotations

import sys
import time
from itertools import pairwise
from statistics import mean

from arena.contests.ratings.sequential import PairScores, Sprt
from arena.match.lookup import find_game
from arena.match.result import decide
from arena.play.memory import MatchInMemory

GAMES = ("saloon", "laser_flag", "derelict", "snakes")
TEST = Sprt(elo0=0, elo1=100)
MOST = 400


def duel(game: str, higher: str, lower: str) -> tuple[str, list[float]]:
    """Play pairs of games until the test decides. Return the decision, and the points of each game or match."""
    options = {"players": 2} if game == "snakes" else {}
    pairs, counted, decision = PairScores(), list[float](), ""
    while not decision and 2 * pairs.pairs < MOST:
        results = []
        for players in ([higher, lower], [lower, higher]):
            match = MatchInMemory(game, players, seed=f"ladder {pairs.pairs}", options=options, raises=True)
            match.play()
            results.append(match.result())
        points = [result.points(seat) for seat, result in enumerate(results)]
        if find_game(game).legs == 2:
            winner = decide(results[0], results[1]).winner
            points = [0.5 if winner is None else float(winner == 0)]
        counted += points
        pairs.add(mean(points))
        decision = TEST.decide(pairs)
    return decision, counted


def main(*words: str) -> bool:
    """Prove the ladders, and return whether all rungs are in order."""
    ordered = True
    for game in words[:1] or GAMES:
        ladder = words[1:] or find_game(game).ladder
        for lower, higher in pairwise(ladder):
            begun = time.process_time()
            decision, points = duel(game, higher, lower)
            names = " | ".join(reference.removeprefix("builtin:") for reference in (higher, lower))
            ordered &= decision == "elo1"
            counts = f"{len(points)} | {points.count(1.0)} | {points.count(0.5)}"
            print(f"| {game} | {names} | {counts} | {decision or 'undecided'} | "
                  f"{time.process_time() - begun:.0f} s |", flush=True)  # fmt: skip
    return ordered


if __name__ == "__main__":
    sys.exit(not main(*sys.argv[1:]))
