"""Run a tournament: get matches from the schedule, play them, record results, and notify observers."""

import time
from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from arena.journal.files import check_room
from arena.match.ending import KILLED
from arena.match.result import MatchResult
from arena.match.spec import MatchSpec
from arena.matches.engines.engine import Engine
from arena.matches.queue import Ended, MatchQueue
from arena.matches.results import void_entry
from arena.contests.stages.stage import Schedule, Slot, slot_of
from arena.tournament.run.history import Killed
from arena.tournament.run.journal import Journal


class Observer(Protocol):
    """Receives the events of a run. A result is recorded before its event."""

    def resumed(self, schedule: Schedule, results: int) -> None:
        """Handle the start or restart, after the journal was read. `results` is the number of its results."""

    def started(self, spec: MatchSpec) -> None:
        """Handle a match that was submitted to the engine. The engine can start it later."""

    def finished(self, spec: MatchSpec, result: MatchResult, schedule: Schedule) -> None:
        """Handle a committed result."""

    def replayed(self, spec: MatchSpec, reason: str) -> None:
        """Handle the repetition of a match that was void, or that failed for a reason other than the bots."""

    def dropped(self, spec: MatchSpec, reason: str) -> None:
        """Handle the end of a match that has no result, and is not played again in this run."""

    def stopping(self, at_once: bool) -> None:
        """Handle the user's request to stop. If `at_once` is true, the running matches are ended too."""


@dataclass(slots=True)
class RunReport:
    """The result of a run.

    Attributes:
        stuck: Maps the id of each match that failed repeatedly to the last reason. Failures of bots do not count.
    """

    played: int = 0
    finished: bool = False
    stuck: dict[str, str] = field(default_factory=dict)
    interrupted: bool = False


class Runner:
    """Runs one tournament in one process.

    Args:
        limit: Stop after this many results of this run, such as in stages without an end; 0 for no limit.
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
        self._queue = MatchQueue(engine, self._repeats, voids=schedule.tournament.config.void_replays)
        self._observers = tuple(observers)
        self._limit = limit
        self._waiting: deque[MatchSpec] = deque()
        self._stops = 0
        self._paired = 0

    def stop(self) -> None:
        """Ask to stop. The first time, running matches are finished; the second time, they are ended at once."""
        self._stops += 1
        self.report.interrupted = True
        for observer in self._observers:
            observer.stopping(self._stops > 1)
        if self._stops > 1:
            self._queue.engine.kill()

    def run(self) -> RunReport:
        """Play until the tournament is over, the limit is reached, no match can be played, or the user stops it."""
        results = dict(self._journal.history.results)
        self._refill(results)
        for observer in self._observers:
            observer.resumed(self.schedule, len(results))
        try:
            while self._step():
                pass
        except BaseException:
            self._queue.engine.kill()
            raise
        self.report.finished = self.schedule.finished
        return self.report

    def _step(self) -> bool:
        """Start as many matches as possible and record finished ones. Return whether there is more to do."""
        self._start()
        if not self._queue.running:
            return False
        # Record in schedule order, so that two runs with the same timing record the results in the same order.
        for ended in self._queue.wait(slot_of):
            self._take_in(ended)
        return True

    def _refill(self, results: Mapping[Slot, MatchResult]) -> None:
        while fresh := self.schedule.take():
            # Record a round before any of its matches is played, so that a later configuration cannot change the round.
            rounds, known = self.schedule.rounds, self._journal.history.rounds
            self._journal.pair(one for one in rounds[self._paired :] if (one.stage, one.number) not in known)
            self._paired = len(rounds)
            for spec in fresh:
                result = results.get(slot_of(spec))
                if result is None:
                    self._waiting.append(spec)
                else:
                    self.schedule.record(spec, result)

    def _start(self) -> None:
        while self._waiting and self._queue.has_room and not self._enough():
            spec = self._waiting.popleft()
            if not self.schedule.wanted(spec):
                continue
            self._queue.start(spec)
            for observer in self._observers:
                observer.started(spec)

    def _enough(self) -> bool:
        if self._stops:
            return True
        return bool(self._limit) and self.report.played + len(self._queue.running) >= self._limit

    def _take_in(self, ended: Ended[MatchSpec]) -> None:
        spec, result = ended.match, ended.result
        if ended.error is not None:
            self._failed(ended)
        elif ended.again and ended.played is not None:
            killed = _killed(spec, ended.played)
            self._journal.append(void_entry(spec, ended.played, **({"killed": killed} if killed else {})))
            self._again(spec, ended.reason)
        elif result is not None:
            self._record(spec, result)

    def _record(self, spec: MatchSpec, result: MatchResult) -> None:
        if not self._journal.commit(spec, result):
            known = self._journal.match(spec.match_id)
            result = known[1] if known else result
        self.schedule.record(spec, result)
        self._refill({})
        self.report.played += 1
        for observer in self._observers:
            observer.finished(spec, result, self.schedule)

    def _repeats(self, spec: MatchSpec, result: MatchResult) -> bool:
        """Return whether a void match is played again. The journal knows the voids of earlier runs."""
        history = self._journal.history
        # A bot could cause the kill of its own sandbox. So repeat only one match per bot and pairing after such a kill.
        spent = history.voids[spec.match_id] >= self.schedule.tournament.config.void_replays
        return bool(result.void) and not (spent or _killed(spec, result) in history.killed)

    def _failed(self, ended: Ended[MatchSpec]) -> None:
        if not self._stops:
            # A full disk makes every match fail: raise its error, and do not try again.
            check_room(self._journal.folder)
            if ended.again:
                self._again(ended.match, ended.reason)
                return
            self.report.stuck[ended.match.match_id] = ended.reason
        self._drop(ended.match, ended.reason)

    def _again(self, spec: MatchSpec, reason: str) -> None:
        self._waiting.appendleft(spec)
        for observer in self._observers:
            observer.replayed(spec, reason)

    def _drop(self, spec: MatchSpec, reason: str) -> None:
        for observer in self._observers:
            observer.dropped(spec, reason)


def _killed(spec: MatchSpec, result: MatchResult) -> Killed | None:
    """Return the place of a match and a bot, if the match is void because the bot's sandbox was killed from outside."""
    if result.outcome.reason != KILLED:
        return None
    name = next(seat.name for seat, player in zip(spec.seats, result.players, strict=True) if player.detail)
    return spec.stage, spec.round, spec.pairing, name


class Pace:
    """The speed of a run, measured from the times of results."""

    def __init__(self) -> None:
        self._begun = time.monotonic()
        self._count = 0

    def add(self) -> None:
        self._count += 1

    def per_minute(self) -> float:
        """Return the results per minute since the start."""
        spent = time.monotonic() - self._begun
        return 60.0 * self._count / spent if spent > 0 else 0.0

    def seconds_left(self, matches: int) -> float | None:
        """Return the expected seconds for this many more matches, or None if no result was counted."""
        rate = self.per_minute()
        return 60.0 * matches / rate if rate else None
