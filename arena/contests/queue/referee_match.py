"""Matches that a referee of this machine plays: their jobs and results.

`RefereeMatches` makes the job of a `MatchSpec` and starts its process; the `RefereeMatch` is what an engine waits for.
The result is taken only after `evidence.accepted`. A replay whose match failed is removed: it is of no match.
"""

import contextlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from arena.contests.journal.files import disk_errors, scratch_folder, temporary_replay_path
from arena.contests.queue.evidence import accepted, resolved_options, slot_of
from arena.contests.queue.remote import RemotePlayers
from arena.errors import ArenaError, ExitCode
from arena.game import GameSpec
from arena.match.job import Job, SeatAssignment
from arena.match.lookup import find_game
from arena.match.position import Position
from arena.match.result import MatchResult
from arena.match.settings import MatchSettings
from arena.match.spec import MatchSpec, Participant
from arena.play.referee.cores import can_pin, usable_processors
from arena.play.referee.match_process import ForkServers, MatchInProgress, MatchServer
from arena_player.version import __version__


class RefereeMatch:
    """A running match of a contest.

    Args:
        accept: Checks the result and returns it in its final form, or raises ArenaError; `checked` by default.
    """

    def __init__(
        self,
        process: MatchInProgress,
        replay: Path,
        accept: Callable[[MatchResult], MatchResult] | None = None,
        release: Callable[[], None] = lambda: None,
    ) -> None:
        self.process = process
        self._replay = replay
        self._accept = accept or checked
        self._release = release

    def wait(self) -> MatchResult:
        try:
            with self.process:
                result = self.process.wait()
            return self._accept(replace(result, replay=str(self._replay) if self._replay.exists() else ""))
        except BaseException:
            self._replay.unlink(missing_ok=True)
            raise
        finally:
            self._release()

    def kill(self) -> None:
        """End the match. Any thread may call this."""
        self.process.kill()


class RefereeMatches:
    """Starts matches with the same settings.

    Args:
        paths: Maps the content hash of each bot to its path, or to a reference such as `builtin:NAME`.
        load_map: Converts the map's name to the option's value; None if the name is the value.
        cpu: The processor for all matches. If None, a match uses the processor that the calling thread is bound to; if
            the thread is not bound, any processor.
        starts: Start positions. Each round uses the next one for all its matches. If empty, use the game's set-up.
    """

    def __init__(
        self,
        settings: MatchSettings,
        paths: Mapping[str, str],
        replays: Callable[[str], Path],
        map_option: str = "",
        load_map: Callable[[str], Any] | None = None,
        *,
        replay: bool = True,
        cpu: int | None = None,
        servers: MatchServer | None = None,
        starts: Sequence[Position] = (),
        remote: RemotePlayers | None = None,
    ) -> None:
        self.settings = settings
        self.paths = paths
        self._replays = replays
        self._map_option = map_option
        self._load_map = load_map
        self._replay = replay
        self._cpu = cpu
        self._servers = servers or ForkServers(settings.game)
        self._starts = starts
        self._remote = remote

    def start(self, spec: MatchSpec, _attempt: int) -> RefereeMatch:
        """Start a match process. Before that, wait until the remote bots of the match are free and connected."""
        replay = self._replays(spec.match_id)
        with disk_errors(replay.parent):
            replay.parent.mkdir(parents=True, exist_ok=True)
        lease = contextlib.ExitStack()
        if self._remote is not None:
            lease.enter_context(self._remote.reserved(seat.hash for seat in spec.seats))
        try:
            process = self._servers.begin(self.job(spec, replay))
        except BaseException:
            lease.close()
            raise
        return RefereeMatch(process, replay, lambda result: self.accept(spec, result), lease.close)

    def accept(self, spec: MatchSpec, result: MatchResult) -> MatchResult:
        game = find_game(spec.game)
        return accepted(spec, checked(result), resolved_options(game, spec), game, __version__)

    def close(self) -> None:
        self._servers.close()

    def job(self, spec: MatchSpec, replay: Path) -> Job:
        settings = self.settings
        options = dict(spec.options)
        if spec.map and self._map_option:
            options[self._map_option] = self._load_map(spec.map) if self._load_map else spec.map
        return Job(
            game=spec.game,
            seats=tuple(self._seat(seat) for seat in spec.seats),
            options=options,
            seed=spec.seed,
            leg=spec.leg,
            clock=settings.match_clock,
            policy=settings.match_policy,
            limits=settings.match_limits,
            replay=str(replay) if self._replay else "",
            # Use the strongest isolation of this machine. The configured level is only the lowest accepted one.
            require_isolation=settings.least_isolation,
            cpu=_own_cpu() if self._cpu is None else self._cpu,
            slot=slot_of(spec),
            start=self._starts[(spec.round - 1) % len(self._starts)] if self._starts else None,
        )

    def _seat(self, seat: Participant) -> SeatAssignment:
        address = self._remote.address(seat.hash) if self._remote is not None else ""
        return SeatAssignment(str(self.paths[seat.hash]), seat.name, address=address)


def folder_matches(
    settings: MatchSettings,
    game: GameSpec,
    folder: Path,
    paths: Mapping[str, str],
    remote: RemotePlayers | None = None,
) -> RefereeMatches:
    """Return the object that starts the matches of a contest. The game's clock supplies missing times."""
    return RefereeMatches(
        settings.timed_for(game),
        paths,
        lambda match_id: temporary_replay_path(folder, match_id),
        game.map_option,
        game.load_map,
        servers=ForkServers(game.name, environment={"TMPDIR": str(scratch_folder(folder))}),
        remote=remote,
    )


def _own_cpu() -> int | None:
    cpus = usable_processors()
    return cpus[0] if can_pin() and len(cpus) == 1 else None


def checked(result: MatchResult) -> MatchResult:
    """Return a result with `void` set: the reason if the match does not count, else "".

    A failure of the rules or the referee is no void match here, but one that failed: a contest stops to try it sooner,
    and somebody must look at it.

    Raises:
        ArenaError: The rules or the referee failed.
    """
    if result.fault:
        raise ArenaError(result.fault, exit_code=ExitCode.FAULT)
    why = result.why_void()
    return replace(result, void=why and f"the referee gave no result: {why}")
