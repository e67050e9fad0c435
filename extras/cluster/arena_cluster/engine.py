"""The engine `dask`: the organizer's side of a cluster.

Dask's scheduler decides where a match is played, also again after a worker is lost. A match needs a worker with the
same rules and the same Arena, which each worker declares as a resource. Nothing that a worker sends runs here (see
`pickles`).
"""

import contextlib
import itertools
import logging
import os
import threading
import uuid
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from arena.contests.engines import Workload
from arena.errors import ArenaError, ExitCode
from arena.match.result import MatchResult
from arena.match.spec import MatchSpec
from arena.text.printable import printable
from arena_cluster.keys import check_address, no_scheduler, security_of
from arena_cluster.live import receive
from arena_cluster.pickles import RefusedPickleError, guard_organizer
from arena_cluster.playing import Answer, ByReferee, Play, answer, keep, order, pack, programs_of, unpacked

_QUEUED = 4
"""Number of submitted matches per worker. With fewer, workers are sometimes idle. With more, results arrive late."""
_LOOK = 1.0
"""Seconds between two looks for workers that cannot play. They are only named in the log."""
_MOST_BOTS = 200
"""The number of bots that the workers keep in memory."""


class DaskEngine:
    """Plays matches on the workers of a Dask scheduler.

    Args:
        programs: The resource of the workers that can play (see `programs_of`).
        bot_of: Returns the folder of a bot and its path in it, or None and a reference (see `Workload.bot`).
        replay_of: Returns the path of a match's replay before its result is committed.
        accept: Checks a result and returns it in its final form, or raises ArenaError.
    """

    def __init__(
        self,
        client: Any,
        programs: str,
        play: Play,
        bot_of: Callable[[str], tuple[Path | None, str]],
        replay_of: Callable[[str], Path],
        accept: Callable[[MatchSpec, MatchResult], MatchResult] = lambda _spec, result: result,
    ) -> None:
        guard_organizer()
        for topic in ("print", "warn"):  # workers could write to the organizer's terminal
            client.unsubscribe_topic(topic)
        self._client = client
        self._programs = programs
        self._play = play
        self._bot_of = bot_of
        self._replay_of = replay_of
        self._accept = accept
        # The scheduler can still know the task keys of an earlier organizer process: make different ones.
        self._run = uuid.uuid4().hex[:8]
        self._tasks = itertools.count()
        self._archive = lru_cache(_MOST_BOTS)(self._new_archive)
        self._lock = threading.Lock()
        self._running: dict[str, Any] = {}
        receive(client, self._lock, lambda match_id: replay_of(match_id) if match_id in self._running else None)
        self._closed = threading.Event()
        threading.Thread(target=self._name_unsuitable, name="unsuitable workers", daemon=True).start()

    @property
    def window(self) -> int:
        """The limit of submitted matches: `_QUEUED` for each worker that can play, but at least `_QUEUED`."""
        return _QUEUED * max(1, len(self._workers(suitable=True)))

    def _workers(self, *, suitable: bool) -> set[str]:
        """Return the addresses of the workers that can play, or of the others."""
        gone = ArenaError(
            "The Dask scheduler does not answer any more.",
            hint="Start it again with its workers, and run the same command; all results so far are safe.",
            exit_code=ExitCode.NOT_REACHED,
        )
        if self._client.status != "running":
            raise gone
        try:
            workers = self._client.scheduler_info(n_workers=-1)["workers"]
        except (OSError, KeyError):  # the scheduler has just ended
            raise gone from None
        return {address for address, worker in workers.items() if (self._programs in worker["resources"]) is suitable}

    def _name_unsuitable(self) -> None:
        """Log a warning for each worker that cannot play, until the engine is closed."""
        named: set[str] = set()
        text = "The worker %s gets no matches: it has other rules of the game or another Arena, not %s."
        while not self._closed.wait(_LOOK):
            with contextlib.suppress(ArenaError):  # the scheduler is gone, so that all matches fail
                others = self._workers(suitable=False)
                for address in sorted(others - named):
                    logging.getLogger(__name__).warning(text, printable(address), self._programs)
                named |= others

    def submit(self, spec: MatchSpec, attempt: int) -> "Future[MatchResult]":
        del attempt
        outer: Future[MatchResult] = Future()
        outer.set_running_or_notify_cancel()
        bots = {seat.hash: self._bot_of(seat.hash) for seat in spec.seats}
        copies = {content: copy for content, (copy, _) in bots.items() if copy}
        paths = {content: path for content, (_, path) in bots.items()}
        archives = [self._archive(content, copy) for content, copy in copies.items()]
        words = order(self._play, spec, paths, tuple(copies))
        inner = self._submit(f"match-{spec.match_id}:{next(self._tasks)}", answer, words, *archives)
        with self._lock:
            self._running[spec.match_id] = inner
        inner.add_done_callback(lambda done: self._done(done, outer, spec))
        return outer

    def _new_archive(self, content: str, copy: Path) -> Any:
        return self._submit(f"bot-{content}", keep, pack(copy))

    def _submit(self, key: str, function: Callable[..., bytes], *arguments: Any) -> Any:
        return self._client.submit(
            function, *arguments, pure=False, key=f"{key}:{self._run}", resources={self._programs: 1}
        )

    def _done(self, inner: Any, outer: "Future[MatchResult]", spec: MatchSpec) -> None:
        path = self._replay_of(spec.match_id)
        try:
            reply = self._answer(inner)
            with self._lock:
                del self._running[spec.match_id]
            result = self._accept(spec, _with_replay(reply, path))
        except BaseException as error:
            with self._lock:
                self._running.pop(spec.match_id, None)
            path.unlink(missing_ok=True)
            outer.set_exception(error)
        else:
            outer.set_result(result)
        finally:
            inner.release()

    def _answer(self, inner: Any) -> Answer:
        """Return the answer of a worker.

        If the worker died and the answer is lost, this method waits until the match has been played again.
        """
        if inner.status == "error":
            raise ArenaError("A worker failed in the match, or several were lost with it; their logs say why.")
        try:
            return unpacked(inner.result())
        except (RefusedPickleError, ValueError):
            address = next(iter(self._client.who_has([inner]).get(inner.key, ())), "")
            raise ArenaError(f"The worker {printable(address)} sent something that is no result.") from None

    def kill(self) -> None:
        """Drop all matches. Matches that run on workers end by themselves, and their results are lost."""
        with self._lock:
            running = list(self._running.values())
        self._client.cancel(running, force=True)

    def close(self) -> None:
        self._closed.set()
        self._client.close()


