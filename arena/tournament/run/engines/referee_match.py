"""The matches of a tournament: the job of each, and what its result means for the tournament."""

import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from arena.errors import ArenaError, ExitCode
from arena.game import Clock
from arena.match.isolation import KEYS
from arena.match.job import Job, SeatAssignment
from arena.match.policy import Policy
from arena.match.result import MatchResult
from arena.referee.client import ForkServers, MatchProcess
from arena.tournament.plan.config import TournamentConfig
from arena.tournament.plan.values import MatchSpec
from arena.tournament.run.journal.files import disk_errors


class RefereeMatch:
    """A match of a tournament that is being played.

    Args:
        process: The match process.
        replay: Where it writes the replay.
    """

    def __init__(self, process: MatchProcess, replay: Path) -> None:
        self.process = process
        self._replay = replay

    def wait(self) -> MatchResult:
        """Wait for the end of the match.

        Raises:
            ArenaError: The match could not be played, through no fault of a bot.
        """
        try:
            with self.process:
                result = checked(self.process.wait())
            return replace(result, replay=str(self._replay) if self._replay.exists() else "")
        except BaseException:
            self._replay.unlink(missing_ok=True)
            raise

    def kill(self) -> None:
        """End the match; any thread may call it."""
        self.process.kill()


class RefereeMatches:
    """Start matches of one tournament.

    Args:
        config: Clocks, policies, isolation, options.
        paths: Where the bot of each content hash lies.
        replays: Where the match with this id is to write its replay.
        map_option: The game's option that the map's name goes into.
        load_map: Turns the map's name into the option's value.
        replay: Whether replays are written.
        cpu: The processor that matches are pinned to; None for the one that the calling thread is bound to.
        servers: What match processes are forked from; servers of its own if not given.
    """

    def __init__(
        self,
        config: TournamentConfig,
        paths: Mapping[str, str],
        replays: Callable[[str], Path],
        map_option: str = "",
        load_map: Callable[[str], Any] | None = None,
        *,
        replay: bool = True,
        cpu: int | None = None,
        servers: ForkServers | None = None,
    ) -> None:
        self._config = config
        self._paths = paths
        self._replays = replays
        self._map_option = map_option
        self._load_map = load_map
        self._replay = replay
        self._cpu = cpu
        self._servers = servers or ForkServers(config.game)

    def start(self, spec: MatchSpec, attempt: int) -> RefereeMatch:  # noqa: ARG002
        """Start a match process."""
        replay = self._replays(spec.match_id)
        with disk_errors(replay.parent):
            replay.parent.mkdir(parents=True, exist_ok=True)
        process = MatchProcess(self.job(spec, replay), self._servers.of_this_thread())
        return RefereeMatch(process, replay)

    def close(self) -> None:
        """End what match processes are forked from."""
        self._servers.close()

    def job(self, spec: MatchSpec, replay: Path) -> Job:
        """Return the job of a match of the schedule."""
        config = self._config
        options = dict(spec.options)
        if spec.map and self._map_option:
            options[self._map_option] = self._load_map(spec.map) if self._load_map else spec.map
        return Job(
            game=spec.game,
            seats=tuple(SeatAssignment(str(self._paths[seat.hash]), seat.name) for seat in spec.seats),
            options=options,
            seed=spec.seed,
            leg=spec.number % 2,
            clock=Clock(**dict(config.clock)) if config.clock else None,  # type: ignore[arg-type]
            policy=Policy(**dict(config.policy)),  # type: ignore[arg-type]
            replay=str(replay) if self._replay else "",
            # The strongest isolation of this machine, in any case; the level only says what is not enough.
            require_isolation=KEYS.index(config.isolation),
            cpu=_own_cpu() if self._cpu is None else self._cpu,
        )


def _own_cpu() -> int | None:
    """Return the processor that this thread is bound to, or None."""
    cpus = os.sched_getaffinity(0)
    return next(iter(cpus)) if len(cpus) == 1 else None


def checked(result: MatchResult) -> MatchResult:
    """Return a result as a tournament counts it: with the reason why it must not count, if there is one.

    Raises:
        ArenaError: Something failed that is no bot's fault.
    """
    if result.fault:
        raise ArenaError(result.fault, exit_code=ExitCode.FAULT)
    return replace(result, void="" if result.has_verdict else f"the referee gave no result: {result.outcome.reason}")
