"""Copies of states and environments go on as their originals do."""

import pickle
from collections.abc import Callable, Iterator
from copy import deepcopy
from random import Random
from typing import Any

import numpy as np
import pytest
from learn_games import NAMES, ORDERS, game, random_choice
from shortened import shortened

import arena_learn
from arena.game import Seeded, State, filled
from arena.play.memory import Turn

STEPS = shortened([30, 1000])
GAMES = (*NAMES, *ORDERS)


def by_pickle(value: Any) -> Any:
    return pickle.loads(pickle.dumps(value))


def cloned(value: Any) -> Any:
    """Return the clone; that of a state gets the dice of its original, which it has not by itself."""
    copy = value.clone()
    if isinstance(value, State):
        copy.use_chance(deepcopy(value._source))
    return copy


COPIES: list[Callable[[Any], Any]] = [deepcopy, by_pickle, cloned]


def positions(state: State, rng: Random) -> Iterator[tuple[Any, ...]]:
    """Play a match at random, and yield all that a caller can ask after each action."""
    while to_move := state.to_move():
        player = rng.choice(to_move)
        mark = state.push(player, state.random_action(player, rng))
        value = None if state.value is None else state.value.id
        yield state.digest(), state.view(), state.delta(mark, player), state.events(mark), state.to_move(), value


@pytest.mark.parametrize("steps", STEPS)
@pytest.mark.parametrize("name", GAMES)
def test_states(name: str, steps: int) -> None:
    rng, done = Random(name), 0
    while done < steps:
        state = game(name).start(chance=Seeded(done))
        mark, first = state.mark, state.digest()
        for _ in zip(range(rng.randrange(30)), positions(state, Random(done)), strict=False):
            pass
        for copied in COPIES:
            copy, undone = copied(state), copied(state)
            if copied is not cloned:
                assert undone.delta(mark, 0) == state.delta(mark, 0)
                undone.pop(mark)
                assert undone.digest() == first
            original = deepcopy(state) if copied is not deepcopy else by_pickle(state)
            original.use_chance(deepcopy(state._source))
            both = zip(positions(original, Random(done)), positions(copy, Random(done)), strict=True)
            for _, (one, other) in zip(range(steps), both, strict=False):
                assert one == other
                done += 1
        done += 1


def first_action(turn: Turn) -> dict[str, Any]:
    return filled(turn.legal_actions[0])


def seat(name: str) -> Any:
    spec = game(name)
    return arena_learn.seat(spec, f"builtin:{spec.bots[0].name}" if spec.bots else first_action, seat=None)


def aec(name: str) -> Any:
    return arena_learn.aec(game(name), illegal="mask")


def parallel(name: str) -> Any:
    return arena_learn.parallel(game(name), illegal="mask")


def steps_of(env: Any, rng: np.random.Generator) -> Iterator[tuple[Any, ...]]:
    """Step at random, and yield what the environment returns. A new match begins without a seed."""

    def choice(observation: dict[str, Any]) -> Any:
        return random_choice(observation["action_mask"], rng)

    while True:
        if hasattr(env, "agent_selection"):
            observation, *rest = env.last()
            over = rest[1] or rest[2]
            found: tuple[Any, ...] = (env.agent_selection, *rest, env._cumulative_rewards)
            env.step(None if over else choice(observation))
            if not env.agents:
                env.reset()
        elif hasattr(env, "agents"):
            seen = env._observations()
            observation, *rest = env.step({agent: choice(one) for agent, one in seen.items()})
            found = tuple(rest)
            if not env.agents:
                env.reset()
        else:
            observation, *rest = env.step(random_choice(env._observers[env.seat].mask(), rng))
            found = tuple(rest)
            if rest[1] or rest[2]:
                env.reset()
        yield plain(observation), *found


def plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: plain(one) for name, one in value.items()}
    return value.tobytes() if isinstance(value, np.ndarray) else value


@pytest.mark.parametrize("steps", STEPS)
@pytest.mark.parametrize("make", [aec, parallel, seat])
@pytest.mark.parametrize("name", GAMES)
def test_environments(name: str, make: Callable[[str], Any], steps: int) -> None:
    env = make(name)
    env.reset(seed=5)
    rng = np.random.default_rng(5)
    for copied in COPIES:
        for _ in zip(range(steps // 3), steps_of(env, rng), strict=False):
            pass
        copy = copied(env)
        both = zip(steps_of(env, deepcopy(rng)), steps_of(copy, rng), strict=True)
        for _, (one, other) in zip(range(steps // 3), both, strict=False):
            assert one == other
        env.close()
        env = copy  # a copy of a copy


def test_an_opponent_that_does_not_follow_the_seed() -> None:
    class Fickle:
        turns = 0

        def __call__(self, turn: Turn) -> dict[str, Any]:
            Fickle.turns += 1
            return turn.legal_actions[Fickle.turns % len(turn.legal_actions)]

    env = arena_learn.seat("snakes", Fickle(), players=2)
    env.reset(seed=1)
    for _ in range(3):
        env.step(int(np.flatnonzero(env.action_masks())[0]))
    with pytest.raises(RuntimeError, match="do not follow from the seed"):
        env.clone()
