"""Decisions to learn from: those of replays, and those of a teacher in the place of a policy."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.errors import ArenaError, ExitCode
from arena.game import Document, Sampled
from arena.match.lookup import find_game
from arena.play.memory import MatchInMemory, Player, Turn, bot_class, settings_of
from arena.testing import PlayoutPolicy
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
        ends: The number of decisions at the end of each match.
    """

    inputs: list[NDArray[np.float16]] = field(default_factory=list)
    legal: list[NDArray[np.int8]] = field(default_factory=list)
    actions: list[int] = field(default_factory=list)
    returns: list[float] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)

    def add(self, inputs: Array, legal: NDArray[np.int8], action: int) -> None:
        """Note a decision whose return is not known yet."""
        self.inputs.append(inputs.astype(np.float16))  # half of the memory, and exact enough
        self.legal.append(legal)
        self.actions.append(action)

    def finish(self, value: float) -> None:
        """Set the return of all decisions that have none: those of a match that has ended."""
        self.returns += [value] * (len(self.actions) - len(self.returns))
        self.ends.append(len(self.actions))

    def extend(self, other: Examples) -> None:
        """Add the decisions of other matches."""
        self.ends += [len(self.actions) + end for end in other.ends]
        self.inputs += other.inputs
        self.legal += other.legal
        self.actions += other.actions
        self.returns += other.returns


@dataclass(slots=True)
class Arrays:
    """Decisions as arrays."""

    inputs: NDArray[np.float16]
    legal: NDArray[np.int8]
    actions: NDArray[np.intp]
    returns: Array

    @classmethod
    def of(cls, examples: Examples) -> Arrays:
        return cls(
            np.stack(examples.inputs),
            np.stack(examples.legal),
            np.array(examples.actions),
            np.array(examples.returns, np.float32),
        )


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
    seats = [PlayerInputs(tracker, policy) for tracker in watch.trackers]
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
        found.ends.append(len(found.actions))
    return found


def corrected(
    policy: Policy,
    game: str,
    teacher: str,
    *,
    options: dict[str, Any] | None = None,
    matches: int = 50,
    share: float = 1.0,
    seed: int = 0,
) -> Examples:
    """Let a policy play against its teacher, and return what the teacher would have done in its place (DAgger).

    A clone makes mistakes, and they lead to positions that no replay of the teacher has. Here it learns these.

    Args:
        policy: The policy, which plays half of the matches on each seat.
        game: The name of the game, for two players.
        teacher: The reference of a bot in Python, such as ``builtin:sheriff``.
        options: Options of the game.
        matches: How many matches are played.
        share: The share of decisions for which the teacher is asked.
        seed: The seed of the matches.
    """
    spec, found = find_game(game), Examples()
    kind = bot_class(spec, teacher)
    settings = settings_of(spec, teacher)
    asks = PlayoutPolicy(spec, (kind,), 0.0, (settings,))
    rng = Random(seed)

    def better(turn: Turn) -> Document | None:
        if rng.random() >= share:
            return None
        actions = asks.turn(turn.state.clone(), turn.player, Sampled(Random(rng.getrandbits(32))))
        return actions[0] if actions else None

    for match in range(matches):
        seat = match % 2
        learner = Recorder(policy, found, better)
        players: list[Player] = [learner, kind] if seat == 0 else [kind, learner]
        given = [{}, settings] if seat == 0 else [settings, {}]
        played = MatchInMemory(
            spec, players, seed=f"corrected/{seed}/{match}", options=options, settings=given, raises=True
        )
        played.play()
        found.finish(0.0 if played.outcome is None else outcome_reward(played.outcome, seat))
    return found


class Recorder:
    """A player of a match in memory: a policy, whose decisions are noted.

    Args:
        policy: The policy.
        examples: Where the decisions are noted.
        teacher: Returns what would have been better, which is noted in place of what the policy chose; None to note
            nothing. Without a teacher, the policy's own choices are noted.
    """

    def __init__(
        self, policy: Policy, examples: Examples, teacher: Callable[[Turn], Document | None] | None = None
    ) -> None:
        self._policy = policy
        self.examples = examples
        self._teacher = teacher
        self._inputs: PlayerInputs | None = None

    def __call__(self, turn: Turn) -> Document:
        """Choose an action, and note the decisions that have a number: one, or one for each order of a list."""
        if self._inputs is None:
            self._inputs = PlayerInputs.new(self._policy, turn.player)
        inputs = self._inputs
        document = inputs.choose(self._policy, turn.view, turn.legal_actions, turn.state.out())
        noted = document if self._teacher is None else self._teacher(turn)
        if noted is not None:
            actions = inputs.actions
            if actions.layout.orders is not None:
                actions.note(turn.legal_actions)  # the choice has made a list
            for number in actions.numbers(noted):
                if number not in actions.legal:
                    break
                self.examples.add(inputs.inputs(), actions.mask(), number)
                actions.take(number)
        return document
