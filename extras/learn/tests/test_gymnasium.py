from pathlib import Path

import gymnasium
import numpy as np
import pettingzoo
import pytest
from gymnasium.utils.env_checker import check_env
from learn_games import game

import arena_learn
from arena.errors import ArenaError
from arena.game import load
from arena.play.memory import Turn
from arena_learn.environments.vector import _sendable


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


def random_steps(env: object, count: int) -> list[tuple[bytes, bytes, float, bool, object]]:
    rng = np.random.default_rng(3)
    observation, info = env.reset(seed=11)
    found = [(observation["observation"].tobytes(), observation["action_mask"].tobytes(), 0.0, False, info["turn"])]
    while len(found) < count and not found[-1][3]:
        action = int(rng.choice(np.flatnonzero(observation["action_mask"])))
        observation, reward, done, _, info = env.step(action)
        last = info.get("points", info["turn"])
        found.append((observation["observation"].tobytes(), observation["action_mask"].tobytes(), reward, done, last))
    return found


@pytest.mark.process
@pytest.mark.sandbox
@pytest.mark.parametrize(("name", "options", "steps"), [("saloon", {"max_turns": 6}, 60), ("laser_flag", {}, 12)])
def test_an_opponent_in_a_sandbox_plays_as_in_memory(name: str, options: dict[str, int], steps: int) -> None:
    bot = f"builtin:{load(name).bots[1].name}"
    inside = arena_learn.seat(name, arena_learn.sandboxed(bot), illegal="mask", **options)
    try:
        played = random_steps(inside, steps)
        assert played == random_steps(arena_learn.seat(name, bot, illegal="mask", **options), steps)
        assert played[-1][3] == (name == "saloon"), "one match ends, and the other is left in its middle"
        inside.reset(seed=12)  # in place of the match that goes on
    finally:
        inside.close()


@pytest.mark.process
@pytest.mark.sandbox
def test_opponents_in_sandboxes_that_fail(tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.py"
    wrong.write_text("from arena_player import AI\n\n\nclass Bot(AI):\n    def run_turn(self):\n        1 / 0\n")
    env = arena_learn.seat("saloon", arena_learn.sandboxed(wrong), illegal="forfeit")
    try:
        env.reset(seed=1)
        done = False
        while not done:
            action = int(np.flatnonzero(env.action_masks())[-1])
            _, reward, done, _, info = env.step(action)
        assert (reward, info["ending"]) == (1.0, "won")
        env.reset(seed=2)
        _, reward, done, _, info = env.step(int(np.flatnonzero(~env.action_masks())[0]))
        assert (reward, done, info["ending"]) == (-1.0, True, "resigned")
        wrong.write_text("import nothing_of_this_name\n")
        with pytest.raises(ArenaError, match="over before the first action: wrong: no_start") as caught:
            env.reset(seed=3)
        assert "nothing_of_this_name" in caught.value.hint
    finally:
        env.close()
    for settings, message in (
        ({"opponents": arena_learn.sandboxed(tmp_path / "none.py")}, "none.py"),
        ({"opponents": arena_learn.sandboxed("builtin:rowdy"), "render_mode": "ansi"}, "there is no render_mode"),
    ):
        with pytest.raises(ArenaError, match=message):
            arena_learn.seat("saloon", **settings)


def test_settings_reach_an_opponent() -> None:
    env = arena_learn.seat("saloon", "builtin:search?playouts=3", max_turns=4)
    assert env._opponents[0].settings == {"playouts": "3"}


@pytest.mark.process
def test_after_an_exception_all_processes_answer_what_they_are_asked() -> None:
    """An exception in one process left the answers of the others unread, for the next call."""
    envs = arena_learn.vector("snakes", 2, workers=2, players=2, illegal="mask")
    try:
        envs.reset(seed=1)
        for wrong in ([0, 1], [1]):  # no move, in the first of the two processes; too few actions
            with pytest.raises(ValueError, match=r"illegal here|There are 2 environments"):
                envs.step(np.array(wrong))
            _, infos = envs.reset(seed=1)
            assert infos["turn"].tolist() == [0, 0]
            assert envs.step(np.array([1, 1]))[4]["turn"].tolist() == [1, 1]
        with pytest.raises(ValueError, match="There are 2 environments"):
            envs.reset(seed=[1, 2, 3])
    finally:
        envs.close()


def test_exceptions_that_cannot_be_sent_arrive_in_words() -> None:
    class OddError(Exception):
        def __init__(self, one: int, two: int) -> None:
            super().__init__(f"{one} {two}")

    assert repr(_sendable(OddError(1, 2))) == "RuntimeError('OddError: 1 2')"
    error = ValueError("x")
    assert _sendable(error) is error


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
            aec.step(actions.numbers(aec._play.state.legal_actions(1)[0])[0])
            continue
        assert (seen["observation"] == observation["observation"]).all()
        assert (seen["action_mask"] == observation["action_mask"]).all()
        action = int(rng.choice(np.flatnonzero(seen["action_mask"])))
        aec.step(action)
        observation = alone.step(action)[0]
        steps += 1
    assert steps > 5
