"""Figures of a game's rules in process: undo, copies, lists of actions, random play."""

from __future__ import annotations

import copy
import time
from collections.abc import Iterator
from random import Random

from figure import Figure, time_of

from arena.game import GameSpec, IllegalAction, Sampled, Seeded, State

TARGETS = {"push_pop": 25.0, "clone": 100.0, "legal_actions": 200.0, "random_play": 4000.0}
"""Saloon's; other games are shown without."""


def rules_figures(game: GameSpec) -> Iterator[Figure]:
    """Measure a game's rules in mid-game."""
    targets = TARGETS if game.name == "saloon" else {}
    state = mid_game(game)
    player = state.to_move()[0]
    actions = state.legal_actions()
    kinds = [one["type"] for one in actions]
    kind = "move" if "move" in kinds else kinds[0]
    action = next(one for one in actions if one["type"] == kind)
    chance = Sampled(Random(1))

    def push_pop() -> None:
        state.pop(state.push(player, action, chance))

    floor = 1e6 * time_of(lambda: copy.copy(action), inner=1000)
    yield Figure(
        f"push + pop of a {kind}", 1e6 * time_of(push_pop, inner=200), "us", targets.get("push_pop"), floor,
        "floor: copy of a small dict",
    )  # fmt: skip
    deep = 1e6 * time_of(lambda: copy.deepcopy(state.to_document()), rounds=5, inner=5)
    yield Figure(
        "clone()",
        1e6 * time_of(state.clone, inner=50),
        "us",
        targets.get("clone"),
        deep,
        "floor: deepcopy of the document",
    )
    yield Figure(
        f"legal_actions ({len(actions)} of them)", 1e6 * time_of(state.legal_actions, inner=50), "us",
        targets.get("legal_actions"),
    )  # fmt: skip
    yield Figure("digest", 1e6 * time_of(state.digest, inner=20), "us")
    yield Figure("random play, actions", random_rate(game), "1/s", targets.get("random_play"))


def mid_game(game: GameSpec, seed: int = 5) -> State:
    """Return a position half-way through a random game, with somebody able to move something."""
    rng = Random(seed)
    state = game.start(None, Seeded(seed))
    chance = Seeded(seed)
    visited: list[State | None] = []
    while state.to_move() and len(visited) < 4000:
        state.push(state.to_move()[0], rng.choice(state.legal_actions()), chance)
        if state.to_move():
            visited.append(state.clone() if len(visited) % 50 == 0 else None)
    half = [one for one in visited[len(visited) // 3 : 2 * len(visited) // 3 + 51] if one is not None]
    return max(half, key=lambda one: len(one.legal_actions()))


def random_rate(game: GameSpec, seconds: float = 1.0) -> float:
    """Return how many random actions a second are chosen and carried out."""
    rng = Random(2)
    chance = Sampled(rng)
    count = 0
    start = time.perf_counter()
    while time.perf_counter() - start < seconds:
        state = game.start(None, Seeded(rng.random().hex()))
        while state.to_move() and time.perf_counter() - start < seconds:
            try:
                player = state.to_move()[0]
                state.push(player, state.random_action(player, rng), chance)
            except IllegalAction as error:  # a listed action must be legal: a defect worth hearing of
                raise AssertionError(f"{game.name} lists an action that it refuses: {error}") from error
            count += 1
            chance.take()
    return count / (time.perf_counter() - start)
