"""Figures of Laser Flag's rules, as times and as ratios to a floor measured on the same machine.

Run with ``python tests/bench/bench_laser_flag.py``.
"""

from __future__ import annotations

import gc
import importlib
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from random import Random

from arena.game import Seeded
from arena_laser_flag import GAME
from arena_laser_flag.map_files import load_map
from arena_laser_flag.state import Game

FRESH = """
import time
from arena_laser_flag.board import Board
from arena_laser_flag.map_files import load_map
rows = tuple(load_map({source!r})["tiles"])
start = time.perf_counter()
board = Board(rows, ())
tiles = list(board.tiles(board.walkable))
board.seen_from(*tiles[0])
first = time.perf_counter() - start
for tile in tiles:
    board.seen_from(*tile)
print(first, time.perf_counter() - start)
"""


def floor() -> float:
    """Return the seconds for a fixed piece of plain Python, to compare machines by."""

    def work() -> None:
        table = {}
        for number in range(10_000):
            table[number % 97] = (number, str(number))

    return median(work, 40)


def median(work: Callable[[], object], times: int) -> float:
    """Return the median time of a call in seconds."""
    taken = []
    for _ in range(times):
        start = time.perf_counter()
        work()
        taken.append(time.perf_counter() - start)
    return statistics.median(taken)


def sight(source: str) -> tuple[float, float]:
    """Return the seconds for the first tile and for all tiles of a map in a fresh process."""
    command = [sys.executable, "-c", FRESH.format(source=source)]
    runs = [subprocess.run(command, capture_output=True, text=True, check=True).stdout.split() for _ in range(5)]
    return statistics.median(float(run[0]) for run in runs), statistics.median(float(run[1]) for run in runs)


def start(source: str) -> Game:
    """Start a game on a map."""
    game = GAME.start({"map": load_map(source)})
    assert isinstance(game, Game)
    return game


def push_and_pop() -> float:
    """Return the seconds for push and pop of a move that units on overwatch check, over many positions."""
    taken = []
    rng, chance = Random(1), Seeded(1)
    for _ in range(20):
        game = start("crossroads")
        while game.outcome() is None:
            actions = game.legal_actions()
            moves = [action for action in actions if action["type"] == "move"]
            for action in rng.sample(moves, min(5, len(moves))):
                begin = time.perf_counter()
                game.pop(game.push(game.active_player, action, chance))
                taken.append(time.perf_counter() - begin)
            game.push(game.active_player, rng.choice(actions), chance)
    return statistics.median(taken)


def random_play() -> float:
    """Return the actions in a second of random play on crossroads."""
    rng, chance = Random(2), Seeded(2)
    done = 0
    begin = time.perf_counter()
    while time.perf_counter() - begin < 3:
        game = start("crossroads")
        while game.outcome() is None:
            game.push(game.active_player, game.random_action(game.active_player, rng), chance)
            done += 1
    return done / (time.perf_counter() - begin)


def search_turns() -> float:
    """Return the median seconds for a turn of the search bot's planner on crossroads, playing both sides."""
    sys.path.insert(0, str(GAME.bots[-1].path.parent))
    planner = importlib.import_module("planner")
    chance = Seeded(3)
    taken = []
    for _ in range(3):
        game = start("crossroads")
        while game.outcome() is None:
            player, turn = game.active_player, game.turn
            begin = time.perf_counter()
            while game.outcome() is None and game.turn == turn:
                waiting = [unit.id for unit in game.players[player].units if unit.ap]
                action = planner.Planner(game.clone(), player).best(waiting)
                game.push(player, action or {"type": "end_turn"}, chance)
            taken.append(time.perf_counter() - begin)
    return statistics.median(taken)


def main() -> None:
    """Print all figures."""
    gc.disable()
    unit = floor()
    print(f"floor                                         {unit * 1e3:8.2f} ms   1.00")
    for source in ("citadel", "generate:seed=1,width=21,height=21,walls=40"):
        first, everything = sight(source)
        print(f"sight, first tile of {source[:24]:24} {first * 1e3:8.2f} ms {first / unit:6.2f}")
        print(f"sight, all tiles of  {source[:24]:24} {everything * 1e3:8.2f} ms {everything / unit:6.2f}")
    game = start("citadel")
    listing = median(game.legal_actions, 200)
    print(f"legal_actions, 8 units on 21 x 21             {listing * 1e3:8.2f} ms {listing / unit:6.2f}")
    moving = push_and_pop()
    print(f"push + pop of a move, median                  {moving * 1e6:8.1f} us {moving / unit:6.4f}")
    print(f"random play on crossroads                     {random_play():8.0f} actions/s")
    turn = search_turns()
    print(f"search bot, turn on crossroads                {turn * 1e3:8.1f} ms {turn / unit:6.2f}")


if __name__ == "__main__":
    main()
