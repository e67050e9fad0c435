"""The environments in the libraries that train with them: `pip install -r tools/wrappers.txt`, as .ci/run does.

Those that are not installed are skipped, with the reason; with ARENA_TEST_WRAPPERS=required, they fail.
"""

import importlib
import os
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from learn_games import game

import arena_learn


def library(name: str) -> Any:
    if os.environ.get("ARENA_TEST_WRAPPERS") == "required":
        return importlib.import_module(name)
    return pytest.importorskip(name, reason="Install tools/wrappers.txt for this test.")


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    """Allow remarks: SB3 has no policy of its own for layers of numbers, and libraries use what others deprecate."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


@pytest.mark.parametrize("settings", [{}, {"mask": "info"}, {"planes": True}], ids=str)
@pytest.mark.parametrize("name", ["saloon", "snakes", "harvest"])
def test_stable_baselines(name: str, settings: dict[str, Any]) -> None:
    checker = library("stable_baselines3.common.env_checker")
    env = arena_learn.seat(game(name), lambda turn: turn.state.fallback_action(turn.player), **settings)
    checker.check_env(env)


@pytest.mark.parametrize("name", ["snakes", "harvest"])
def test_maskable_ppo_learns_some_steps(name: str) -> None:
    contrib = library("sb3_contrib")
    options = {"robots": 20} if name == "harvest" else {}
    env = arena_learn.seat(game(name), lambda turn: turn.state.fallback_action(turn.player), illegal="mask", **options)
    model = contrib.MaskablePPO("MultiInputPolicy", env, n_steps=32, batch_size=16, n_epochs=1, seed=1)
    model.learn(64)
    observation, _ = env.reset(seed=1)
    action, _ = model.predict(observation, action_masks=env.action_masks())
    env.step(action)


@pytest.mark.parametrize("name", ["snakes", "saloon"])
def test_supersuit(name: str) -> None:
    supersuit = library("supersuit")
    made = arena_learn.parallel(game(name), mask="info", illegal="penalty")
    env = supersuit.pettingzoo_env_to_vec_env_v1(supersuit.frame_stack_v1(supersuit.black_death_v3(made), 2))
    seen, _ = env.reset(seed=1)
    assert seen.shape == (len(made.possible_agents), *env.observation_space.shape)
    for _ in range(3):
        seen, rewards, *_ = env.step(np.ones(len(seen), np.int64))
        assert len(rewards) == len(seen)
    one = supersuit.frame_stack_v1(supersuit.dtype_v0(arena_learn.aec(game(name), mask="info"), np.float16), 2)
    one.reset(seed=1)
    assert one.last()[0].dtype == np.float16
