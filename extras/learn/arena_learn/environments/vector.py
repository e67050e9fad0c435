"""Many seats that play at the same time: processes that write into shared memory."""

from __future__ import annotations

import multiprocessing
import os
import pickle
from collections.abc import Mapping, Sequence
from itertools import pairwise
from multiprocessing.connection import Connection
from multiprocessing.sharedctypes import RawArray
from typing import Any, TypeAlias

import numpy as np
from gymnasium.spaces import Dict
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from arena.errors import ArenaError, ExitCode
from arena_learn.environments.play import Observation

Batch: TypeAlias = Any
"""A dictionary of arrays, or one array if the mask is in the infos."""


class ArenaVector(VectorEnv[Batch, NDArray[Any], NDArray[Any]]):
    """Seats of Gymnasium in several processes. A process plays several matches, so that messages cost little.

    Observations are new arrays at each step.

    Args:
        game: The name of the game.
        num_envs: How many matches are played at the same time.
        opponents: Who plays on the other seats, as for `arena_learn.seat`.
        workers: How many processes play.
        autoreset_mode: ``NextStep``: the step after the end ignores the action and begins a match. ``SameStep``: the
            step that ends a match also begins one, and ``final_obs`` and ``final_info`` in the infos are the end's.
            ``Disabled``: call ``reset(options={"reset_mask": ...})``.
        settings: Settings and options, as for `arena_learn.seat`.

    Raises:
        ArenaError: There is no such game or bot, or an option is wrong.
    """

    def __init__(
        self,
        game: str,
        num_envs: int,
        opponents: Any = (),
        *,
        workers: int | None = None,
        autoreset_mode: str | AutoresetMode = AutoresetMode.NEXT_STEP,
        settings: Mapping[str, Any] | None = None,
    ) -> None:
        import arena_learn

        if num_envs < 1:
            raise ArenaError("There must be at least one environment.", exit_code=ExitCode.USAGE)
        given = dict(settings or {})
        first = arena_learn.seat(game, opponents, **given)  # all mistakes are found here, in this process
        given["layout"] = first.layout
        self.layout = first.layout
        self.num_envs = num_envs
        self.autoreset_mode = AutoresetMode(autoreset_mode)
        self.metadata = {"autoreset_mode": self.autoreset_mode, "render_modes": []}
        self.single_observation_space = first.observation_space
        self.single_action_space = first.action_space
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._shared = _Shared(self.single_observation_space, num_envs)
        self._open(game, opponents, given, min(workers or os.cpu_count() or 1, num_envs))

    def _open(self, game: str, opponents: Any, settings: Mapping[str, Any], workers: int) -> None:
        context = multiprocessing.get_context("spawn")
        bounds = [self.num_envs * worker // workers for worker in range(workers + 1)]
        self._shares = [range(first, last) for first, last in pairwise(bounds)]
        self._pipes: list[Connection] = []
        self._processes = []
        for share in self._shares:
            ours, theirs = context.Pipe()
            process = context.Process(
                target=_work,
                args=(theirs, self._shared, share, game, opponents, dict(settings), self.autoreset_mode.value),
                daemon=True,
            )
            process.start()
            theirs.close()
            self._pipes.append(ours)
            self._processes.append(process)

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Batch, dict[str, Any]]:
        """Begin matches: all, or those of a mask.

        Args:
            seed: A seed for the first environment, and the following numbers for the others; or a seed for each.
            options: ``reset_mask`` is an array of booleans: which environments to reset.
        """
        super().reset(seed=seed if isinstance(seed, int) else None)
        seeds: list[int | None]
        if seed is None:
            seeds = [None] * self.num_envs
        elif isinstance(seed, int):
            seeds = [seed + number for number in range(self.num_envs)]
        else:
            seeds = list(seed)
        mask = np.ones(self.num_envs, np.bool_)
        if options is not None and "reset_mask" in options:
            mask = np.asarray(options["reset_mask"], np.bool_)
        infos = self._exchange("reset", list(zip(self._each(seeds), self._each(mask.tolist()), strict=True)))
        return self._shared.copy(), infos

    def step(self, actions: NDArray[Any]) -> tuple[Batch, NDArray[Any], NDArray[Any], NDArray[Any], dict[str, Any]]:
        """Carry out one action in each match.

        Raises:
            ValueError: An action is illegal, and `illegal` is ``mask``; or a match is over, and nothing resets it.
                Other matches have gone on: call `reset`.
        """
        infos = self._exchange("step", np.asarray(self._each(actions)).tolist())
        shared = self._shared
        return shared.copy(), shared.rewards.copy(), shared.terminated.copy(), shared.truncated.copy(), infos

    def _each(self, values: Any) -> Any:
        if len(values) != self.num_envs:
            raise ValueError(f"There are {self.num_envs} environments, and {len(values)} values for them.")
        return values

    def _exchange(self, command: str, values: Sequence[Any]) -> dict[str, Any]:
        """Send each process its part of a command, and read all answers before one of them can raise its exception."""
        try:
            for pipe, share in zip(self._pipes, self._shares, strict=True):
                pipe.send((command, values[share.start : share.stop]))
            answers = [pipe.recv() for pipe in self._pipes]
        except (EOFError, OSError):
            self.close()
            raise RuntimeError("A process of the vector environment has ended. Its output says why.") from None
        infos: dict[str, Any] = {}
        for share, answer in zip(self._shares, answers, strict=True):
            if isinstance(answer, Exception):
                raise answer
            for number, info in zip(share, answer, strict=True):
                infos = self._add_info(infos, info, number)
        return infos

    def close_extras(self, **kwargs: Any) -> None:
        """End the processes."""
        del kwargs
        for pipe in self._pipes:
            pipe.close()  # a process ends when it reads the end of its pipe
        for process in self._processes:
            process.join(5)
            if process.is_alive():
                process.kill()
                process.join()


