import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from gymnasium import spaces
from learn_games import NAMES, ORDERS, game, random_choice

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


@pytest.mark.parametrize("name", [*NAMES, *ORDERS])
def test_aec(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    api_test(ArenaAEC(game(name)), num_cycles=40)
    seed_test(lambda: ArenaAEC(game(name)), num_cycles=40)
    render_test(lambda **settings: ArenaAEC(game(name), **settings))
    assert "Passed" in capsys.readouterr().out


@pytest.mark.parametrize("name", [*SIMULTANEOUS, "kuhn_poker", "masks", *ORDERS])
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
        env.step(None if done else random_choice(observation["action_mask"], rng))
    return total


@pytest.mark.parametrize("name", ["saloon", "harvest"])
def test_the_mask_in_the_infos(name: str) -> None:
    """Then an observation is one array, as wrappers want it."""
    api_test(ArenaAEC(game(name), mask="info", planes=True), num_cycles=40)
    parallel_api_test(ArenaParallel(game(name), mask="info"), num_cycles=40)
    env, other = (ArenaParallel(game(name), mask=where, planes=True) for where in ("info", "observation"))
    (seen, infos), (both, _) = env.reset(seed=1), other.reset(seed=1)
    assert isinstance(env.observation_space("player_0"), spaces.Box)
    for agent, one in both.items():
        assert (infos[agent]["action_mask"] == one["action_mask"]).all()
        assert (seen[agent] == np.concatenate([one["observation"], one["planes"].ravel()])).all()
    assert env.state_space.contains(env.state())


def test_infos_say_how_a_match_ended() -> None:
    env = ArenaParallel(game("harvest"), turns=2)
    env.reset(seed=1)
    nothing = {agent: np.zeros(150, int) for agent in env.agents}
    digs = nothing | {"player_1": np.ones(150, int)}
    assert env.step(digs)[4]["player_0"] == {}
    infos = env.step(digs)[4]
    assert infos["player_0"] == {"ending": "lost", "points": 0.0, "reason": "time"}
    assert infos["player_1"] == {"ending": "won", "points": 1.0, "reason": "time"}
    env = ArenaParallel(game("harvest"), illegal="forfeit")
    env.reset(seed=1)
    infos = env.step(nothing | {"player_0": np.full(150, 9)})[4]
    assert infos["player_0"] == {"illegal": True, "ending": "resigned", "points": 0.0, "reason": "forfeit"}
    assert infos["player_1"] == {"ending": "won", "points": 1.0, "reason": "forfeit"}
    one = ArenaAEC(game("harvest"), illegal="forfeit")
    one.reset(seed=1)
    one.step(-5)
    assert one.infos == infos


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
