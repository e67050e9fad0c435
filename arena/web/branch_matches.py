"""Play the matches of branches. Matches of bots run one after the other. A match with a person starts at once."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from typing import Any, NamedTuple

from arena.match.job import Job
from arena.match.result import MatchResult
from arena.referee.match_process import ForkServer, MatchProcess
from arena.web.failures import failure

ACTIVE = ("waiting", "playing")
"""The states of a match that is not over. The others are ``done``, ``failed`` and ``stopped``."""
Entry = Callable[[Job], AbstractContextManager[Job]]


class WaitingMatch(NamedTuple):
    """A match in the queue.

    Attributes:
        enter: Called with the job when its match begins. Returns a context manager that yields the job to play.
    """

    key: str
    job: Job
    enter: Entry


class BranchMatches:
    """A queue of matches, with the status of each. One thread plays the matches of bots, from the first match on.

    A person can think for as long as they like. So a match with a person has its own thread and delays no other match.
    """

    def __init__(self) -> None:
        self._queue: queue.SimpleQueue[WaitingMatch | None] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._status: dict[str, dict[str, Any]] = {}
        self._running: dict[str, MatchProcess] = {}
        self._interrupted: set[str] = set()
        self._thread: threading.Thread | None = None
        self._with_people: list[threading.Thread] = []
        self._closed = False

    def play(self, waiting: WaitingMatch) -> None:
        """Add a match to the queue. Start a match with a person at once."""
        with self._lock:
            self._status[waiting.key] = {"state": "waiting"}
            if any(seat.is_outside for seat in waiting.job.seats):
                thread = threading.Thread(target=self._run_one, args=(waiting,), daemon=True)
                self._with_people = [one for one in self._with_people if one.is_alive()] + [thread]
                thread.start()
                return
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, daemon=True)
                self._thread.start()
        self._queue.put(waiting)

    def status(self, key: str) -> dict[str, Any]:
        """Return the status of a match; empty if the match was never added."""
        with self._lock:
            return dict(self._status.get(key, {}))

    def unfinished(self, prefix: str) -> dict[str, dict[str, Any]]:
        """Return the statuses of the matches whose keys start with a prefix, by the rest of the key.

        Leave out only matches with the state ``done``: the result contains failed and stopped matches.
        """
        with self._lock:
            return {
                key.removeprefix(prefix): dict(status)
                for key, status in self._status.items()
                if key.startswith(prefix) and status["state"] != "done"
            }

    def set(self, key: str, **changes: Any) -> None:
        with self._lock:
            self._status[key].update(changes)

    def stop(self, key: str) -> None:
        with self._lock:
            status = self._status.get(key)
            if status is not None and status["state"] == "waiting":
                status["state"] = "stopped"
            elif key in self._running:
                self._interrupted.add(key)
                self._running[key].interrupt()

    def close(self) -> None:
        """End all matches, and wait for the end of those that run."""
        with self._lock:
            self._closed = True
            for process in self._running.values():
                process.interrupt()
            threads = [*self._with_people, *([self._thread] if self._thread else [])]
        self._queue.put(None)
        for thread in threads:
            thread.join(10)

    def _run(self) -> None:
        server: ForkServer | None = None
        while (waiting := self._queue.get()) is not None and not self._closed:
            server = server or ForkServer(waiting.job.game)
            self._run_one(waiting, server)
        if server is not None:
            server.close()

    def _run_one(self, waiting: WaitingMatch, server: ForkServer | None = None) -> None:
        """Play a match, and store in its status whether it was played, stopped, or failed."""
        if self.status(waiting.key)["state"] == "stopped":
            return
        try:
            result = self._play(waiting, server)
            stopped = result is None or (waiting.key in self._interrupted and not result.has_verdict)
            self._end(waiting.key, state="stopped" if stopped else "done")
        except Exception as error:  # also after a fault of Arena, the queue goes on
            self._end(waiting.key, state="failed", **failure(error, "The match"))

    def _end(self, key: str, **changes: Any) -> None:
        with self._lock:
            if self._status[key]["state"] != "stopped":
                self._status[key].update(changes)

    def _play(self, waiting: WaitingMatch, server: ForkServer | None) -> MatchResult | None:
        """Play a match. Return None if the match was stopped before it was played."""

        def report(document: dict[str, Any]) -> None:
            self.set(waiting.key, turn=document["turn"], scores=document["scores"])

        with ExitStack() as stack:
            job = stack.enter_context(waiting.enter(waiting.job))
            process = stack.enter_context(MatchProcess(job, server))
            with self._lock:
                if self._status[waiting.key]["state"] == "stopped":
                    return None
                self._status[waiting.key] |= {"state": "playing"}
                self._running[waiting.key] = process
                if self._closed:
                    process.interrupt()
            try:
                return process.wait(report)
            finally:
                with self._lock:
                    del self._running[waiting.key]
