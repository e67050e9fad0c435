"""Answer the questions of an analysis about one replay, in a process of its own that loads built-in bots."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from math import inf
from multiprocessing import parent_process
from random import Random
from typing import NamedTuple

from arena import memory
from arena.analysis.playouts import PlayoutPolicy, Result, noise_of, part_rng, play_on
from arena.analysis.recorded_match import Part, RecordedMatch
from arena.errors import ArenaError, ExitCode
from arena.game import Document, GameSpec, IllegalAction, State
from arena.game.chance import Repeated, Sampled
from arena.replaying.places import state_at
from arena_player.ai import AI
from arena_player.fork import state_of_view

LOADING_SECONDS = 1.0
"""The additional seconds of the turn before the `TRIES`, in which a bot loads modules and fills caches."""
TRIES = 3
"""A bot is quick enough if one of this many tries meets the limit. The time of a try sometimes includes garbage
collection or another thread."""


class Choice(NamedTuple):
    """The actions that a bot would choose in a part.

    Attributes:
        actions: The actions; empty if the bot took too long.
        seconds: The processor time that the bot took; infinite if it took too long.
    """

    actions: list[Document]
    seconds: float


class _TooLong(BaseException):
    """A time limit is over. No bot catches this with `except Exception`."""


@contextmanager
def _limited(seconds: float) -> Iterator[None]:
    """Raise `_TooLong` after some seconds of processor time.

    There is no limit outside of the main thread, or if the operating system has no such timer.
    """

    def stop(*_: object) -> None:
        raise _TooLong

    main = threading.current_thread() is threading.main_thread()
    if seconds == inf or not main or not hasattr(signal, "setitimer"):
        yield
        return
    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, max(seconds, 1e-3))
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


class Worker:
    def __init__(self, path: str) -> None:
        self._path = path
        self.match = RecordedMatch.of_file(path)

    def cost(self, bot: str, limit: float) -> float:
        """Return the processor time of a playout of the whole match, in seconds.

        If the first turn takes more than a quarter of the limit, return a number over the limit without a playout.
        """
        policy = self.policy(bot)
        if not is_quick(policy, self.match.state_before(0), limit / 4):
            return limit + 1
        begun = time.process_time()
        play_on(policy, self.match.state_before(0), 0)
        return time.process_time() - begun

    def values(self, bot: str, index: int, seeds: Sequence[int], player: int | None = None) -> list[Result]:
        """Play on from the state before a part, once for each seed.

        Args:
            index: The part. The index after the last part stands for the end.
            player: If given, start each time from a state that agrees with what this player had seen.
        """
        policy, match = self.policy(bot), self.match
        return [
            play_on(policy, self._position(match.state_before(index), player, seed), seed) for seed in self._own(seeds)
        ]

    def turn_cost(self, bot: str, place: tuple[int, int]) -> float:
        state, policy = state_at(self._path, *place), self.policy(bot)
        self._first_turn(policy)  # the first call loads modules and fills caches
        begun = time.process_time()
        policy.turn(state, state.to_move()[0], Sampled(Random(0)))
        return time.process_time() - begun

    def values_at(self, bot: str, place: tuple[int, int], seeds: Sequence[int]) -> list[Result]:
        """Play on from a place of the replay, once for each seed. For the arguments, see `after`."""
        start, policy = state_at(self._path, *place), self.policy(bot)
        return [play_on(policy, start.clone(), seed) for seed in seeds]

    def pairs(
        self,
        bot: str,
        index: int,
        actions: list[Document],
        seeds: Sequence[int],
        player: int | None = None,
        turns: int | None = None,
    ) -> list[tuple[Result, Result]]:
        """Play on after the recorded actions of a part and after other ones, with the same dice.

        Args:
            turns: If the game can evaluate a state, stop after this many turns and evaluate the state. If None, play to
                the end.

        Returns:
            For each seed, the result after the recorded actions, and the result after the other actions.
        """
        part = self.match.parts[index]
        return [
            (
                self._line(bot, part, part.actions, seed, player, turns),
                self._line(bot, part, actions, seed, player, turns),
            )
            for seed in self._own(seeds)
        ]

    def dice(self, bot: str, index: int, seeds: Sequence[int]) -> list[tuple[Result, Result]]:
        """Play on after the recorded actions, with other dice and with the recorded dice, once for each seed.

        Args:
            index: The number of the part (one player's actions in a turn). If players moved at the same time, the parts
                of all of them count as recorded.
        """
        part = self.match.parts[index]
        after = self.match.simultaneous(part)[-1].index + 1
        policy = self.policy(bot)
        return [
            (self._line(bot, part, part.actions, seed, None), play_on(policy, self.match.state_before(after), seed))
            for seed in self._own(seeds)
        ]

    def _own(self, seeds: Sequence[int]) -> list[int]:
        """Return each seed plus the seed of this match, so that matches have different playouts."""
        return [self.match.seed + seed for seed in seeds]

    def _line(
        self, bot: str, part: Part, actions: list[Document], seed: int, player: int | None, turns: int | None = None
    ) -> Result:
        together = self.match.simultaneous(part)
        state = self._position(together[0].state.clone(), player, seed)
        for one in together:
            self._carry_out(state, one, actions if one is part else one.actions, seed)
        return play_on(self.policy(bot), state, seed, None if turns is None else part.number + turns)

    def after(
        self, bot: str, place: tuple[int, int], player: int, actions: Sequence[Document], seeds: Sequence[int]
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

    def choice_at(self, bot: str, place: tuple[int, int], player: int) -> list[Document]:
        """Return the actions that a bot takes if it continues a player's turn from a place in the replay."""
        state = state_at(self._path, *place)
        return self.policy(bot).turn(state, player, Sampled(part_rng(0, state.turn_number(), player)))

    def choose(self, bot: str, index: int, limit: float = inf) -> Choice:
        """Return what a bot would do in place of the recorded actions of a part."""
        part = self.match.parts[index]
        state = self.match.simultaneous(part)[0].state.clone()
        chance = Repeated(part.draws, Sampled(part_rng(0, part.number, part.player)))
        policy = self.policy(bot)
        begun = time.process_time()
        try:
            with _limited(limit):
                actions = policy.turn(state, part.player, chance)
        except _TooLong:
            return Choice([], inf)
        return Choice(actions, time.process_time() - begun)

    def _first_turn(self, policy: PlayoutPolicy) -> None:
        state = self.match.state_before(0)
        policy.turn(state, state.to_move()[0], Sampled(Random(0)))

    def _position(self, state: State, player: int | None, seed: int) -> State:
        if player is None:
            return state
        return state_of_view(self.match.game, state.options_for(player), state.view(player), player, Random(seed))  # type: ignore[no-any-return]

    def _carry_out(self, state: State, part: Part, actions: list[Document], seed: int) -> None:
        """Submit a player's actions and end the turn. Skip actions that are illegal because the dice differ."""
        chance = Sampled(part_rng(seed, part.number, part.player))
        player, number = part.player, part.number

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

    def policy(self, bot: str) -> PlayoutPolicy:
        match = self.match
        return PlayoutPolicy(match.game, bot_class(match.game, bot), noise_of(len(match.parts)))


def playing_bots(game: GameSpec) -> list[str]:
    """Return the names of the built-in bots in Python, the weakest first. Only these can play in an analysis."""
    return [bot.name for bot in game.bots if bot.path.suffix == ".py" or (bot.path / "main.py").is_file()]


def required_bots(game: GameSpec) -> list[str]:
    if names := playing_bots(game):
        return names
    raise ArenaError(f"{game.name} has no built-in bot in Python that could play on.", exit_code=ExitCode.BAD_BOT)


def is_quick(policy: PlayoutPolicy, start: State, seconds: float) -> bool:
    """Return whether a bot plays the first turn within a limit of processor time. Loading the bot does not count."""

    def is_done_in(limit: float) -> bool:
        begun = time.process_time()
        try:
            with _limited(limit):
                policy.turn(start.clone(), start.to_move()[0], Sampled(Random(0)))
        except _TooLong:
            return False
        return time.process_time() - begun <= limit  # on a busy machine, the timer can be late

    return is_done_in(seconds + LOADING_SECONDS) and any(is_done_in(seconds) for _ in range(TRIES))


@cache
def bot_class(game: GameSpec, name: str) -> type[AI]:
    """Return the class of a built-in bot. Its module is imported into this process, once."""
    return memory.bot_class(game, f"builtin:{name}")


_WORKER: Worker | None = None


def begin(path: str) -> None:
    global _WORKER
    threading.Thread(target=_end_with_parent, daemon=True).start()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # after Ctrl-C, the parent process ends this process
    sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 - discards what bots print
    _WORKER = Worker(path)


def _end_with_parent() -> None:
    """Exit when the parent process has ended. A killed parent process cannot end its child processes."""
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def answer(question: str | Callable[..., object], *arguments: object) -> object:
    """Answer one question in a process of an analysis: call this method, or this function with the worker."""
    assert _WORKER is not None
    if callable(question):
        return question(_WORKER, *arguments)
    return getattr(_WORKER, question)(*arguments)
