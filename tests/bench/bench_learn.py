"""Figures of arena-learn: steps of environments beside PettingZoo's own games, and datasets.

Run it with Python. PettingZoo's games need ``uv pip install chess pygame-ce``; without them, their rows are left out.
"""

from __future__ import annotations

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import resource
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

import arena_learn
from arena.game import Seeded, load
from arena.play.memory import play_in_memory
from arena_learn.datasets.collecting import Collection
from arena_learn.datasets.parquet import write_parquet

SECONDS = 2.0
REPLAYS = int(os.environ.get("REPLAYS", "100"))


def aec_rate(env: Any) -> float:
    """Return the steps of an environment per second of processor time, with random legal actions."""
    rng, steps, seed, begun = Random(1), 0, 0, time.process_time()
    while time.process_time() - begun < SECONDS:
        seed += 1
        env.reset(seed=seed)
        for _ in env.agent_iter():
            observation, _, terminated, truncated, _ = env.last()
            if terminated or truncated:
                env.step(None)
                continue
            env.step(int(rng.choice(np.flatnonzero(observation["action_mask"]))))
            steps += 1
    return steps / (time.process_time() - begun)


def rules_rate(name: str, *, views: bool) -> float:
    """Return the actions of the bare rules per second: list the legal ones, choose one at random, carry it out.

    With `views`, the player who is to move also gets the view before each action.
    """
    game, steps, seed, begun = load(name), 0, 0, time.process_time()
    options = game.resolve_options({})
    while time.process_time() - begun < SECONDS:
        seed += 1
        rng, state, dice = Random(seed), game.start(options, Seeded(f"{seed}/setup")), Seeded(f"{seed}/play")
        while to_move := state.to_move():
            if views:
                state.view(to_move[0])
            state.push(to_move[0], rng.choice(state.legal_actions(to_move[0])), dice)
            state.commit()
            steps += 1
    return steps / (time.process_time() - begun)


def vector_rate(step: Callable[[np.ndarray[Any, Any]], Any], batch: Any, count: int) -> float:
    """Return the steps of environments per second of wall time."""
    rng, steps, begun = np.random.default_rng(1), 0, time.perf_counter()
    while time.perf_counter() - begun < 2 * SECONDS:
        masks = batch["action_mask"]
        batch = step((rng.random(masks.shape, np.float32) * masks).argmax(1))
        steps += count
    return steps / (time.perf_counter() - begun)


def peers() -> dict[str, Any]:
    """Return PettingZoo's own games."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            from pettingzoo.classic import chess_v6, connect_four_v3
        except ImportError:
            return {}
        return {"connect_four": connect_four_v3.env(), "chess": chess_v6.env()}


def environments() -> None:
    own = {name: arena_learn.aec(name) for name in ("saloon", "snakes")}
    rates: dict[str, list[float]] = {}
    for _ in range(3):
        for name, env in (own | peers()).items():
            rates.setdefault(name, []).append(aec_rate(env))
        for name in own:
            rates.setdefault(f"{name}, rules alone", []).append(rules_rate(name, views=False))
            rates.setdefault(f"{name}, rules with views", []).append(rules_rate(name, views=True))
    best = {name: max(found) for name, found in rates.items()}
    for name, rate in best.items():
        print(f"{name:24} {rate:8.0f} steps/s")
    for name in own:
        for rules in ("rules alone", "rules with views"):
            print(f"{name:24} {best[f'{name}, {rules}'] / best[name]:8.2f} times the cost of the {rules}")
        for peer in ("connect_four", "chess"):
            if peer in best:
                print(f"{name:24} {best[name] / best[peer]:8.2f} times {peer}")


def vectors() -> None:
    """Seats that step together wait for the slowest process, whose share varies less with many seats."""
    rates: dict[tuple[int, int], float] = {}
    for count, workers in 2 * list(product((16, 64, 256), (1, 2))):
        envs = arena_learn.vector("saloon", count, "builtin:rowdy", workers=workers)
        batch, _ = envs.reset(seed=1)
        rate = vector_rate(lambda actions, envs=envs: envs.step(actions)[0], batch, count)
        rates[count, workers] = max(rate, rates.get((count, workers), 0))
        envs.close()
    env = arena_learn.seat("saloon", "builtin:rowdy")

    def step(actions: np.ndarray[Any, Any]) -> Any:
        observation, _, terminated, _, _ = env.step(int(actions[0]))
        return {"action_mask": (env.reset()[0] if terminated else observation)["action_mask"][None]}

    alone = vector_rate(step, {"action_mask": env.reset(seed=1)[0]["action_mask"][None]}, 1)
    print(f"one seat {alone:.0f} steps/s")
    for (count, workers), rate in sorted(rates.items()):
        print(f"{count} seats in {workers} processes: {rate:.0f} steps/s, {rate / alone:.2f} times one seat")


def datasets() -> None:
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder) / f"{seed}.arena" for seed in range(REPLAYS)]
        for seed, file in enumerate(files):
            play_in_memory("saloon", ["builtin:sheriff", "builtin:pianist"], seed=seed, replay=file)
        arena_learn.layout("saloon")
        (data := Path(folder) / "data").mkdir()
        begun, wall = time.process_time(), time.perf_counter()
        collection = Collection()
        write_parquet(files, data, collection)
        used, wall = time.process_time() - begun, time.perf_counter() - wall
        rows = collection.manifest()["decisions"]
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(f"{REPLAYS} replays of Saloon, {rows} decisions: {used:.1f} s of CPU, {wall:.1f} s, {memory:.0f} MiB")


if __name__ == "__main__":
    for part in sys.argv[1:] or ("environments", "vectors", "datasets"):
        {"environments": environments, "vectors": vectors, "datasets": datasets}[part]()
