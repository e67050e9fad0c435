"""How strong `builtin:search` is: against the middle built-in bot of each game, and against half of its budget.

    python tests/bench/bench_search.py [both|middle|half] [GAMES] [SECONDS] [GAME...]

Budgets are processor time, so other programs on the machine do not matter much. A game of Saloon with a second a turn
takes a minute.
"""

from __future__ import annotations

import sys
import time
from random import Random
from typing import Any

from arena.contests.ratings.sequential import PairScores
from arena.play.memory import MatchInMemory, Player
from arena_learn.search import SearchPolicy

MIDDLE: dict[str, tuple[str, dict[str, Any]]] = {
    "saloon": ("builtin:pianist", {}),
    "laser_flag": ("builtin:sergeant", {}),
    "derelict": ("builtin:veteran", {}),
    "snakes": ("builtin:forager", {"players": 2}),
}


def score(game: str, seconds: float, other: float | str, pairs: int, options: dict[str, Any]) -> PairScores:
    """Play pairs of games with the same seed and swapped seats. `other` is an opponent, or a smaller budget."""
    found, begun = PairScores(), time.process_time()
    for pair in range(pairs):
        points = 0.0
        for seat in range(2):
            search = SearchPolicy({"seconds": seconds}, Random(f"{pair}/{seat}"))
            opponent: Player = other if isinstance(other, str) else SearchPolicy({"seconds": other}, Random(pair))
            players = [search, opponent] if seat == 0 else [opponent, search]
            match = MatchInMemory(game, players, seed=pair, options=options, raises=True)
            match.play()
            assert match.outcome is not None
            points += match.outcome.points(seat) / 2
        found.add(points)
        low, high = found.interval
        used = time.process_time() - begun
        print(f"{game} {seconds} s against {other}: {2 * found.pairs} games, score {found.score:.3f} "
              f"({low:.3f} to {high:.3f}), {used:.0f} s of processor time", flush=True)  # fmt: skip
    return found


def main(kind: str = "both", games: str = "20", seconds: str = "1", *names: str) -> None:
    """Measure the given games, or all: against the ``middle`` bot, against ``half`` of the budget, or both."""
    for name in names or MIDDLE:
        bot, options = MIDDLE[name]
        if kind in ("both", "middle"):
            score(name, float(seconds), bot, int(games) // 2, options)
        if kind in ("both", "half"):
            score(name, float(seconds), float(seconds) / 2, int(games) // 2, options)


if __name__ == "__main__":
    main(*sys.argv[1:])
