"""Training with NumPy: behaviour cloning from decisions, and self-play by policy gradients."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.errors import ArenaError, ExitCode
from arena.memory import MatchInMemory, Player, Turn
from arena_learn.datasets.decisions import Recorded
from arena_learn.policies.network import PlayerInputs, Policy
from arena_learn.spaces.rewards import outcome_reward
from arena_learn.spaces.watch import Watch

Array = NDArray[np.float32]


@dataclass(slots=True)
class Examples:
    """Decisions to learn from.

    Attributes:
        inputs: What the player saw, a row for each decision.
        legal: 1 for each legal action.
        actions: What was chosen.
        returns: What the match was worth to the player in the end.
    """

    inputs: list[Array] = field(default_factory=list)
    legal: list[NDArray[np.int8]] = field(default_factory=list)
    actions: list[int] = field(default_factory=list)
    returns: list[float] = field(default_factory=list)

    def add(self, inputs: Array, legal: NDArray[np.int8], action: int) -> None:
        """Note a decision whose return is not known yet."""
        self.inputs.append(inputs)
        self.legal.append(legal)
        self.actions.append(action)

    def finish(self, value: float) -> None:
        """Set the return of all decisions that have none."""
        self.returns += [value] * (len(self.actions) - len(self.returns))


def examples_of(policy: Policy, files: Iterable[Path], bots: Sequence[str] = ()) -> Examples:
    """Return the decisions of replays as a policy would see them.

    Args:
        policy: The policy. The replays must have its game and options.
        files: The replays.
        bots: Only the decisions of bots with these names; of all bots if empty.

    Raises:
        ArenaError: A replay has other rules or other options.
        ReplayError: A file is no replay, or is damaged.
    """
    found = Examples()
    watch = Watch(policy.layout)
    seats = [PlayerInputs(tracker, policy.planes) for tracker in watch.trackers]
    for file in files:
        match = Recorded.of(file)
        if match.layout != policy.layout:
            raise ArenaError(
                f"{file} is a replay of {match.layout.game} with other rules or options than the policy's.",
                exit_code=ExitCode.BAD_OPTION,
            )
        rewards = match.rewards()
        names = [player["name"] for player in match.reader.header["players"]]
        wanted = [not bots or name in bots for name in names]
        for one in match.decisions(watch, wanted.__getitem__, lambda player: seats[player].inputs()):
            if one.action >= 0 and not one.refused:
                mask = np.zeros(policy.layout.action_count, np.int8)
                mask[one.legal] = 1
                found.add(one.inputs, mask, one.action)
                found.returns.append(rewards[one.seat])
    return found


class Adam:
    """Changes weights by their gradients.

    Args:
        weights: The weights. They are changed in place.
        rate: How far a step goes.
    """

    def __init__(self, weights: Sequence[Array], rate: float) -> None:
        self._weights = weights
        self.rate = rate
        self._first = [np.zeros_like(one) for one in weights]
        self._second = [np.zeros_like(one) for one in weights]
        self._steps = 0

    def step(self, gradients: Sequence[Array]) -> None:
        """Take one step against the gradients."""
        self._steps += 1
        rate = self.rate * np.sqrt(1 - 0.999**self._steps) / (1 - 0.9**self._steps)
        for weight, gradient, first, second in zip(self._weights, gradients, self._first, self._second, strict=True):
            first += 0.1 * (gradient - first)
            second += 0.001 * (gradient * gradient - second)
            weight -= rate * first / (np.sqrt(second) + 1e-8)


def chances_of(scores: Array, legal: NDArray[np.int8]) -> Array:
    """Return the probability of each action, 0 for illegal ones."""
    masked = np.where(legal > 0, scores, -1e9)
    masked -= masked.max(1, keepdims=True)
    chances = np.exp(masked)
    made: Array = chances / chances.sum(1, keepdims=True)
    return made


def gradients_of(policy: Policy, inputs: Array, outputs: Array) -> list[Array]:
    """Return the gradients of all weights from those of the outputs."""
    layers = [inputs]
    weights = policy.weights
    for number in range(0, len(weights) - 2, 2):
        layers.append(np.maximum(layers[-1] @ weights[number] + weights[number + 1], 0))
    found: list[Array] = []
    delta = outputs
    for number in range(len(weights) - 2, -1, -2):
        layer = layers[number // 2]
        found[:0] = [layer.T @ delta, delta.sum(0)]
        if number:
            delta = (delta @ weights[number].T) * (layer > 0)
    return found


def clone(
    policy: Policy,
    examples: Examples,
    *,
    epochs: int = 10,
    batch: int = 256,
    rate: float = 1e-3,
    seed: int = 0,
    report: Callable[[int, float, float], None] = lambda *_: None,
) -> None:
    """Train a policy to choose what was chosen (behaviour cloning), and to foresee the outcome.

    Args:
        policy: The policy. It is changed.
        examples: The decisions of the teacher.
        epochs: How often all decisions are used.
        batch: How many decisions make a step.
        rate: How far a step goes; it falls to a tenth.
        seed: The seed of their order.
        report: Called after each epoch with its number, the loss, and the share of decisions that agree.
    """
    rng = np.random.default_rng(seed)
    adam = Adam(policy.weights, rate)
    count = len(examples.actions)
    inputs, legal = np.stack(examples.inputs), np.stack(examples.legal)
    actions, returns = np.array(examples.actions), np.array(examples.returns, np.float32)
    for epoch in range(epochs):
        adam.rate = rate * 0.1 ** (epoch / epochs)
        loss = agreed = 0.0
        order = rng.permutation(count)
        for start in range(0, count, batch):
            rows = order[start : start + batch]
            scores, values = policy.outputs(inputs[rows])
            chances = chances_of(scores, legal[rows])
            at = np.arange(len(rows)), actions[rows]
            loss -= float(np.log(chances[at] + 1e-9).sum())
            agreed += float((chances.argmax(1) == actions[rows]).sum())
            chances[at] -= 1
            gradient = np.concatenate([chances, 0.5 * (values - returns[rows])[:, None]], 1) / len(rows)
            adam.step(gradients_of(policy, inputs[rows], gradient.astype(np.float32)))
        report(epoch, loss / count, agreed / count)


class Recorder:
    """A player of a match in memory that notes the decisions of another one, a policy.

    Args:
        policy: The policy whose decisions are noted.
        examples: Where they are noted.
    """

    def __init__(self, policy: Policy, examples: Examples) -> None:
        self._policy = policy
        self._examples = examples
        self._inputs: PlayerInputs | None = None
        self.rewards: list[float] = []

    def __call__(self, turn: Turn) -> dict[str, Any]:
        """Choose an action, and note the decision."""
        if self._inputs is None:
            self._inputs = PlayerInputs.new(self._policy, turn.player)
        inputs = self._inputs
        document = inputs.choose(self._policy, turn.view, turn.legal_actions, turn.state.out())
        number = inputs.actions.number(document)
        if number >= 0:
            self._examples.add(inputs.inputs(), inputs.actions.mask(), number)
        return document


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

    A round plays some matches, then takes one step of the policy gradient: what won gets more likely, measured against
    the value that the policy foresaw.

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
    return Policy(policy.layout, weights, planes=policy.planes, greedy=False, seed=seed)


def _improve(policy: Policy, examples: Examples, adam: Adam, entropy: float) -> None:
    inputs, legal = np.stack(examples.inputs), np.stack(examples.legal)
    actions, returns = np.array(examples.actions), np.array(examples.returns, np.float32)
    scores, values = policy.outputs(inputs)
    chances = chances_of(scores, legal)
    count = len(actions)
    advantage = returns - values
    advantage = (advantage - advantage.mean()) / (advantage.std() + 1e-6)
    logs = np.log(chances + 1e-9)
    spread = -(chances * logs).sum(1, keepdims=True)
    gradient = chances.copy()
    gradient[np.arange(count), actions] -= 1
    gradient *= advantage[:, None]
    gradient += entropy * chances * (logs + spread)
    both = np.concatenate([gradient, 0.5 * (values - returns)[:, None]], 1) / count
    adam.step(gradients_of(policy, inputs, both.astype(np.float32)))


def score(policy: Policy, game: str, opponent: Player, *, matches: int = 200, options: dict[str, Any] | None = None,
          seed: int = 0) -> float:  # fmt: skip
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
