"""Prove that each rung of a ladder is stronger than the one before: the sequential test of `arena compare`, in memory.

    python tests/stats/ladders.py [GAME [REFERENCE...]]

Prints a row for each pair of rungs. The seed of a pair of games is its number: the same command plays the same games.
Without a game it proves all ladders of this repository, which takes hours; references take the place of a ladder.
"""

from __future__ import annotations

import sys
import time
from itertools import pairwise

from arena.contests.ratings.sequential import PairScores, Sprt
from arena.match.lookup import find_game
from arena.play.memory import MatchInMemory

GAMES = ("saloon", "laser_flag", "derelict", "snakes")
TEST = Sprt(elo0=0, elo1=100)
MOST = 400


def duel(game: str, higher: str, lower: str) -> tuple[str, PairScores, list[int]]:
    """Play pairs of games until the test decides. Return the decision, the scores, and how many were won and drawn."""
    options = {"players": 2} if game == "snakes" else {}
    pairs, counts, decision = PairScores(), [0, 0], ""
    while not decision and 2 * pairs.pairs < MOST:
        score = 0.0
        for seat in range(2):
            players = [lower, higher] if seat else [higher, lower]
            match = MatchInMemory(game, players, seed=f"ladder {pairs.pairs}", options=options, raises=True)
            match.play()
            assert match.outcome is not None
            points = match.outcome.points(seat)
            score += points / 2
            counts[0] += points == 1.0
            counts[1] += points == 0.5
        pairs.add(score)
        decision = TEST.decide(pairs)
    return decision, pairs, counts


def main(*words: str) -> bool:
    """Prove the ladders, and return whether all rungs are in order."""
    ordered = True
    for game in words[:1] or GAMES:
        ladder = words[1:] or find_game(game).ladder
        for lower, higher in pairwise(ladder):
            begun = time.process_time()
            decision, pairs, (won, drawn) = duel(game, higher, lower)
            names = " | ".join(reference.removeprefix("builtin:") for reference in (higher, lower))
            ordered &= decision == "elo1"
            print(f"| {game} | {names} | {2 * pairs.pairs} | {won} | {drawn} | {decision or 'undecided'} | "
                  f"{time.process_time() - begun:.0f} s |", flush=True)  # fmt: skip
    return ordered


if __name__ == "__main__":
    sys.exit(not main(*sys.argv[1:]))
