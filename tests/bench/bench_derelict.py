"""Figures for the rules of Derelict, against floors measured in the same run.

Run it with `python tests/bench/bench_derelict.py`. Times are medians in microseconds; a floor is what the same machine
needs at that moment for plain work of the same kind.
"""

from __future__ import annotations

import gc
from collections.abc import Callable
from random import Random
from statistics import median
from time import perf_counter
from typing import Any

from arena.game import Sampled
from arena_derelict import GAME
from arena_derelict.board import Board


def time_of(function: Callable[[], Any], rounds: int = 3000) -> float:
    """Return the median time of one call in microseconds."""
    times = []
    for _ in range(rounds):
        start = perf_counter()
        function()
        times.append(perf_counter() - start)
    return median(times) * 1e6


def mid_game(turn: int = 6) -> Any:
    """Return a state of long_dark in a marine turn, with a marine active that has been out and about."""
    rng = Random(11)
    state: Any = GAME.start({"mission": "long_dark"}, Sampled(rng))
    while not (state.turn >= turn and state.decision.kind == "turn" and state.ap >= 3 and state.side == "marine"):
        listed = state.legal_actions()
        quiet = [one for one in listed if one["type"] in ("move", "door", "activate", "deploy")]
        done = state.decision.kind == "turn" and rng.random() < 0.05
        state.push(state.decision.player, listed[0] if done else rng.choice(quiet or listed), Sampled(rng))
        if state.decision is None:
            state = GAME.start({"mission": "long_dark"}, Sampled(rng))
    return state.clone()


def random_play(least: int = 6000) -> tuple[float, float]:
    """Return choices per second of random play, `legal_actions` and `push` together, and the median of the former."""
    rng = Random(5)
    done = 0
    lists = []
    start = perf_counter()
    while done < least:
        state: Any = GAME.start({"mission": "long_dark"}, Sampled(rng))
        while state.decision is not None:
            before = perf_counter()
            listed = state.legal_actions()
            lists.append(perf_counter() - before)
            state.push(state.decision.player, rng.choice(listed), Sampled(rng))
            done += 1
    return done / (perf_counter() - start), median(lists) * 1e6


def main() -> None:
    """Measure and print."""
    gc.disable()
    state = mid_game()
    player = state.decision.player
    listed = state.legal_actions()
    move = next(one for one in listed if one["type"] == "move")
    pieces = state.pieces
    marine = state.active
    cell = state.board.number(marine.x, marine.y)
    mission = state.options.mission
    lines = Board(mission)._lines

    def uncached() -> int:
        board = Board.__new__(Board)
        for name, value in vars(state.board).items():
            setattr(board, name, value)
        board._sights, board._seen, board._lines = {}, {}, lines
        return board.seen(cell, marine.facing, pieces.obstructed)

    def dicts() -> list[dict[str, Any]]:
        return [{"type": "move", "x": x, "y": 3, "cost": 1, "step": "forward"} for x in range(len(listed))]

    def sums() -> int:
        return sum(1 << number for number in range(250))

    uncached()
    rows: list[tuple[str, Callable[[], Any], int, int, str, Callable[[], Any]]] = [
        ("push + pop of a move", lambda: state.pop(state.push(player, move)), 3000, 60, "as many dictionaries", dicts),
        ("legal_actions", state.legal_actions, 3000, 600, "as many dictionaries", dicts),
        ("cells seen, uncached", uncached, 200, 3000, "250 bits set", sums),
        ("cells seen, cached", lambda: pieces.visible_cells(marine), 3000, 50, "250 bits set", sums),
        ("clone", state.clone, 2000, 100, "as many dictionaries", dicts),
    ]
    print(f"long_dark, turn {state.turn}: {len(state.units)} units, {len(listed)} legal actions")
    print(f"{'figure':24} {'us':>8} {'target':>8} {'ratio':>7}  floor")
    for name, function, rounds, target, floor_name, floor_function in rows:
        value, floor = time_of(function, rounds), time_of(floor_function)
        print(f"{name:24} {value:8.1f} {target:8} {value / floor:7.1f}  {floor_name} ({floor:.1f} us)")
    speed, lists = random_play()
    print(f"{'random play':24} {speed:8.0f} choices a second (target: at least 1,200)")
    print(f"{'legal_actions in it':24} {lists:8.1f} us in the median (target: at most 600)")


if __name__ == "__main__":
    main()
