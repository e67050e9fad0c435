import gymnasium
import numpy as np
import pettingzoo
import pytest
from gymnasium.utils.env_checker import check_env
from learn_games import game

import arena_learn
from arena.errors import ArenaError
from arena.memory import Turn


def test_gymnasiums_own_check_is_clean() -> None:
    arena_learn.register()
    arena_learn.register()  # a second time changes nothing
    check_env(gymnasium.make("arena/saloon-v0", opponents="builtin:rowdy", max_turns=8).unwrapped)
    check_env(gymnasium.make("arena/snakes-v0", players=2).unwrapped)


def test_pettingzoo_makes_environments_by_name() -> None:
    arena_learn.register()
    assert pettingzoo.make("aec", "arena/saloon-v0", max_turns=8).possible_agents == ["player_0", "player_1"]
    assert len(pettingzoo.make("parallel", "arena/snakes-v0", players=3).possible_agents) == 3


def play(env: object, seed: int) -> tuple[float, dict[str, object], list[bytes]]:
    rng = np.random.default_rng(seed)
    observation, _ = env.reset(seed=seed)
    seen, total, done = [], 0.0, False
    while not done:
        masks = env.action_masks()
        assert (masks == observation["action_mask"]).all()
        observation, reward, terminated, truncated, info = env.step(int(rng.choice(np.flatnonzero(masks))))
        seen.append(observation["observation"].tobytes())
        total, done = total + reward, terminated or truncated
    return total, info, seen


def test_seeds_reach_everything() -> None:
    env = arena_learn.seat("saloon", "builtin:pianist", illegal="mask", max_turns=24)
    first, again, other = play(env, 5), play(env, 5), play(env, 6)
    assert first == again
    assert first[2] != other[2]
    total, info, _ = first
    assert total == 2 * info["points"] - 1


def test_a_function_plays_and_each_seat_comes_in_turn() -> None:
    def first_action(turn: Turn) -> dict[str, object]:
        return turn.legal_actions[0]

    env = arena_learn.seat(game("masks"), first_action, seat=None, illegal="mask", players=3)
    seats = []
    for number in range(4):
        env.reset(seed=1 if number == 0 else None)
        seats.append(env.seat)
    assert seats == [0, 1, 2, 0]


@pytest.mark.parametrize("illegal", ["penalty", "forfeit", "mask"])
def test_illegal_actions(illegal: str) -> None:
    env = arena_learn.seat("saloon", illegal=illegal, penalty=0.25)
    env.reset(seed=1)
    wrong = int(np.flatnonzero(~env.action_masks())[0])
    if illegal == "mask":
        with pytest.raises(ValueError, match="is illegal here"):
            env.step(wrong)
        return
    _, reward, terminated, _, info = env.step(wrong)
    assert info["illegal"]
    assert (reward, terminated) == ((-0.25, False) if illegal == "penalty" else (-1.0, True))


def test_truncation_is_no_end_of_the_match() -> None:
    env = arena_learn.seat("saloon", max_cycles=3, illegal="mask")
    env.reset(seed=1)
    results = [env.step(int(np.flatnonzero(env.action_masks())[0]))[2:4] for _ in range(3)]
    assert results == [(False, False), (False, False), (False, True)]


def test_mistakes_have_one_message_each() -> None:
    for settings, message in (
        ({"opponents": "builtin:nobody"}, "nobody"),
        ({"opponents": ["builtin:rowdy"] * 3}, "needs 1 opponents here, not 3"),
        ({"seat": 2}, "There is no seat 2"),
        ({"max_turn": 2}, "max_turn"),
    ):
        with pytest.raises(ArenaError, match=message):
            arena_learn.seat("saloon", **settings)
    with pytest.raises(ArenaError, match="salon"):
        arena_learn.aec("salon")


@pytest.mark.process
def test_a_vector_environment_plays_what_single_ones_play() -> None:
    settings = {"max_turns": 12, "seat": 0}
    envs = arena_learn.vector("saloon", 3, "builtin:rowdy", workers=2, **settings)
    singles = [arena_learn.seat("saloon", "builtin:rowdy", **settings) for _ in range(3)]
    try:
        batch, _ = envs.reset(seed=[1, 2, 3])
        alone = [env.reset(seed=seed)[0] for seed, env in enumerate(singles, 1)]
        rng = np.random.default_rng(1)
        done = [False] * 3
        resets = 0
        for _ in range(150):
            for number, one in enumerate(alone):
                assert (batch["observation"][number] == one["observation"]).all()
                assert (batch["action_mask"][number] == one["action_mask"]).all()
            actions = np.array([rng.choice(np.flatnonzero(mask)) for mask in batch["action_mask"]])
            before = batch
            batch, rewards, terminated, _, infos = envs.step(actions)
            assert batch["observation"] is not before["observation"]
            for number, env in enumerate(singles):
                if done[number]:
                    alone[number], done[number], resets = env.reset()[0], False, resets + 1
                    assert (rewards[number], terminated[number]) == (0, False)
                else:
                    alone[number], reward, done[number], _, info = env.step(int(actions[number]))
                    assert (rewards[number], terminated[number]) == (reward, done[number])
                    assert infos["turn"][number] == info["turn"]
        assert resets > 0
    finally:
        envs.close()


@pytest.mark.process
def test_a_match_that_ends_and_begins_in_the_same_step() -> None:
    envs = arena_learn.vector("snakes", 2, workers=1, autoreset_mode="SameStep", players=2)
    try:
        batch, _ = envs.reset(seed=1)
        for _ in range(60):
            batch, _, terminated, _, infos = envs.step(np.array([1, 1]))
            if terminated.any():
                break
        number = int(np.flatnonzero(terminated)[0])
        assert infos["_final_obs"][number]
        assert batch["action_mask"][number, 1:].any()
        assert not infos["final_obs"][number]["action_mask"][1:].any()
    finally:
        envs.close()


@pytest.mark.parametrize("name", ["saloon", "laser_flag", "kuhn_poker", "liars_dice"])
def test_a_seat_sees_the_same_in_both_environments(name: str) -> None:
    """The one takes deltas of the rules, the other compares views of a match in memory, as a bot in the arena does."""
    aec = arena_learn.aec(game(name), illegal="mask")
    alone = arena_learn.seat(game(name), lambda turn: turn.legal_actions[0], illegal="mask")
    rng = np.random.default_rng(1)
    aec.reset(seed=4)
    observation, _ = alone.reset(seed=4)
    steps = 0
    for agent in aec.agent_iter(500):
        seen, _, terminated, _, _ = aec.last()
        if terminated:
            break
        if agent == "player_1":
            actions = aec._play.actions[1]
            aec.step(actions.number(aec._play.state.legal_actions(1)[0]))
            continue
        assert (seen["observation"] == observation["observation"]).all()
        assert (seen["action_mask"] == observation["action_mask"]).all()
        action = int(rng.choice(np.flatnonzero(seen["action_mask"])))
        aec.step(action)
        observation = alone.step(action)[0]
        steps += 1
    assert steps > 5
