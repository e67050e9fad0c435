"""How costs grow: with the players of a game, the units of a player, and the bots of a tournament.

Run with ``python tests/bench/bench_growth.py``. Each figure is printed with its ratio to the smallest size.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

from arena.game import Sampled, Seeded
from arena.tournament.plan.formats.seats import Seats
from arena.tournament.plan.formats.swiss import EarlierRounds, pair_round
from arena_saloon import GAME as SALOON
from arena_saloon.entities import Cowboy
from arena_saloon.words import DIRECTIONS, JOBS
from arena_snakes import GAME as SNAKES


def deltas_of_an_action(players: int, actions: int = 4000) -> float:
    """Return the processor time for what all players of Snakes are sent for an action, in us."""
    rng = Random(3)
    done, spent = 0, 0.0
    while done < actions:
        state: Any = SNAKES.start({"players": players}, Seeded(rng.getrandbits(32)))
        while state.to_move() and done < actions:
            player = state.to_move()[0]
            action = state.random_action(player, rng) if rng.random() < 0.1 else state.fallback_action(player)
            mark = state.push(player, action, Sampled(rng))
            began = time.process_time()
            state.updates(mark, range(players))
            spent += time.process_time() - began
            state.commit()
            done += 1
    return 1e6 * spent / done


def end_of_turn(units: int) -> float:
    """Return the processor time of `end_turn` in Saloon with so many cowboys a player, of all jobs, in us."""
    rng = Random(1)
    options = {"width": 100, "height": 100, "max_cowboys_per_job": 1000}
    state: Any = SALOON.start(options, Seeded(1))
    blocked = {(one.x, one.y) for one in state.furnishings} | {(tile.x, tile.y) for tile in state.hazards}
    tiles = [(x, y) for x in range(1, 99) for y in range(1, 99) if (x, y) not in blocked]
    for number, (x, y) in enumerate(rng.sample(tiles, 2 * units)):
        values = {"owner": number % 2, "job": JOBS[number // 2 % 3], "health": 10, "is_drunk": number % 10 == 0}
        drunk = {"drunk_direction": rng.choice(DIRECTIONS), "turns_busy": 2} if values["is_drunk"] else {}
        made = state.create(Cowboy, f"c{number + 1}", x=x, y=y, **values, **drunk)
        state.cowboys = (*state.cowboys, made)
    state.commit()
    spent = []
    for _ in range(20):
        began = time.process_time()
        mark = state.push(state.current_player, {"type": "end_turn"}, Sampled(rng))
        spent.append(time.process_time() - began)
        state.pop(mark)
    return 1e6 * min(spent)


def swiss_round(bots: int, rounds: int = 9) -> float:
    """Return the processor time to pair a Swiss round, in us: the mean of a tournament with a bot for each strength."""
    rng = Random(1)
    history = EarlierRounds(seats=Seats(1))
    names = [f"bot{number:04}" for number in range(bots)]
    spent = 0.0
    for number in range(rounds):
        ranked = sorted(names, key=lambda name: (-history.points[name], name))
        began = time.process_time()
        pairs = pair_round(ranked, history)
        spent += time.process_time() - began
        for index, pair in enumerate(pairs):
            first, second = history.seats.seated(pair, number + index)
            history.seats.surplus.update({first: 1, second: -1})
            history.met[frozenset(pair)] += 1
            stronger, weaker = sorted(pair)
            history.points[stronger if rng.random() < 0.75 else weaker] += 1
    return 1e6 * spent / rounds


FIGURES: list[tuple[str, Callable[[int], float], tuple[int, ...], float]] = [
    ("updates of an action of Snakes, players", deltas_of_an_action, (2, 4, 8), 1.5),
    ("end of a turn of Saloon, units a player", end_of_turn, (50, 150, 500), 10.0),
    ("pairing a Swiss round, bots", swiss_round, (250, 500, 1000), 16.0),
]
"""Name, measurement, sizes, and the target for the ratio of the largest to the smallest size."""


def rows() -> Iterator[str]:
    """Measure, and yield a line for each size."""
    for name, measure, sizes, target in FIGURES:
        first = 0.0
        for size in sizes:
            value = measure(size)
            first = first or value
            wanted = f"  target <= {target:g} x" if size == sizes[-1] else ""
            yield f"{name:42}{size:6}{value:12.1f} us{value / first:8.2f} x{wanted}"


if __name__ == "__main__":
    for row in rows():
        print(row)
