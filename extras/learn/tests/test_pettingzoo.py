import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from learn_games import NAMES, game

from arena_learn.environments.aec import ArenaAEC
from arena_learn.environments.parallel import ArenaParallel

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)  # the tests import a game in PettingZoo's own old way
    from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test, render_test, seed_test

SIMULTANEOUS = ("snakes", "lowest_bid")


@pytest.fixture(autouse=True)
def _allowed() -> Iterator[None]:
    """Allow the one thing that PettingZoo's tests remark on: an observation is a dictionary, since it has a mask."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Observation is not a NumPy array|Observation space for each agent")
        yield


@pytest.mark.parametrize("name", NAMES)
def test_aec(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    api_test(ArenaAEC(game(name)), num_cycles=40)
    seed_test(lambda: ArenaAEC(game(name)), num_cycles=40)
    render_test(lambda **settings: ArenaAEC(game(name), **settings))
    assert "Passed" in capsys.readouterr().out


@pytest.mark.parametrize("name", [*SIMULTANEOUS, "kuhn_poker", "masks"])
def test_parallel(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    parallel_api_test(ArenaParallel(game(name)), num_cycles=60)
    parallel_seed_test(lambda: ArenaParallel(game(name)), num_cycles=60)
    assert "Passed" in capsys.readouterr().out


def play(env: Any, seed: int) -> dict[str, float]:
    rng = np.random.default_rng(seed)
    env.reset(seed=seed)
    total = dict.fromkeys(env.possible_agents, 0.0)
    for agent in env.agent_iter():
        observation, reward, terminated, truncated, _ = env.last()
        total[agent] += reward
        done = terminated or truncated
        env.step(None if done else rng.choice(np.flatnonzero(observation["action_mask"])))
    return total


@pytest.mark.parametrize("name", NAMES)
def test_the_rewards_of_a_match_are_its_outcome(name: str) -> None:
    env = ArenaAEC(game(name), illegal="mask")
    total = play(env, 3)
    outcome = env._play.state.outcome()
    assert outcome is not None
    assert env.cut_off == 0
    for agent, player in env._players.items():
        if outcome.payoffs:
            assert total[agent] == outcome.payoffs[player]
        elif outcome.common is not None:
            assert total[agent] == outcome.common
        else:
            assert total[agent] == 2 * outcome.points(player) - 1
