"""Figures for the rules of Snakes, against floors measured in the same run.

Run it with `python tests/bench/bench_snakes.py`. Times are medians in microseconds; a floor is what the same machine
needs at that moment for plain work of the same kind.
"""

from __future__ import annotations

import copy
import gc
from collections.abc import Callable
from pathlib import Path
from random import Random
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

from arena.game import Sampled, Seeded
from arena.testing.matches import play_match
from arena_replays import Reader
from arena_snakes import GAME
from arena_snakes.words import STEPS

PLAYERS = 4
CIRCLER = """
from arena_player import AI

STEPS = {"right": (1, 0), "left": (-1, 0), "up": (0, -1), "down": (0, 1)}
CIRCLES = [("right", "down", "left", "up"), ("left", "down", "right", "up"),
           ("right", "up", "left", "down"), ("left", "up", "right", "down")]

class Circler(AI):
    def start(self):
        self.name = self.game.snakes[self.index].id
        self.circle = next(filter(self.is_free, CIRCLES))

    def is_free(self, circle):
        head = self.game.snakes[self.index].body[0]
        x, y, free = head.x, head.y, True
        for step in circle:
            x, y = x + STEPS[step][0], y + STEPS[step][1]
            tile = self.game.world.tiles.get((x, y))
            free &= tile is not None and tile not in self.game.food
        return free

    def run_turn(self):
        self.act({"type": "move", "snake": self.name, "direction": self.circle[self.turn % 4]})
"""
"""A bot that goes in a circle of four tiles without food, and does not think."""


def time_of(function: Callable[[], Any], rounds: int = 3000) -> float:
    """Return the median time of one call in microseconds."""
    times = []
    for _ in range(rounds):
        start = perf_counter()
        function()
        times.append(perf_counter() - start)
    return median(times) * 1e6


def safe_move(state: Any, player: int, rng: Random) -> dict[str, Any]:
    """Return a random move into a free tile of the board, if there is one."""
    taken = {tile for snake in state.living() for tile in snake.body}
    x, y = state.snakes[player].body[0]
    size = state.options.size
    free = [
        move
        for move in state.legal_actions(player)
        for dx, dy in [STEPS[move["direction"]]]
        if (x + dx, y + dy) not in taken and 0 <= x + dx < size and 0 <= y + dy < size
    ]
    return rng.choice(free or state.legal_actions(player))


def mid_game(turns: int = 25) -> Any:
    """Return a state in the middle of a game, with all snakes alive and able to move on."""
    for seed in range(1000):
        rng = Random(seed)
        state: Any = GAME.start({"players": PLAYERS}, Seeded(seed))
        while state.to_move() and state.turn < turns:
            state.push(state.to_move()[0], safe_move(state, state.to_move()[0], rng), Sampled(rng))
        if len(state.living()) == PLAYERS:
            return state.clone()
    raise AssertionError("no game was long enough")


def random_play(games: int = 300) -> float:
    """Return actions per second of random play, `legal_actions` and `push` together."""
    done = 0
    start = perf_counter()
    for seed in range(games):
        rng = Random(seed)
        chance = Seeded(seed)
        state: Any = GAME.start({"players": PLAYERS}, chance)
        while to_move := state.to_move():
            player = to_move[0]
            state.push(player, rng.choice(state.legal_actions(player)), chance)
            done += 1
    return done / (perf_counter() - start)


def joint_move(state: Any) -> Callable[[], Any]:
    """Return a function that lets all snakes move ahead safely, and undoes it."""
    rng = Random(1)
    moves = [safe_move(state, player, rng) for player in range(PLAYERS)]
    chance = Sampled(rng)

    def run() -> None:
        mark = state.mark
        for player, move in enumerate(moves):
            state.push(player, move, chance)
        state.pop(mark)

    return run


def joint_turn() -> tuple[str, float]:
    """Play a sandboxed match of four; return its isolation, and the milliseconds of a turn beyond the slowest bot."""
    with TemporaryDirectory() as name:
        bot, replay = Path(name) / "circler.py", Path(name) / "match.arena"
        bot.write_text(CIRCLER, encoding="utf-8")
        no_food = {"minimum_food": 0, "food_spawn_chance": 0}
        result = play_match("snakes", [bot] * PLAYERS, seed=1, options=no_food, replay=replay)
        slowest: dict[int, int] = {}
        for kind, *entry in Reader(replay).truth:
            if kind == "turn":
                turn, _, wall = entry[:3]
                slowest[turn] = max(slowest.get(turn, 0), wall)
    playing = result.seconds.total - result.seconds.start
    return result.isolation.name, 1e3 * (playing - sum(slowest.values()) / 1e6) / result.turns


def main() -> None:
    """Measure and print."""
    gc.disable()
    state = mid_game()
    things = [copy.copy(Random) for _ in range(len(state._entities))]
    body = state.snakes[0].body

    def tuples() -> None:
        for _ in range(PLAYERS):
            _ = (body[0], *body[:-1])

    rows: list[tuple[str, Callable[[], Any], str, str, Callable[[], Any]]] = [
        ("joint move of 4 and pop", joint_move(state), "160", "4 new bodies", tuples),
        ("clone", state.clone, "-", "copy.copy of as many objects", lambda: [copy.copy(one) for one in things]),
        ("legal_actions", state.legal_actions, "-", "4 new bodies", tuples),
        ("view of a player", lambda: state.view(0), "-", "4 new bodies", tuples),
    ]
    print(f"mid-game: lengths {[len(snake.body) for snake in state.snakes]}, {len(state.food)} food")
    print(f"{'figure':24} {'us':>8} {'target':>8} {'ratio':>7}  floor")
    for name, function, target, floor_name, floor_function in rows:
        value, floor = time_of(function), time_of(floor_function)
        print(f"{name:24} {value:8.1f} {target:>8} {value / floor:7.1f}  {floor_name} ({floor:.1f} us)")
    print(f"{'random play':24} {random_play():8.0f} actions a second (target: at least 12,000)")
    isolation, beyond = joint_turn()
    print(f"{'joint turn':24} {beyond:8.2f} ms beyond the slowest bot (target at L3: at most 0.6), {isolation}")


if __name__ == "__main__":
    main()