_ALL = ""
"""The name of the only array, if observations are no dictionaries."""


class _Shared:
    """The arrays that processes write and the environment copies."""

    def __init__(self, space: Any, count: int) -> None:
        self._count = count
        self.is_array = not isinstance(space, Dict)
        spaces = {_ALL: space} if self.is_array else space.spaces
        self._raw = {
            name: (RawArray("b", count * int(np.prod(space.shape)) * space.dtype.itemsize), space.shape, space.dtype)
            for name, space in spaces.items()
        }
        self._results = RawArray("b", count * 10)
        self._map()

    def _map(self) -> None:
        self.observations = {
            name: np.frombuffer(raw, dtype).reshape(self._count, *shape)
            for name, (raw, shape, dtype) in self._raw.items()
        }
        count = self._count
        self.rewards = np.frombuffer(self._results, np.float64, count)
        self.terminated = np.frombuffer(self._results, np.bool_, count, 8 * count)
        self.truncated = np.frombuffer(self._results, np.bool_, count, 9 * count)

    def __getstate__(self) -> tuple[Any, ...]:
        return self._count, self.is_array, self._raw, self._results

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        self._count, self.is_array, self._raw, self._results = state
        self._map()

    def copy(self) -> Batch:
        """Return the observations in new arrays."""
        if self.is_array:
            return self.observations[_ALL].copy()
        return {name: array.copy() for name, array in self.observations.items()}


def _work(
    pipe: Connection,
    shared: _Shared,
    share: range,
    game: str,
    opponents: Any,
    settings: Mapping[str, Any],
    autoreset_mode: str,
) -> None:
    """Play the matches of one process, until its pipe is closed."""
    import arena_learn

    envs = [arena_learn.seat(game, opponents, **settings) for _ in share]
    ended = [False] * len(envs)

    def write(place: int, observation: Observation) -> None:
        for name, value in ({_ALL: observation} if shared.is_array else observation).items():
            shared.observations[name][share[place]] = value

    def reset(place: int, seed: int | None) -> dict[str, Any]:
        observation, info = envs[place].reset(seed=seed)
        write(place, observation)
        ended[place] = False
        return info

    def finish(place: int, reward: float, *, terminated: bool, truncated: bool) -> None:
        number = share[place]
        shared.rewards[number] = reward
        shared.terminated[number] = terminated
        shared.truncated[number] = truncated

    def step(place: int, action: Any) -> dict[str, Any]:
        if ended[place]:
            if autoreset_mode == AutoresetMode.DISABLED.value:
                raise ValueError("A match is over. Call reset with a reset_mask.")
            info = reset(place, None)
            finish(place, 0.0, terminated=False, truncated=False)
            return info
        observation, reward, terminated, truncated, info = envs[place].step(action)
        finish(place, reward, terminated=terminated, truncated=truncated)
        if (terminated or truncated) and autoreset_mode == AutoresetMode.SAME_STEP.value:
            return {"final_obs": observation, "final_info": info, **reset(place, None)}
        ended[place] = terminated or truncated
        write(place, observation)
        return info

    while True:
        try:
            command, values = pipe.recv()
        except (EOFError, KeyboardInterrupt):
            return
        try:
            if command == "step":
                answer: Any = [step(place, action) for place, action in enumerate(values)]
            else:
                answer = [reset(place, seed) if wanted else {} for place, (seed, wanted) in enumerate(values)]
        except Exception as error:
            answer = _sendable(error)
        pipe.send(answer)


def _sendable(error: Exception) -> Exception:
    """Return an exception that arrives as it is sent. Those of bots and games can have any arguments."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return RuntimeError(f"{type(error).__name__}: {error}")
    return error