def _with_replay(reply: Answer, path: Path) -> MatchResult:
    """Write the replay of an answer, and return its result with the path."""
    result = reply.played()
    if not reply.replay:
        path.unlink(missing_ok=True)
        return replace(result, replay="")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(reply.replay)
    return replace(result, replay=str(path))


def connect(workload: Workload, options: Mapping[str, str]) -> DaskEngine:
    """Return the engine. Its options are `scheduler`, an address, and `keys`, the folder of `arena cluster keys`."""
    import dask
    import distributed

    scheduler, keys = options.get("scheduler"), options.get("keys")
    if not scheduler or options.keys() - {"scheduler", "keys"}:
        raise ArenaError(
            "The engine dask has the options scheduler and keys.",
            hint="Give --engine-option scheduler=ADDRESS, and --engine-option keys=FOLDER for a cluster with keys.",
        )
    check_address(scheduler)
    logging.getLogger("distributed").setLevel(logging.WARNING)
    security = security_of(Path(keys) if keys else None, scheduler)
    dask.config.set({"distributed.admin.large-graph-warning-threshold": "1GB"})  # bots are large, and are sent once
    make_client: Any = distributed.Client
    try:
        name = f"arena-{os.getpid()}"
        client = make_client(scheduler, timeout="10s", set_as_default=False, name=name, security=security)
    except OSError as error:
        raise no_scheduler(scheduler) from error
    play = ByReferee(workload.settings)
    return DaskEngine(client, programs_of(workload.game), play, workload.bot, workload.replay_of, workload.accept)
