"""The engine for many machines: an adapter over Dask.distributed.

Dask only distributes matches. Workers return results and replays to the organizer, whose journal is the only record.
Matches that the scheduler loses are played again. Nothing that a worker sends runs on the organizer's machine (see
`dask_pickles`).
"""

import itertools
import logging
import os
import threading
import uuid
from collections import Counter
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from arena.errors import ArenaError, ExitCode
from arena.game import GameSpec
from arena.journal.files import temporary_replay_path
from arena.match.result import MatchResult
from arena.match.spec import MatchSpec
from arena.matches.copies import place_of_copy
from arena.matches.engines.dask_answers import RemoteResult, unpacked
from arena.matches.engines.dask_keys import security_of
from arena.matches.engines.dask_live import LiveReplays
from arena.matches.engines.dask_pickles import RefusedPickleError, guard_organizer
from arena.matches.engines.dask_task import Remote, RemoteReferee, answer, order, pack
from arena.matches.engines.speed import UnsuitableMachineError, own_speed
from arena.matches.evidence import rules_of
from arena.matches.referee_match import RefereeMatches
from arena.text.addresses import address_parts
from arena_player.version import __version__

_QUEUED = 4
"""Number of submitted matches per slot. With fewer, workers are sometimes idle. With more, results arrive late."""
_SLOT = "slot"
_LOOK = 1.0
"""Seconds between two checks for matches whose workers are gone."""
NO_SCHEDULER = ExitCode.NO_SCHEDULER
"""Exit code when no scheduler answers."""


class _Sent(NamedTuple):
    """A match that was sent to the scheduler for the worker `home`; if `home` is empty, for any worker."""

    outer: Future[MatchResult]
    spec: MatchSpec
    attempt: int
    home: str


