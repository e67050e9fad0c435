"""What an explanation asks about a replay, and how bots play on in it.

A question is a function of `Questions` with its arguments, and its answer depends on nothing else. So it does not
matter who answers: `InProcessPool` here, which runs everywhere that rules run, or the processes of `process_pool`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from math import inf
from pathlib import Path
from random import Random
from typing import Any, Protocol

from arena.game import Document, IllegalAction, State
from arena.game.chance import Repeated, Sampled
from arena.play import memory
from arena.study.coach.playing_bots import LimitExceeded, bot_class, is_quick, limited
from arena.study.coach.playouts import HORIZON, PlayoutPolicy, leaving_out, noise_of, part_rng, play_on
from arena.study.coach.probability import Result
from arena.study.coach.recorded_match import RecordedMatch
from arena.study.replaying.positions import state_at
from arena_player.fork import state_of_view

Pair = tuple[Result, Result]
"""The results of two lines of play with the same dice."""
Place = tuple[int, int]
"""A turn of a replay, from 1, and the number of actions before the place in this turn."""
Question = tuple[Any, ...]
"""A function that takes `Questions`, for example one of its methods; and further arguments."""


class Pool(Protocol):
    """Answers questions about one replay.

    Attributes:
        processes: How many questions are answered at the same time.
    """

    processes: int

    def ask(self, questions: Sequence[Question], deadline: float = inf) -> Iterator[tuple[int, Any]]:
        """Yield the index of each question with its answer, in the order in which the answers are ready.

        Questions whose turn did not come before the deadline are left out.

        Args:
            deadline: The time of `time.monotonic` after which no question is begun.
        """


class InProcessPool:
    """A `Pool` without processes: it answers one question after the other.

    Args:
        answered: Called after each answer.
    """

    processes = 1

    def __init__(self, path: str | Path, answered: Callable[[], object] = lambda: None) -> None:
        self.questions = Questions(str(path))
        self._answered = answered

    def ask(self, questions: Sequence[Question], deadline: float = inf) -> Iterator[tuple[int, Any]]:
        for number, (function, *arguments) in enumerate(questions):
            if time.monotonic() >= deadline:
                return
            answer = function(self.questions, *arguments)
            self._answered()
            yield number, answer


class Questions:
    """A replay, and the bots that play on in it. Each method answers a question of a `Pool`.

    Playouts with equal seeds have the same dice in the same turn, and each match has dice of its own. A bot is named by
    its reference, such as ``builtin:sheriff``, and plays on all seats.
    """

    def __init__(self, path: str) -> None:
        self._path = path
        self.match = RecordedMatch.of_file(path)

    def policy(self, bot: str) -> PlayoutPolicy:
        game, noise = self.match.game, noise_of(len(self.match.parts))
        return PlayoutPolicy(game, (bot_class(game, bot),), noise, (memory.settings_of(game, bot),))

    def cost(self, bot: str, limit: float) -> float:
        """Return the processor time of a playout of the whole match, in seconds.

        If the first turn takes more than a quarter of the limit, or the playout more than the limit, return a number
        over the limit.
        """
        policy = self.policy(bot)
        if not is_quick(policy, self.match.state_before(0), limit / 4):
            return limit + 1
        begun = time.process_time()
        try:
            with limited(limit):
                play_on(policy, self.match.state_before(0), 0)
        except LimitExceeded:
            return limit + 1
        return time.process_time() - begun

    def values(self, index: int, bot: str, horizon: int, seeds: Sequence[int]) -> list[Result]:
        """Play on from the state before a part, for so many turns or to the end."""
        policy = self.policy(bot)
        return [play_on(policy, self.match.state_before(index), seed, horizon=horizon) for seed in self._own(seeds)]

    def line(
        self,
        index: int,
        actions: list[Document] | None,
        world: int | None,
        bot: str,
        seeds: Sequence[int],
    ) -> list[Result]:
        """Play on after other actions of a part, with new dice. Players who moved at the same time act as recorded.

        Args:
            actions: The actions; None for those that the bot chooses.
            world: If given, start each time from a state that agrees with what this player had seen.
        """
        part = self.match.parts[index]
        together = self.match.simultaneous(part)
        policy, found = self.policy(bot), []
        for seed in self._own(seeds):
            state = self._world(together[0].state, world, seed)
            if actions is not None or len(together) > 1:
                chosen = actions
                if chosen is None:
                    dice = Sampled(part_rng(seed, part.number, part.player))
                    chosen = policy.turn(state.clone(), part.player, dice)
                for one in together:
                    _carry_out(state, one.player, one.number, chosen if one is part else one.actions, seed)
            found.append(play_on(policy, state, seed, horizon=HORIZON))
        return found

    def priced(
        self, index: int, better: list[Document] | None, world: int | None, bot: str, seeds: Sequence[int]
    ) -> list[Pair]:
        """Play on after the recorded actions of a part, and after better ones; None for those that the bot chooses."""
        both = (self.match.parts[index].actions, better)
        lines = (self.line(index, actions, world, bot, seeds) for actions in both)
        return list(zip(*lines, strict=True))

    def habit(
        self, index: int, until: int, missing: Mapping[str, Any], world: int | None, bot: str, seeds: Sequence[int]
    ) -> list[Pair]:
        """Let a bot play a stretch of the match once without some orders of one player, and once with them.

        Args:
            index: The part of this player that begins the stretch.
            until: The number that the game gives to its last turn.
            missing: What the orders have in common; see `Mistake`.
        """
        part, policy = self.match.parts[index], self.policy(bot)
        start = self.match.simultaneous(part)[0].state
        seats = [policy.bot(seat) for seat in range(self.match.players)]
        seats[part.player] = leaving_out(seats[part.player], missing, until)
        lines = replace(policy, bots=tuple(seats)), policy
        horizon = sum(one.number <= until for one in self.match.parts[index:]) + HORIZON
        found = []
        for seed in self._own(seeds):
            without, better = (play_on(line, self._world(start, world, seed), seed, horizon=horizon) for line in lines)
            found.append((without, better))
        return found

    def _world(self, state: State, player: int | None, seed: int) -> State:
        """Return a copy of a state, or a state that agrees with what a player had seen in it."""
        if player is None:
            return state.clone()
        options, view = state.options_for(player), state.view(player)
        drawn: State = state_of_view(self.match.game, options, view, player, Random(seed))
        return drawn

    def after(
        self, bot: str, place: Place, player: int, actions: Sequence[Document], seeds: Sequence[int]
    ) -> list[list[Result]]:
        """Play on from a place of the replay: after each of the given actions, and without any of them.

        Returns:
            For each seed, the result after each action, then the result without any of them.
        """
        start = state_at(self._path, *place)
        policy = self.policy(bot)
        found = []
        for seed in seeds:
            results = []
            for action in actions:
                state = start.clone()
                state.push(player, action, Sampled(part_rng(seed, state.turn_number(), player)))
                state.commit()
                results.append(play_on(policy, state, seed))
            found.append([*results, play_on(policy, start.clone(), seed)])
        return found

    def choice_at(self, bot: str, place: Place, player: int) -> list[Document]:
        """Return the actions that a bot takes if it continues a player's turn from a place in the replay."""
        state = state_at(self._path, *place)
        return self.policy(bot).turn(state, player, Sampled(part_rng(0, state.turn_number(), player)))

    def choose(self, bot: str, index: int, limit: float = inf) -> list[Document] | None:
        """Return what a bot would do in place of the recorded actions of a part; None if it takes too long."""
        part = self.match.parts[index]
        state = self.match.simultaneous(part)[0].state.clone()
        chance = Repeated(part.draws, Sampled(part_rng(0, part.number, part.player)))
        try:
            with limited(limit):
                return self.policy(bot).turn(state, part.player, chance)
        except LimitExceeded:
            return None

    def _own(self, seeds: Sequence[int]) -> list[int]:
        return [self.match.seed + seed for seed in seeds]


def _carry_out(state: State, player: int, number: int, actions: Sequence[Document], seed: int) -> None:
    """Submit a player's actions and end the turn. Skip actions that are illegal because the dice differ."""
    chance = Sampled(part_rng(seed, number, player))

    def is_open() -> bool:
        return player in state.to_move() and state.turn_number() == number

    for action in actions:
        if is_open():
            try:
                state.push(player, action, chance)
            except IllegalAction:
                continue
    while is_open():
        state.push(player, state.fallback_action(player), chance)
    state.commit()


def split(seeds: Sequence[int], size: int) -> Iterator[list[int]]:
    for at in range(0, len(seeds), size):
        yield list(seeds[at : at + size])
