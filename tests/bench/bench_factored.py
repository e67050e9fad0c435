"""One order of 200 in a factored action: the rules and the referee, against a plain loop of the same rules.

Run with: python tests/bench/bench_factored.py
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2] / "docs" / "examples"))

import frontier_game

from arena.memory import MatchInMemory

TURNS, UNITS, SIZE = 200, 200, 40
GAME = frontier_game.spec()


def recorded() -> list[dict[str, Any]]:
    """Play at random, with an order for each unit."""
    rng, state, actions = Random(1), GAME.start({"turns": TURNS}), []
    while state.to_move():
        (form,) = state.legal_actions()
        action = {"type": "march", "orders": [rng.choice(group) for group in form["orders"]["choices"]]}
        state.push(state.to_move()[0], action)
        state.commit()
        actions.append(action)
    return actions


class Plain:
    """The rules of Frontier as a plain loop over lists."""

    def __init__(self) -> None:
        self.units: dict[str, list[int]] = {}
        self.standing: dict[tuple[int, int], list[int]] = {}
        tiles = {(x, y) for x in range(SIZE) for y in range(SIZE)}
        self.steps = {
            (x, y): [step for step, (dx, dy) in frontier_game.STEPS.items() if (x + dx, y + dy) in tiles]
            for x, y in tiles
        }
        for owner in (0, 1):
            for number in range(UNITS):
                x, y = number % SIZE, number // SIZE
                unit = [owner, x, y if owner == 0 else SIZE - 1 - y, 3]
                self.units[f"u{owner}_{number}"] = self.standing[unit[1], unit[2]] = unit

    def march(self, actor: int, orders: list[list[str]]) -> None:
        seen = set()
        for id_, step in orders:
            unit = self.units[id_]
            if unit[0] != actor or id_ in seen or step not in self.steps[unit[1], unit[2]]:
                raise ValueError(id_)
            seen.add(id_)
        for id_, step in orders:
            self.go(self.units[id_], *frontier_game.STEPS[step])

    def go(self, unit: list[int], dx: int, dy: int) -> None:
        place = unit[1] + dx, unit[2] + dy
        there = self.standing.get(place)
        if there is None:
            del self.standing[unit[1], unit[2]]
            self.standing[place] = unit
            unit[1], unit[2] = place
        elif there[0] != unit[0]:
            there[3] -= 1
            if there[3] == 0:
                del self.standing[place]
                self.units = {id_: one for id_, one in self.units.items() if one is not there}

    def listed(self, actor: int) -> list[list[list[str]]]:
        return [
            [[id_, step] for step in self.steps[unit[1], unit[2]]]
            for id_, unit in self.units.items()
            if unit[0] == actor
        ]


def plain(actions: list[dict[str, Any]], *, listing: bool) -> None:
    game = Plain()
    for turn, action in enumerate(actions):
        if listing:
            game.listed(turn % 2)
        game.march(turn % 2, action["orders"])


def rules(actions: list[dict[str, Any]], *, listing: bool) -> None:
    state = GAME.start({"turns": TURNS})
    for turn, action in enumerate(actions):
        if listing:
            state.legal_actions(turn % 2)
        state.push(turn % 2, action)
        state.commit()


def referee(actions: list[dict[str, Any]], replay: str) -> None:
    match = MatchInMemory(GAME, [None, None], seed=1, options={"turns": TURNS}, replay=replay)
    for turn, action in enumerate(actions):
        match.act(turn % 2, action)
    assert match.over


def seconds(run: Callable[[], None]) -> float:
    """Return the best processor time of five runs."""
    best = float("inf")
    for _ in range(5):
        before = time.process_time()
        run()
        best = min(best, time.process_time() - before)
    return best


def main() -> None:
    actions = recorded()
    orders = sum(len(action["orders"]) for action in actions)
    floor = seconds(lambda: plain(actions, listing=False))
    with tempfile.TemporaryDirectory() as folder:
        figures = {
            "plain loop": floor,
            "plain loop, with a list of the choices": seconds(lambda: plain(actions, listing=True)),
            "push and commit": seconds(lambda: rules(actions, listing=False)),
            "legal_actions, push and commit": seconds(lambda: rules(actions, listing=True)),
            "referee in memory": seconds(lambda: referee(actions, "")),
            "referee in memory, with a replay": seconds(lambda: referee(actions, f"{folder}/match.arena")),
        }
    print(f"{orders} orders in {len(actions)} actions")
    for name, taken in figures.items():
        print(f"{name:40} {taken / orders * 1e6:6.2f} us an order, {taken / floor:5.1f} x the plain loop")


if __name__ == "__main__":
    main()
