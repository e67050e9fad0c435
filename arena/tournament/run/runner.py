"""Runs a tournament: asks the schedule what to play, has it played, writes it down, and tells what happened."""

import time
from collections import Counter, deque
from collections.abc import Iterable, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass, field
from typing import Protocol

from arena.match.result import MatchResult
from arena.tournament.plan.schedule import Schedule, Slot, slot_of
from arena.tournament.plan.values import MatchSpec
from arena.tournament.run.engines.engine import Engine
from arena.tournament.run.journal.files import check_room
from arena.tournament.run.journal.store import Journal

RETRIES = 2
"""How often a match is tried again after a fault of ours, before a person is asked."""


class Observer(Protocol):
    """Receives what happens, after it has been recorded."""

    def resumed(self, schedule: Schedule, results: int) -> None:
        """Return the journal has been read."""

    def started(self, spec: MatchSpec) -> None:
        """Return a match has been handed to the engine."""

    def finished(self, spec: MatchSpec, result: MatchResult, schedule: Schedule) -> None:
        """Return a result has been committed."""

    def replayed(self, spec: MatchSpec, reason: str) -> None:
        """Return a match is played again: it was void, or failed through no fault of the bots."""

    def stopping(self, at_once: bool) -> None:
        """Return the user has asked to stop."""


@dataclass(slots=True)
class RunReport:
    """How a run ended.

    Attributes:
        played: Results committed in this run.
        finished: Whether the tournament is over.
        stuck: Matches that failed again and again through no fault of the bots, with the last reason.
        interrupted: Whether the user stopped it.
    """

    played: int = 0
    finished: bool = False
    stuck: dict[str, str] = field(default_factory=dict)
    interrupted: bool = False


class Runner:
    """Runs one tournament in one process.

    Args:
        schedule: What is to be played; results that are in the journal are taken from there.
        journal: Where results go.
        engine: What plays.
        observers: Who receives the events.
        limit: Stop after this many results (0: no limit), for stages that run on.
    """

    def __init__(
        self,
        schedule: Schedule,
        journal: Journal,
        engine: Engine,
        observers: Iterable[Observer] = (),
        *,
        limit: int = 0,
    ) -> None:
        self.schedule = schedule
        self.report = RunReport()
        self._journal = journal
        self._engine = engine
        self._observers = tuple(observers)
        self._limit = limit
        self._waiting: deque[MatchSpec] = deque()
        self._running: dict[Future[MatchResult], MatchSpec] = {}
        self._failures: Counter[str] = Counter()
        self._stops = 0

    def stop(self) -> None:
        """Ask to stop: the first time running matches are finished, the second time they are ended at once."""
        self._stops += 1
        self.report.interrupted = True
        for observer in self._observers:
            observer.stopping(self._stops > 1)
        if self._stops > 1:
            self._engine.kill()

    def run(self) -> RunReport:
        """Play until the tournament is over, or nothing more can be played, or the user stops it."""
        results = self._journal.results()
        self._refill(results)
        for observer in self._observers:
            observer.resumed(self.schedule, len(results))
        try:
            while self._step():
                pass
        except BaseException:
            self._engine.kill()
            raise
        self.report.finished = self.schedule.finished
        return self.report

    def _step(self) -> bool:
        """Start what can be started and takes in what is done; says whether there is more to do."""
        self._start()
        if not self._running:
            return False
        done, _ = wait(self._running, return_when=FIRST_COMPLETED)
        # In schedule order, so that a log of two runs with the same timing is the same.
        for future in sorted(done, key=lambda one: slot_of(self._running[one])):
            self._take_in(self._running.pop(future), future)
        return True

    def _refill(self, results: Mapping[Slot, MatchResult]) -> None:
        while fresh := self.schedule.take():
            for spec in fresh:
                result = results.get(slot_of(spec))
                if result is None:
                    self._waiting.append(spec)
                else:
                    self.schedule.record(spec, result)

    def _start(self) -> None:
        while self._waiting and len(self._running) < self._engine.window and not self._enough():
            spec = self._waiting.popleft()
            if not self.schedule.wanted(spec):
                continue
            future = self._engine.submit(spec, self._failures[spec.match_id])
            self._running[future] = spec
            for observer in self._observers:
                observer.started(spec)

    def _enough(self) -> bool:
        if self._stops:
            return True
        return bool(self._limit) and self.report.played + len(self._running) >= self._limit

    def _take_in(self, spec: MatchSpec, future: Future[MatchResult]) -> None:
        if future.cancelled():
            return
        error = future.exception()
        if error is not None:
            if not self._stops:
                self._failed(spec, str(error) or type(error).__name__)
            return
        result = future.result()
        if result.void:
            if self._play_again(spec, result):
                return
            result = result.without_void()
        if not self._journal.commit(spec, result):
            known = self._journal.match(spec.match_id)
            result = known[1] if known else result
        self.schedule.record(spec, result)
        self._refill({})
        self.report.played += 1
        for observer in self._observers:
            observer.finished(spec, result, self.schedule)

    def _play_again(self, spec: MatchSpec, result: MatchResult) -> bool:
        allowed = self.schedule.tournament.config.void_replays
        if self._journal.voids().get(spec.match_id, 0) >= allowed:
            return False
        self._journal.add_void(spec, result.void)
        self._again(spec, result.void)
        return True

    def _failed(self, spec: MatchSpec, reason: str) -> None:
        # A match that could not write is no riddle: the cause is named, and nothing is tried again in vain.
        check_room(self._journal.folder)
        self._failures[spec.match_id] += 1
        if self._failures[spec.match_id] > RETRIES:
            self.report.stuck[spec.match_id] = reason
        else:
            self._again(spec, reason)

    def _again(self, spec: MatchSpec, reason: str) -> None:
        self._waiting.appendleft(spec)
        for observer in self._observers:
            observer.replayed(spec, reason)


class Pace:
    """How fast a run goes, from the times at which results came.

    Args:
        now: The present time in seconds.
    """

    def __init__(self, now: float | None = None) -> None:
        self._begun = time.monotonic() if now is None else now
        self._count = 0

    def add(self) -> None:
        """Count a result."""
        self._count += 1

    def per_minute(self, now: float | None = None) -> float:
        """Return results a minute since the start."""
        spent = (time.monotonic() if now is None else now) - self._begun
        return 60.0 * self._count / spent if spent > 0 else 0.0

    def seconds_left(self, matches: int, now: float | None = None) -> float | None:
        """Return how long this many more matches will take, or None before anything is known."""
        rate = self.per_minute(now)
        return 60.0 * matches / rate if rate else None
