"""Training with NumPy: behaviour cloning from decisions, and self-play by policy gradients."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.play.memory import MatchInMemory, Player
from arena_learn.policies.examples import Arrays, Examples, Recorder
from arena_learn.policies.gradients import Adam, chances_of, gradients_of
from arena_learn.policies.network import Policy
from arena_learn.spaces.rewards import outcome_reward

Array = NDArray[np.float32]
PASSES, BATCH, CLIP = 3, 512, 0.2
"""A round of self-play uses its decisions so often, in steps of so many; a step changes no probability by more."""
LAMBDA = 0.95
"""How far an advantage looks ahead: 0 trusts the foreseen values, 1 only the outcome."""


def clone(
    policy: Policy,
    examples: Examples,
    *,
    epochs: int = 10,
    batch: int = 256,
    rate: float = 1e-3,
    held_out: float = 0.1,
    seed: int = 0,
    report: Callable[[int, float, float], None] = lambda *_: None,
) -> None:
    """Train a policy to choose what was chosen (behaviour cloning), and to foresee the outcome.

    Some matches are held out. The policy gets the weights of the epoch after which it agreed best with them.

    Args:
        policy: The policy. It is changed.
        examples: The decisions of the teacher.
        epochs: How often all decisions are used.
        batch: How many decisions make a step.
        rate: How far a step goes; it falls to a twentieth.
        held_out: The share of the matches that are held out: the last ones.
        seed: The seed of their order.
        report: Called after each epoch with its number, and of the decisions that were held out the loss and the share
            that agrees.
    """
    rng = np.random.default_rng(seed)
    adam = Adam(policy.weights, rate)
    data = Arrays.of(examples)
    count = len(data.actions)
    kept = max(1, int(len(examples.ends) * held_out))
    begin = examples.ends[-kept - 1] if held_out and len(examples.ends) > kept else 0
    known, unseen = np.arange(begin or count), np.arange(begin, count)
    best, least = [one.copy() for one in policy.weights], np.inf
    for epoch in range(epochs):
        adam.rate = rate * 0.05 ** (epoch / epochs)
        for rows in np.array_split(rng.permutation(known), max(1, len(known) // batch)):
            inputs = data.inputs[rows].astype(np.float32)
            scores, values = policy.outputs(inputs)
            chances = chances_of(scores, data.legal[rows])
            chances[np.arange(len(rows)), data.actions[rows]] -= 1
            gradient = np.concatenate([chances, 0.1 * (values - data.returns[rows])[:, None]], 1) / len(rows)
            adam.step(gradients_of(policy, inputs, gradient.astype(np.float32)))
        loss, agreed = _agreement(policy, data, unseen, batch)
        report(epoch, loss, agreed)
        if loss < least:
            least = loss
            for kept_weight, weight in zip(best, policy.weights, strict=True):
                kept_weight[:] = weight
    for weight, kept_weight in zip(policy.weights, best, strict=True):
        weight[:] = kept_weight


def _agreement(policy: Policy, data: Arrays, rows: NDArray[np.intp], batch: int) -> tuple[float, float]:
    """Return the loss and the share of decisions that agree."""
    loss = agreed = 0.0
    for part in np.array_split(rows, max(1, len(rows) // batch)):
        scores, _ = policy.outputs(data.inputs[part].astype(np.float32))
        chances = chances_of(scores, data.legal[part])
        loss -= float(np.log(chances[np.arange(len(part)), data.actions[part]] + 1e-9).sum())
        agreed += float((chances.argmax(1) == data.actions[part]).sum())
    return loss / len(rows), agreed / len(rows)


def self_play(
    policy: Policy,
    game: str,
    opponents: Sequence[Player] = (),
    *,
    options: dict[str, Any] | None = None,
    rounds: int = 50,
    matches: int = 32,
    rate: float = 3e-4,
    entropy: float = 0.01,
    seed: int = 0,
    report: Callable[[int, float], None] = lambda *_: None,
) -> None:
    """Improve a policy by playing against frozen copies of itself, and against other players.

    A round plays some matches, then takes some steps of the policy gradient (PPO): what led to a better position than
    the policy foresaw gets more likely.

    Args:
        policy: The policy. It is changed.
        game: The name of the game, for two players.
        opponents: Other players, who take turns with the copies.
        options: Options of the game.
        rounds: How many rounds are played.
        matches: How many matches a round has.
        rate: How far a step goes.
        entropy: How much a policy that keeps its choices open is preferred.
        seed: The seed of everything.
        report: Called after each round with its number, and the mean of the rewards.
    """
    adam = Adam(policy.weights, rate)
    frozen = _frozen(policy, seed)
    greedy, policy.greedy = policy.greedy, False
    for number in range(rounds):
        examples, total = Examples(), 0.0
        for match in range(matches):
            rivals = [frozen, *opponents]
            rival = rivals[match % len(rivals)]
            learner = Recorder(policy, examples)
            seat = match // len(rivals) % 2
            players: list[Player] = [learner, rival] if seat == 0 else [rival, learner]
            played = MatchInMemory(game, players, seed=f"{seed}/{number}/{match}", options=options, raises=True)
            played.play()
            reward = 0.0 if played.outcome is None else outcome_reward(played.outcome, seat)
            examples.finish(reward)
            total += reward
        _improve(policy, examples, adam, entropy)
        report(number, total / matches)
        if number % 10 == 9:
            frozen = _frozen(policy, seed + number)
    policy.greedy = greedy


def _frozen(policy: Policy, seed: int) -> Policy:
    weights = [one.copy() for one in policy.weights]
    return Policy(policy.layout, weights, features=policy.features, planes=policy.planes, greedy=False, seed=seed)


def _improve(policy: Policy, examples: Examples, adam: Adam, entropy: float) -> None:
    data = Arrays.of(examples)
    count = len(data.actions)
    parts = np.array_split(np.arange(count), max(1, count // BATCH))
    found = [policy.outputs(data.inputs[part].astype(np.float32)) for part in parts]
    values = np.concatenate([one for _, one in found])
    before = np.concatenate(
        [
            np.log(chances_of(scores, data.legal[part])[np.arange(len(part)), data.actions[part]] + 1e-9)
            for part, (scores, _) in zip(parts, found, strict=True)
        ]
    )
    advantage = advantages(values, data.returns, examples.ends)
    targets = values + advantage
    advantage = (advantage - advantage.mean()) / (advantage.std() + 1e-6)
    rng = np.random.default_rng(count)
    for _ in range(PASSES):
        for rows in np.array_split(rng.permutation(count), max(1, count // BATCH)):
            inputs = data.inputs[rows].astype(np.float32)
            scores, foreseen = policy.outputs(inputs)
            chances = chances_of(scores, data.legal[rows])
            at = np.arange(len(rows)), data.actions[rows]
            ratio = np.exp(np.log(chances[at] + 1e-9) - before[rows])
            gain = advantage[rows]
            is_cut = ((gain > 0) & (ratio > 1 + CLIP)) | ((gain < 0) & (ratio < 1 - CLIP))
            logs = np.log(chances + 1e-9)
            spread = -(chances * logs).sum(1, keepdims=True)
            gradient = chances.copy()
            gradient[at] -= 1
            gradient *= np.where(is_cut, 0, ratio * gain)[:, None]
            gradient += entropy * chances * (logs + spread)
            both = np.concatenate([gradient, 0.5 * (foreseen - targets[rows])[:, None]], 1) / len(rows)
            adam.step(gradients_of(policy, inputs, both.astype(np.float32)))


def advantages(values: Array, returns: Array, ends: Sequence[int]) -> Array:
    """Return how much better each decision was than foreseen (generalized advantage estimation).

    Args:
        values: What the policy foresaw at each decision.
        returns: What the match was worth to the player in the end.
        ends: The number of decisions at the end of each match.
    """
    found = np.zeros_like(values)
    for begin, end in pairwise([0, *ends]):
        later = 0.0
        for place in range(end - 1, begin - 1, -1):
            foreseen = returns[place] if place == end - 1 else values[place + 1]
            found[place] = later = foreseen - values[place] + LAMBDA * later
    return found


def score(
    policy: Policy,
    game: str,
    opponent: Player,
    *,
    matches: int = 200,
    options: dict[str, Any] | None = None,
    seed: int = 0,
) -> float:
    """Return the mean points of a policy against an opponent, half of the matches on each seat.

    Args:
        policy: The policy.
        game: The name of the game, for two players.
        opponent: The opponent.
        matches: How many matches are played.
        options: Options of the game.
        seed: The seed of the matches.
    """
    total = 0.0
    for match in range(matches):
        players: list[Player] = [policy, opponent] if match % 2 == 0 else [opponent, policy]
        played = MatchInMemory(game, players, seed=f"score/{seed}/{match // 2}", options=options, raises=True)
        played.play()
        total += 0.5 if played.outcome is None else played.outcome.points(match % 2)
    return total / matches
