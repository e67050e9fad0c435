"""Figures for the rules of Saloon, against floors measured in the same run.

Run it with `python tests/bench/bench_saloon.py`. Times are medians in microseconds; a floor is what the same machine
needs at that moment for plain work of the same kind.
"""

from __future__ import annotations

import copy
import gc
from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from statistics import median
from time import perf_counter
from typing import Any

from arena.game import Seeded
from arena_saloon import GAME


@dataclass(slots=True)
class Plain:
    """An object with as many slots as a cowboy has."""

    a: Any = 1
    b: Any = 2
    c: Any = 3
    d: Any = 4
    e: Any = 5
    f: Any = 6
    g: Any = 7
    h: Any = 8
    i: Any = 9
    j: Any = 10
    k: Any = 11


def time_of(function: Callable[[], Any], rounds: int = 3000) -> float:
    """Return the median time of one call in microseconds."""
    times = []
    for _ in range(rounds):
        start = perf_counter()
        function()
        times.append(perf_counter() - start)
    return median(times) * 1e6


def mid_game(turns: int = 60) -> Any:
    """Return a state in the middle of a game, with both gangs complete and the current player free to act."""
    rng = Random(7)
    chance = Seeded(7)
    state: Any = GAME.start({}, chance)
    while state.current_turn < turns or len(state.cowboys) < 10 or len(state.legal_actions()) < 40:
        listed = state.legal_actions()
        calls = [action for action in listed if action["type"] == "call_in"]
        gentle = [action for action in listed if action["type"] in ("move", "play")]
        action = calls[-1] if calls else rng.choice(gentle) if gentle and rng.random() < 0.85 else listed[0]
        state.push(state.current_player, action, chance)
    return state.clone()


def random_play(games: int = 5) -> float:
    """Return actions per second of random play, `legal_actions` and `push` together."""
    done = 0
    start = perf_counter()
    for seed in range(games):
        rng = Random(seed)
        chance = Seeded(seed)
        state: Any = GAME.start({}, chance)
        while state.to_move():
            listed = state.legal_actions()
            state.push(state.current_player, listed[0] if rng.random() < 0.1 else rng.choice(listed), chance)
            done += 1
    return done / (perf_counter() - start)


def main() -> None:
    """Measure and print."""
    gc.disable()
    state = mid_game()
    player = state.current_player
    move = next(action for action in state.legal_actions() if action["type"] == "move")
    thing = Plain()
    listed = len(state.legal_actions())
    things = [Plain() for _ in range(len(state._entities))]
    journal: list[Any] = []

    def writes() -> None:
        for _ in range(4):
            journal.append((thing, "a", thing.a))
            thing.a = 3
        for _ in range(4):
            one, name, old = journal.pop()
            setattr(one, name, old)

    def dicts() -> list[dict[str, Any]]:
        return [{"type": "move", "cowboy": "c1", "x": x, "y": 3} for x in range(listed)]

    rows: list[tuple[str, Callable[[], Any], int, str, Callable[[], Any]]] = [
        ("push + pop of a move", lambda: state.pop(state.push(player, move)), 25, "4 noted writes and undoing", writes),
        ("clone", state.clone, 100, "copy.copy of as many objects", lambda: [copy.copy(one) for one in things]),
        ("legal_actions", state.legal_actions, 200, "as many dictionaries", dicts),
    ]
    print(f"mid-game: {len(state.cowboys)} cowboys, {len(state.furnishings)} furnishings, {listed} legal actions")
    print(f"{'figure':24} {'us':>8} {'target':>8} {'ratio':>7}  floor")
    for name, function, target, floor_name, floor_function in rows:
        value, floor = time_of(function), time_of(floor_function)
        print(f"{name:24} {value:8.1f} {target:8} {value / floor:7.1f}  {floor_name} ({floor:.1f} us)")
    end = {"type": "end_turn"}
    print(f"{'push + pop of end_turn':24} {time_of(lambda: state.pop(state.push(player, end))):8.1f}")
    print(f"{'random play':24} {random_play():8.0f} actions a second (target: at least 4,000)")


if __name__ == "__main__":
    main()