class DaskEngine:
    """Plays matches on the workers of a Dask scheduler.

    Args:
        replays: Returns the path of a match's replay before its result is committed.
        accept: Checks a result and returns it in its final form, or raises ArenaError.
    """

    def __init__(
        self,
        client: Any,
        remote_of: Callable[[MatchSpec], Remote],
        archive_of: Callable[[str], bytes],
        replays: Callable[[str], Path],
        accept: Callable[[MatchSpec, MatchResult], MatchResult] = lambda _spec, result: result,
    ) -> None:
        guard_organizer()
        for topic in ("print", "warn"):  # workers could write to the organizer's terminal
            client.unsubscribe_topic(topic)
        self._client = client
        self._remote_of = remote_of
        self._archive_of = archive_of
        self._accept = accept
        self._live = LiveReplays(replays)
        self._live.listen(client)
        # The scheduler can still know the task keys of an earlier organizer process: make different ones.
        self._run = uuid.uuid4().hex[:8]
        self._tasks = itertools.count()
        self._lock = threading.Lock()
        self._load: Counter[str] = Counter()
        self._homes: dict[tuple[object, ...], str] = {}
        self._unsuitable: set[str] = set()
        self._open: dict[Any, _Sent] = {}
        self._one_by_one = threading.Lock()
        self._closed = threading.Event()
        threading.Thread(target=self._watch, name="lost workers", daemon=True).start()

    def _workers(self) -> dict[str, int]:
        """Return the number of slots of each connected worker that can play matches, by the worker's address."""
        gone = ArenaError(
            "The Dask scheduler does not answer any more.",
            hint="Start it again with its workers, and run the same command; all results so far are safe.",
            exit_code=NO_SCHEDULER,
        )
        if self._client.status != "running":
            raise gone
        try:
            workers = self._client.scheduler_info(n_workers=-1)["workers"]
        except (OSError, KeyError):  # the scheduler has just ended
            raise gone from None
        return {
            address: int(info["resources"].get(_SLOT, 0))
            for address, info in workers.items()
            if info["resources"].get(_SLOT) and address not in self._unsuitable
        }

    @property
    def window(self) -> int:
        """The limit of submitted matches: `_QUEUED` for each slot of the workers, but at least `_QUEUED`."""
        return _QUEUED * max(1, sum(self._workers().values()))

    def submit(self, spec: MatchSpec, attempt: int) -> "Future[MatchResult]":
        outer: Future[MatchResult] = Future()
        outer.set_running_or_notify_cancel()
        self._live.begin(spec.match_id)
        self._send(outer, spec, attempt, {}, self._home(spec))
        return outer

    def _home(self, spec: MatchSpec) -> str:
        pair = (spec.stage, spec.round, spec.pairing, spec.number // 2)
        workers = self._workers()
        with self._lock:
            home = self._homes.pop(pair, "")
            if home not in workers:
                home = min(workers, key=lambda address: (self._load[address] / workers[address], address), default="")
                self._homes[pair] = home
            self._load[home] += 1
        return home

    def _send(
        self, outer: "Future[MatchResult]", spec: MatchSpec, attempt: int, archives: Mapping[str, bytes], home: str
    ) -> None:
        inner = self._client.submit(
            answer,
            order(self._remote_of(spec), spec, attempt, archives),
            pure=False,
            key=f"{spec.match_id}:{next(self._tasks)}:{self._run}",
            resources={_SLOT: 1},
            workers=[home] if home else None,  # no other worker, so that it is known who sent an answer
        )
        with self._lock:
            self._open[inner] = _Sent(outer, spec, attempt, home)
        inner.add_done_callback(lambda done: self._done(done, outer, spec, attempt, home))

    def _watch(self) -> None:
        """Send a match again if its worker is gone, until the engine is closed.

        Dask alone would keep the match until this worker returns, and never send it to another one.
        """
        while not self._closed.wait(_LOOK):
            try:
                workers = self._workers()
            except ArenaError:  # the scheduler is gone, so that all matches fail
                continue
            with self._lock:
                lost = {
                    inner: sent
                    for inner, sent in self._open.items()
                    if workers and sent.home and sent.home not in workers
                }
                for inner in lost:
                    del self._open[inner]
            for inner, sent in lost.items():
                try:
                    inner.cancel(force=True)
                    self._leave(sent.home)
                    self._send(sent.outer, sent.spec, sent.attempt, {}, self._home(sent.spec))
                except Exception as error:  # the scheduler has just ended
                    self._live.end(sent.spec.match_id).unlink(missing_ok=True)
                    sent.outer.set_exception(error)

    def _done(self, inner: Any, outer: "Future[MatchResult]", spec: MatchSpec, attempt: int, home: str) -> None:
        remote = self._answer(inner, home)
        with self._lock:
            if self._open.pop(inner, None) is None:  # `_watch` has sent the match again: ignore this answer
                return
        try:
            if isinstance(remote, BaseException):
                raise remote
            if remote.failure is not None:
                raise remote.failure.error(remote.address)
            if remote.missing:
                archives = {content: self._archive_of(content) for content in remote.missing}
                self._send(outer, spec, attempt, archives, home)
                return
            result = self._accepted(spec, remote)
        except UnsuitableMachineError as error:
            self._leave(home)
            self._live.end(spec.match_id).unlink(missing_ok=True)
            self._send_elsewhere(outer, spec, attempt, error)
        except BaseException as error:
            self._leave(home)
            self._live.end(spec.match_id).unlink(missing_ok=True)
            outer.set_exception(error)
        else:
            self._leave(home)
            outer.set_result(result)
        finally:
            inner.release()

    def _answer(self, inner: Any, home: str) -> RemoteResult | BaseException:
        """Return the answer of a worker, or why there is none.

        If the worker died and the answer is lost, this method waits until the match has been played again.
        """
        try:
            return unpacked(self._data(inner))
        except (RefusedPickleError, ValueError):
            address = next(iter(self._client.who_has([inner]).get(inner.key, ())), home)
            message = f"The worker {address} sent something that is no result. It gets no more matches."
            return UnsuitableMachineError(message, address)
        except BaseException as error:
            if inner.status == "error":
                message = f"The worker {home} failed in a match; its log says why. It gets no more matches."
                return UnsuitableMachineError(message, home)
            return RuntimeError("stopped") if inner.cancelled() else error

    def _data(self, inner: Any) -> Any:
        try:
            return inner.result()
        except RefusedPickleError:
            # Dask reads the answers of several matches at once. Find out whether it is this one.
            with self._one_by_one:
                return inner.result()

    def _send_elsewhere(
        self, outer: "Future[MatchResult]", spec: MatchSpec, attempt: int, error: UnsuitableMachineError
    ) -> None:
        """Log a warning, exclude the worker, and send its match to another worker. If none is left, the match fails."""
        if error.address not in self._unsuitable:
            logging.getLogger(__name__).warning("%s", error)
        self._unsuitable.add(error.address)
        try:
            if not error.address or not self._workers():
                raise error
            self._live.begin(spec.match_id)
            self._send(outer, spec, attempt, {}, self._home(spec))
        except Exception as reason:
            outer.set_exception(reason)

    def _leave(self, home: str) -> None:
        with self._lock:
            self._load[home] -= 1

    def _accepted(self, spec: MatchSpec, remote: RemoteResult) -> MatchResult:
        result = self._keep(spec, remote)
        try:
            return self._accept(spec, result)
        except ArenaError as error:
            # Do not trust other results of this worker either.
            raise UnsuitableMachineError(f"{error} Its worker gets no more matches.", remote.address) from error

    def _keep(self, spec: MatchSpec, remote: RemoteResult) -> MatchResult:
        assert remote.result is not None
        path = self._live.end(spec.match_id)
        if not remote.replay:
            path.unlink(missing_ok=True)
            return replace(remote.result, replay="")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(remote.replay)
        return replace(remote.result, replay=str(path))

    def kill(self) -> None:
        """Drop all matches. Matches that run on workers end by themselves, and their results are lost."""
        with self._lock:
            inner = list(self._open)
        self._client.cancel(inner, force=True)

    def close(self) -> None:
        if not self._closed.is_set():
            self._closed.set()
            self._client.close()


def check_address(scheduler: str) -> None:
    """Check the form of an address before connecting."""
    parts = address_parts(scheduler)
    if parts is None or not parts.scheme or parts.port is None:
        raise ArenaError(
            f"{scheduler!r} is not an address of a scheduler.",
            hint="The scheduler prints its address when it starts, such as tcp://host:8786.",
            exit_code=NO_SCHEDULER,
        )


def no_scheduler(scheduler: str) -> ArenaError:
    return ArenaError(
        f"No Dask scheduler answers at {scheduler}.", hint="Start one with: arena scheduler.", exit_code=NO_SCHEDULER
    )


def connect(
    scheduler: str,
    game: GameSpec,
    matches: RefereeMatches,
    folder: Path,
    keys: Path | None = None,
) -> DaskEngine:
    import distributed

    check_address(scheduler)
    security = security_of(keys, scheduler)
    try:
        make_client: Any = distributed.Client
        name = f"arena-{os.getpid()}"
        client = make_client(scheduler, timeout="10s", set_as_default=False, name=name, security=security)
    except OSError as error:
        raise no_scheduler(scheduler) from error
    speed, rules = own_speed(), rules_of(game)

    def entry(content: str) -> str:
        """Return the path of a bot within its copy, or its reference if it has no copy."""
        path = Path(matches.paths[content])
        copy = folder / place_of_copy(content)
        return str(path.relative_to(copy) if path.is_relative_to(copy) else path)

    return DaskEngine(
        client,
        lambda spec: RemoteReferee(
            matches.settings, {seat.hash: entry(seat.hash) for seat in spec.seats}, speed, __version__, rules
        ),
        lambda content: pack(folder / place_of_copy(content)),
        lambda match_id: temporary_replay_path(folder, match_id),
        matches.accept,
    )
