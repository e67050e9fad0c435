"""The matches that a page starts and follows. Matches of bots run one after the other, those with a person at once."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import replace
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from arena.bots.system.surroundings import RUNS_PROGRAMS
from arena.contests.queue.local import LocalEngine
from arena.contests.queue.queue import Ended, MatchQueue, repeat_late
from arena.match.job import HUMAN, Job
from arena.match.result import MatchResult
from arena.play.memory.workers import match_servers
from arena.play.referee.match_process import MatchInProgress, MatchServer
from arena.play.referee.prepared import PreparedMatch
from arena.play.seats.waiting import waiting_for
from arena.web.computing import failure
from arena.web.people import serve_people

ACTIVE: Final = ("waiting", "playing")
"""The states of a match that is not over. The others are ``done``, ``failed`` and ``stopped``."""
_MOST_WITH_PEOPLE: Final = 200
"""The number of matches with a person at the same time: more tabs than anybody plays in. Each has a thread and a
process, which wait for the person for most of the time."""


class WaitingMatch(NamedTuple):
    """A match in the queue.

    Attributes:
        enter: Called with the job when its match begins. Returns a context manager that yields the job to play.
        describe: Returns what the status says of a result, besides the state.
    """

    match_id: str
    job: Job
    enter: Callable[[Job], AbstractContextManager[Job]] = nullcontext
    describe: Callable[[MatchResult], dict[str, Any]] = lambda _result: {}


class PageMatches:
    """The matches of a page, with the status of each.

    A person can think for as long as they like. So matches with people have threads of their own, and delay no others.

    Args:
        in_memory: Whether to play in memory, which is for the user's own bots.
    """

    def __init__(self, *, in_memory: bool = not RUNS_PROGRAMS) -> None:
        self.in_memory = in_memory
        self._lock = threading.Condition()
        self._status: dict[str, dict[str, Any]] = {}
        self._running: dict[str, MatchInProgress] = {}
        self._interrupted: set[str] = set()
        self._queues: dict[int, MatchQueue[WaitingMatch]] = {}

    def play(self, match: WaitingMatch) -> None:
        slots = _MOST_WITH_PEOPLE if any(seat.is_outside for seat in match.job.seats) else 1
        with self._lock:
            self._status[match.match_id] = {"state": "waiting"}
            if slots not in self._queues:
                self._queues[slots] = MatchQueue(self._engine(match.job.game, slots), repeat_late, failures=0)
        self._submit(self._queues[slots], match)

    def _engine(self, game: str, slots: int) -> LocalEngine[WaitingMatch]:
        servers = match_servers(game, in_memory=self.in_memory)

        def start(match: WaitingMatch, attempt: int) -> _RunningMatch:
            del attempt
            return _RunningMatch(self, match, servers)

        return LocalEngine(start, slots, rated=False, pin=False, on_close=servers.close)

    def status(self, key: str) -> dict[str, Any]:
        """Return the status of a match; empty if the match was never added."""
        with self._lock:
            return dict(self._status.get(key, {}))

    def statuses(self, prefix: str = "") -> dict[str, dict[str, Any]]:
        """Return the statuses of the matches whose keys start with a prefix, by the rest of the key."""
        with self._lock:
            return {
                key.removeprefix(prefix): dict(status) for key, status in self._status.items() if key.startswith(prefix)
            }

    def set(self, key: str, **changes: Any) -> None:
        with self._lock:
            self._status[key].update(changes)

    def stop(self, key: str, patience: float = 0.0) -> None:
        """Stop a match, and wait for its end, but not longer than `patience` seconds."""
        with self._lock:
            status = self._status.get(key, {"state": ""})
            if status["state"] == "waiting":
                status["state"] = "stopped"
            elif key in self._running:
                self._interrupted.add(key)
                self._running[key].interrupt()
                self._lock.wait_for(lambda: status["state"] not in ACTIVE, patience)

    def close(self) -> None:
        """End all matches, and wait for the end of those that run."""
        with self._lock:
            for status in self._status.values():
                if status["state"] == "waiting":
                    status["state"] = "stopped"
        for queue in self._queues.values():
            queue.engine.kill()
        for queue in self._queues.values():
            queue.engine.close()

    def begin(self, key: str, process: MatchInProgress) -> None:
        with self._lock:
            if self._status[key]["state"] == "stopped":
                raise _StoppedError
            self._status[key]["state"] = "playing"
            self._running[key] = process

    def end(self, key: str) -> None:
        with self._lock:
            self._running.pop(key, None)

    def _submit(self, queue: MatchQueue[WaitingMatch], match: WaitingMatch) -> None:
        queue.start(match).add_done_callback(lambda future: self._take(queue, future))

    def _take(self, queue: MatchQueue[WaitingMatch], future: Future[MatchResult]) -> None:
        ended = queue.take(future)
        status = self._status[ended.match.match_id]
        if status["state"] == "stopped":
            return
        if ended.again and ended.match.match_id not in self._interrupted:
            self._submit(queue, ended.match)
            return
        try:
            changes = self._final_status(ended)
        except Exception as error:  # also after a fault of Arena, the page gets an end
            changes = {"state": "failed", **failure(error, "The match")}
        with self._lock:
            status.update(changes)
            self._lock.notify_all()

    def _final_status(self, ended: Ended[WaitingMatch]) -> dict[str, Any]:
        """Return the status of a match that was played or stopped. Raise the error of one that failed."""
        if ended.played is None:
            assert ended.error is not None
            raise ended.error
        stopped = ended.match.match_id in self._interrupted and not ended.played.has_verdict
        return {"state": "stopped" if stopped else "done", **ended.match.describe(ended.played)}


@contextmanager
def with_people(
    matches: PageMatches, key: str, prepared: PreparedMatch, job: Job, after: Mapping[str, str] = MappingProxyType({})
) -> Iterator[Job]:
    """Serve a page for each person of a match, and yield the job with their seats. Their clocks never end.

    The status of the match has the addresses of the pages, as ``human``.
    """
    people = [number for number, seat in enumerate(job.seats) if seat.bot == HUMAN]
    if not people:
        yield job
        return
    endless = replace(prepared.clock, bank=None, turn=None, turn_wall=None)
    with ExitStack() as stack:
        waiting = {number: waiting_for(in_memory=matches.in_memory) for number in people}
        for seat in waiting.values():
            stack.callback(seat.close)
        urls = stack.enter_context(serve_people(prepared, waiting, 0, "127.0.0.1", after))
        matches.set(key, human=[url for _, url in sorted(urls.items())])
        seats = list(job.seats)
        for number, person in waiting.items():
            seats[number] = replace(seats[number], address=person.address, clock=endless)
        yield replace(job, seats=tuple(seats))


class _StoppedError(Exception):
    """The match was stopped before it began."""


class _RunningMatch:
    def __init__(self, matches: PageMatches, match: WaitingMatch, servers: MatchServer) -> None:
        self._matches, self._key = matches, match.match_id
        with ExitStack() as stack:
            job = stack.enter_context(match.enter(match.job))
            self._process = stack.enter_context(servers.begin(job))
            stack.callback(matches.end, self._key)
            matches.begin(self._key, self._process)
            self._stack = stack.pop_all()

    def wait(self) -> MatchResult:
        with self._stack:
            return self._process.wait(self._show_turn)

    def _show_turn(self, report: dict[str, Any]) -> None:
        self._matches.set(self._key, turn=report["turn"], scores=report["scores"])

    def kill(self) -> None:
        """Stop the match like its page, so that its replay gets an end."""
        self._matches.stop(self._key)
