"""Play on from the positions of one replay, in a process of its own that loads bots."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from contextlib import contextmanager
from functools import cache
from math import inf
from multiprocessing import parent_process
from pathlib import Path
from random import Random
from time import monotonic
from typing import Any

from arena.bots.builtin import bots_for_all_games
from arena.bots.system.surroundings import socket_folder
from arena.errors import ArenaError, ExitCode
from arena.game import Document, GameSpec, IllegalAction, State
from arena.game.chance import Repeated, Sampled
from arena.play import memory
from arena.play.referee.cores import usable_processors
from arena.study.coach.playouts import HORIZON, MOST_PARTS, PlayoutPolicy, Result, noise_of, part_rng, play_on
from arena.study.coach.recorded_match import RecordedMatch
from arena.study.replaying.positions import state_at
from arena_player.ai import AI
from arena_player.fork import state_of_view

SEARCH = "builtin:search?playouts=4"
"""Who plays on in a game without own bots. More thinking would leave time for few playouts."""
LOADING_SECONDS = 1.0
"""The additional seconds of the turn before the `TRIES`, in which a bot loads modules and fills caches."""
TRIES = 3
"""A bot is quick enough if one of this many tries meets the limit. The time of a try sometimes includes garbage
collection or another thread."""

Team = tuple[str, ...]
"""References of the bots that play on, such as ``builtin:sheriff``. They take the seats in turn."""
Pair = tuple[Result, Result]
"""The results of two lines of play with the same dice."""
Place = tuple[int, int]
"""A turn of a replay, from 1, and the number of actions before the place in this turn."""


class _TooLong(BaseException):
    """A time limit is over. No bot catches this with `except Exception`."""


@contextmanager
def _limited(seconds: float) -> Iterator[None]:
    """Raise `_TooLong` after some seconds of processor time.

    There is no limit outside of the main thread, or if the operating system has no such timer.
    """

    def stop(*_: object) -> None:
        raise _TooLong

    def raise_again(lost: sys.UnraisableHookArgs) -> None:
        """Python discards what is raised during a finalizer or a callback of the garbage collection."""
        if lost.exc_type is _TooLong:
            signal.setitimer(signal.ITIMER_PROF, 1e-3)
        else:
            report_lost(lost)

    main = threading.current_thread() is threading.main_thread()
    if seconds == inf or not main or not hasattr(signal, "setitimer"):
        yield
        return
    before, report_lost = signal.signal(signal.SIGPROF, stop), sys.unraisablehook
    sys.unraisablehook = raise_again
    signal.setitimer(signal.ITIMER_PROF, max(seconds, 1e-3))
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        sys.unraisablehook = report_lost
        signal.signal(signal.SIGPROF, before)


class Worker:
    """A replay, and the bots that play on in it. Each method answers a question of a `Pool`.

    With several teams, seed number n plays with team n modulo their number, so that consecutive seeds count each team
    alike. Playouts with equal seeds have the same dice in the same turn, and each match has dice of its own.
    """

    def __init__(self, path: str) -> None:
        self._path = path
        self.match = RecordedMatch.of_file(path)

    def policy(self, team: Team) -> PlayoutPolicy:
        game, noise = self.match.game, noise_of(len(self.match.parts))
        settings = tuple(memory.settings_of(game, bot) for bot in team)
        return PlayoutPolicy(game, tuple(bot_class(game, bot) for bot in team), noise, settings)

    def cost(self, bot: str, limit: float) -> float:
        """Return the processor time of a playout of the whole match, in seconds.

        If the first turn takes more than a quarter of the limit, return a number over the limit without a playout.
        """
        policy = self.policy((bot,))
        if not is_quick(policy, self.match.state_before(0), limit / 4):
            return limit + 1
        begun = time.process_time()
        play_on(policy, self.match.state_before(0), 0)
        return time.process_time() - begun

    def values(self, index: int, teams: Sequence[Team], seeds: Sequence[int]) -> list[Result]:
        """Play on from the state before a part. The index after the last part stands for the end."""
        return [play_on(policy, self.match.state_before(index), seed) for seed, policy in self._seeded(teams, seeds)]

    def line(
        self,
        index: int,
        actions: list[Document] | None,
        world: int | None,
        teams: Sequence[Team],
        seeds: Sequence[int],
        horizon: int = MOST_PARTS,
    ) -> list[Result]:
        """Play on after other actions of a part, with new dice. Players who moved at the same time act as recorded.

        Args:
            actions: The actions; None for those that the team's bot chooses.
            world: If given, start each time from a state that agrees with what this player had seen.
        """
        part = self.match.parts[index]
        together = self.match.simultaneous(part)
        found = []
        for seed, policy in self._seeded(teams, seeds):
            state = self._world(together[0].state, world, seed)
            if actions is not None or len(together) > 1:
                chosen = actions
                if chosen is None:
                    dice = Sampled(part_rng(seed, part.number, part.player))
                    chosen = policy.turn(state.clone(), part.player, dice)
                for one in together:
                    _carry_out(state, one.player, one.number, chosen if one is part else one.actions, seed)
            found.append(play_on(policy, state, seed, horizon=horizon))
        return found

    def priced(
        self, index: int, better: list[Document] | None, world: int | None, bot: str, seeds: Sequence[int]
    ) -> list[Pair]:
        """Play on after the recorded actions of a part, and after better ones; None for those that the bot chooses."""
        both = (self.match.parts[index].actions, better)
        lines = (self.line(index, actions, world, [(bot,)], seeds, HORIZON) for actions in both)
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
        part = self.match.parts[index]
        start = self.match.simultaneous(part)[0].state
        found = []
        for seed, policy in self._seeded([(bot,)], seeds):
            results = []
            for dropped in (missing, None):
                state = self._world(start, world, seed)
                _play_stretch(policy, state, part.player, until, dropped, seed)
                results.append(play_on(policy, state, seed, horizon=HORIZON))
            found.append((results[0], results[1]))
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
        policy = self.policy((bot,))
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
        return self.policy((bot,)).turn(state, player, Sampled(part_rng(0, state.turn_number(), player)))

    def choose(self, bot: str, index: int, limit: float = inf) -> list[Document] | None:
        """Return what a bot would do in place of the recorded actions of a part; None if it takes too long."""
        part = self.match.parts[index]
        state = self.match.simultaneous(part)[0].state.clone()
        chance = Repeated(part.draws, Sampled(part_rng(0, part.number, part.player)))
        try:
            with _limited(limit):
                return self.policy((bot,)).turn(state, part.player, chance)
        except _TooLong:
            return None

    def _seeded(self, teams: Sequence[Team], seeds: Sequence[int]) -> Iterator[tuple[int, PlayoutPolicy]]:
        policies = [self.policy(team) for team in teams]
        for seed in seeds:
            yield self.match.seed + seed, policies[seed % len(policies)]


def _play_stretch(
    policy: PlayoutPolicy, state: State, player: int, until: int, dropped: Mapping[str, Any] | None, seed: int
) -> None:
    """Let bots play all turns up to one, without the orders of a player that have these keys and values."""
    for _ in range(MOST_PARTS):
        number, movers = state.turn_number(), state.to_move()
        if not movers or number > until:
            return
        # All choose before anybody moves.
        chosen = [policy.turn(state.clone(), mover, Sampled(part_rng(seed, number, mover))) for mover in movers]
        for mover, actions in zip(movers, chosen, strict=True):
            if mover == player and dropped is not None:
                actions = [action for action in actions if not dropped.items() <= action.items()]
            _carry_out(state, mover, number, actions, seed)


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


def playing_bots(game: GameSpec) -> list[str]:
    """Return the names of the built-in bots in Python, the weakest first. Only these can play in an analysis."""
    return [bot.name for bot in game.bots if bot.path.suffix == ".py" or (bot.path / "main.py").is_file()]


def required_bots(game: GameSpec) -> list[str]:
    """Return the bots that play on, the weakest first. A game without own ones has the bot that plays any game.

    Raises:
        ArenaError: There is none.
    """
    if names := playing_bots(game):
        return [f"builtin:{name}" for name in names]
    if bots_for_all_games("search"):
        return [SEARCH]
    raise ArenaError(
        f"{game.name} has no built-in bot in Python that could play on.",
        hint="builtin:search plays on in any game. Install it: pip install arena-learn",
        exit_code=ExitCode.BAD_BOT,
    )


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
def bot_class(game: GameSpec, reference: str) -> type[AI]:
    """Return the class of a trusted bot. Its module is imported into this process, once."""
    return memory.bot_class(game, reference)


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


def answer(question: Callable[..., Any], *arguments: object) -> object:
    """Answer one question in a process of an analysis."""
    assert _WORKER is not None
    return question(_WORKER, *arguments)


# Answer the questions of an analysis in several processes, one for each core.

Question = tuple[Any, ...]
"""A function that takes a `Worker`, for example one of its methods; and further arguments."""


class Pool:
    """Answers questions about a replay on all cores.

    Args:
        processes: The number of processes; one for each available core if None.
    """

    def __init__(self, path: Path, processes: int | None = None) -> None:
        self.processes = processes or len(usable_processors())
        # A fork server has a socket in the folder for temporary files, which must have a short path.
        forks = "forkserver" in multiprocessing.get_all_start_methods() and socket_folder() == tempfile.gettempdir()
        context = multiprocessing.get_context("forkserver" if forks else "spawn")
        if forks:
            context.set_forkserver_preload(["arena.study.coach.worker"])
        self._executor = ProcessPoolExecutor(self.processes, context, begin, (str(path),))

    def __enter__(self) -> Pool:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End all processes. Answers that are not finished are lost."""
        processes = list((self._executor._processes or {}).values())
        self._executor.shutdown(wait=False, cancel_futures=True)
        for process in processes:
            process.terminate()
        for process in processes:
            process.join()

    def ask(self, questions: Sequence[Question], deadline: float = float("inf")) -> Iterator[tuple[int, Any]]:
        """Yield the index of each question with its answer, in the order in which the answers are ready.

        Questions that were not submitted before the deadline are left out.

        Args:
            deadline: The time of `time.monotonic` after which no question is submitted to the processes.
        """
        waiting = iter(enumerate(questions))
        running: dict[Future[Any], int] = {}
        while True:
            while len(running) < 2 * self.processes and monotonic() < deadline and (following := next(waiting, None)):
                running[self._executor.submit(answer, *following[1])] = following[0]
            if not running:
                return
            done, _ = wait(running, return_when=FIRST_COMPLETED)
            for future in done:
                yield running.pop(future), future.result()


def split(seeds: Sequence[int], size: int) -> Iterator[list[int]]:
    for at in range(0, len(seeds), size):
        yield list(seeds[at : at + size])
