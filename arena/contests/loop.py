"""The one loop that plays a contest: it does what `scheduler.decide` says, and records what happened.

`arena contest run` calls `Loop.run` in the terminal, and `arena contest serve` starts it in a thread beside the pages.
One step of it: record the matches that have ended, start checks, then start matches until all slots are taken; wait.

The order matters. A result is recorded before anything new is decided, since it can end a round or void a match. The
results of one step are recorded in the order of the schedule, so that runs with the same timing give the same journal.
An error of the disk stops the step where it is: what was not recorded stays in `_unrecorded` for the next try, and
nothing is started before there is room. A match gets its result once, or is given up: `_failed` tells when.

The loop holds the lock of the contest while it works, and never while a match is played.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from collections.abc import Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field

from arena.contests import entries
from arena.contests.contest_journal import void_entry
from arena.contests.journal.files import DiskError, check_room
from arena.contests.journal.store import now
from arena.contests.ladder.slot_shares import Shares, slot_time_of
from arena.contests.open_contest import OpenContest
from arena.contests.people.version_checks import Checks
from arena.contests.queue.queue import Ended, Engine, MatchQueue
from arena.contests.scheduler import decide, is_over
from arena.contests.state import Contest, Killed
from arena.contests.values import KINDS, Played, SlotTime, Version, utc
from arena.contests.webhook import Webhook
from arena.errors import ArenaError
from arena.match.ending import ending_phrase
from arena.match.result import MatchResult
from arena.match.spec import MatchSpec
from arena.match.void import KILLED
from arena.text.printable import excerpt

_REMEMBERED = 1000
"""The number of results from which the shares of the entrants are computed at the start. Chosen, not
measured: a team can save a few matches only, so older results hardly matter."""
_IDLE = 1.0
"""The seconds after which the loop looks for work without an event: time itself frees checks and stuck matches."""
_PAUSE = 60.0
"""A loop that stays tries a stuck match again, and pairs its players in the ladder, after this many seconds: soon
enough for an evening on which somebody has made room on the disk, and so seldom that a match that always fails takes no
time from the others."""


class Observer:
    """Receives the events of a run, and does nothing. A result is recorded before its event."""

    def resumed(self, state: Contest) -> None:
        """Handle the start or restart, after the journal was read."""

    def started(self, spec: MatchSpec) -> None:
        """Handle a match that was submitted to the engine. The engine can start it later."""

    def finished(self, spec: MatchSpec, result: MatchResult, state: Contest) -> None:
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
        stuck: Maps the id of each match that failed repeatedly, and has no result, to the last reason. Failures of
            bots do not count. A loop that stays leaves out dropped matches, since others are paired in their place.
    """

    played: int = 0
    finished: bool = False
    stuck: dict[str, str] = field(default_factory=dict)
    interrupted: bool = False


class Loop:
    """Plays a contest: starts checks and matches, and records results.

    Args:
        limit: Stop after this many results of this run; 0 for no limit.
        stays: Whether to wait for people when nothing can be played, and to try again after an error of the disk and
            when a match has failed repeatedly.

    Attributes:
        running: The running matches with their start, by match id. Each change makes a new dictionary.
        problem: Why nothing can be started now, or why the last match was dropped; empty after a result.
        slots: The number of matches at the same time.
    """

    def __init__(
        self,
        contest: OpenContest,
        engine: Engine,
        observer: Observer | None = None,
        *,
        limit: int = 0,
        stays: bool = False,
    ) -> None:
        self.contest = contest
        self.engine = engine
        self.report = RunReport()
        self.running: dict[str, tuple[MatchSpec, float]] = {}
        self.problem = ""
        self.slots = 0
        self.shares = Shares()
        self.checks = Checks(contest)
        self.webhook = Webhook(contest, contest.config.webhook) if contest.config.webhook else None
        self._queue = MatchQueue(engine, self._repeats, voids=contest.config.void_replays)
        self._observer = observer or Observer()
        self._limit = limit
        self._stays = stays
        self._ended: deque[Future[MatchResult]] = deque()
        self._unrecorded: deque[Ended[MatchSpec]] = deque()
        self._again: dict[str, MatchSpec] = {}
        self._stuck: dict[str, tuple[MatchSpec, float]] = {}
        self._stops = 0
        self._disk_failed = False
        self._thread: threading.Thread | None = None
        contest.renamed = self._rename
        self._charge_last_results()
        self._drop_interrupted_trials()

    def _charge_last_results(self) -> None:
        state = self.contest.state
        contenders = state.contenders()
        of_ladder = [event for event in state.timeline if isinstance(event, Played)]
        for played in of_ladder[-_REMEMBERED:]:
            assert played.result is not None, "the match was played"
            encounter, time_used = state.encounters[played.encounter], slot_time_of(played.result)
            self.shares.charge(encounter, played.names, time_used, contenders, contenders)

    def _drop_interrupted_trials(self) -> None:
        """Drop the trials of checks whose reports were lost with the last run: these checks run again as a whole."""
        state = self.contest.state
        trials = [number for number in state.matches_left if state.encounters[number].kind == "trial"]
        if trials:
            self.contest.write(*((str(number), entries.Dropped(reason="restart", at=now())) for number in trials))

    def _rename(self, names: Mapping[str, str]) -> None:
        """Go on after entrants have got other names."""
        renew = self.contest.state.renamed
        self.running = {key: (renew(spec), begun) for key, (spec, begun) in self.running.items()}
        self._again = {key: renew(spec) for key, spec in self._again.items()}
        self._stuck = {key: (renew(spec), at) for key, (spec, at) in self._stuck.items()}
        self.checks.rename(names)
        self.shares = Shares()
        self._charge_last_results()

    # -- running -------------------------------------------------------------------------------------

    def run(self) -> RunReport:
        """Play until the contest is over, the limit is reached, no match can be played, or somebody stops it."""
        self._observer.resumed(self.contest.state)
        if self.webhook is not None:
            self.webhook.start()
        try:
            while self._step():
                pass
        except BaseException:
            self.engine.kill()
            raise
        with self.contest.lock:
            self.report.finished = is_over(self.contest.state)
        return self.report

    def start(self) -> None:
        """Play in a thread of its own, until `close`."""
        self._thread = threading.Thread(target=self._run_in_thread, name="matches", daemon=True)
        self._thread.start()

    def _run_in_thread(self) -> None:
        try:
            self.run()
        except Exception:
            self.problem = "A fault of Arena; the log of the server has a traceback."
            logging.getLogger(__name__).exception("The matches of the contest stopped.")

    def stop(self) -> None:
        """Ask to stop. The first time, running matches are finished; the second time, they are ended at once."""
        self._stops += 1
        self.report.interrupted = True
        self._observer.stopping(self._stops > 1)
        if self._stops > 1:
            self.engine.kill()

    def close(self) -> None:
        """End everything that `start` has begun, and close the engine."""
        with self.contest.changed:
            self._stops = 2
            self.contest.changed.notify_all()
        if self._thread is not None:
            self.engine.kill()
            self._thread.join()
        self.checks.stop()
        if self.webhook is not None:
            self.webhook.close()
        self.engine.close()

    def _step(self) -> bool:
        """Do what can be done, and wait for the next event. Return whether there is more to do."""
        with self.contest.changed:
            has_more = self.work()
            if has_more and not self._ended:
                self.contest.changed.wait(_IDLE)
        return has_more

    def work(self) -> bool:
        """Record the matches that have ended, and start as many as possible. Return whether there is more to do.

        The caller holds the lock of the contest.
        """
        try:
            self._check_disk()
            # Record in schedule order, so that runs with the same timing record results in the same order.
            ended = [self._queue.take(self._ended.popleft()) for _ in range(len(self._ended))]
            self._unrecorded += sorted(ended, key=lambda item: _slot(item.match))
            while self._unrecorded:  # after an error, the others are recorded in the next try
                self._take_in(self._unrecorded.popleft())
            if not self._stops:
                self.checks.start()
                self._obey()
        except ArenaError as error:  # for example, the disk is full: try again later
            if not self._stays:
                raise
            self.problem = error.message
            self._disk_failed = isinstance(error, DiskError)
        waits = self._stays or bool(self.checks.running)
        return bool(self._queue.running) or (waits and not self._stops)

    def _check_disk(self) -> None:
        """After an error of the disk, start nothing before there is room for a replay again."""
        if self._disk_failed:
            check_room(self.contest.folder)
            self._disk_failed, self.problem = False, ""

    def _obey(self) -> None:
        """Do what `decide` says, until all slots are taken or nothing can be played."""
        contest = self.contest
        try:
            self.slots = self.engine.window
        except ArenaError:
            self.slots = 0
            raise
        if self._stays:
            latest = time.monotonic() - _PAUSE
            self._stuck = {key: (spec, at) for key, (spec, at) in self._stuck.items() if at > latest}
        while len(self._queue.running) < self.slots and not self._enough():
            busy = [spec for spec, _ in (*self.running.values(), *self._stuck.values())]
            if self._again:
                spec = self._again.pop(next(iter(self._again)))
                if self._is_wanted(spec):
                    self._start(spec)
                continue
            resting = {name for spec, _ in self._stuck.values() if spec.stage in KINDS for name in spec.names}
            step = decide(contest.state, busy, contest.board(everything=True), self.shares, resting)
            if step is None:
                return
            if isinstance(step, MatchSpec):
                self._start(step)
            else:
                contest.write(step)

    def _is_wanted(self, spec: MatchSpec) -> bool:
        run = self.contest.state.stages.get(spec.stage)
        return run is None or run.needs(spec)

    def _start(self, spec: MatchSpec) -> None:
        future = self._queue.start(spec)
        self.running = {**self.running, spec.match_id: (spec, utc().timestamp())}
        future.add_done_callback(self._end)
        self._observer.started(spec)

    def _end(self, future: Future[MatchResult]) -> None:
        """Wake the loop. This runs in the thread of the engine, or in that of the loop."""
        self._ended.append(future)
        with self.contest.changed:
            self.contest.changed.notify_all()

    def _enough(self) -> bool:
        return bool(self._limit) and self.report.played + len(self._queue.running) >= self._limit

    # -- results -------------------------------------------------------------------------------------

    def _take_in(self, ended: Ended[MatchSpec]) -> None:
        played = ended.played
        spec, begun = self.running[ended.match.match_id]
        self.running = {key: match for key, match in self.running.items() if key != spec.match_id}
        try:
            if played is None:
                self._charge(spec, SlotTime((0.0,) * len(spec.seats), utc().timestamp() - begun))
                self._failed(spec, ended)
                return
            self._charge(spec, slot_time_of(played))
            if ended.again:
                killed = self._killed_in(spec, played)
                self.contest.write(void_entry(self.contest.state, spec, played, killed[3] if killed else ""))
                self._play_again(spec, ended.reason)
            elif ended.result is not None:
                self._record(spec, ended.result)
            self.problem = ""
        except ArenaError as error:
            if spec.stage == "trial" and spec.match_id in self.contest.state.played:  # the report is not written
                self.checks.put_off(self._version_of(spec), error.message)
            raise

    def _record(self, spec: MatchSpec, result: MatchResult) -> None:
        state = self.contest.state
        if not self.contest.commit(spec, result):
            result = state.played[spec.match_id].result or result
        self.report.stuck.pop(spec.match_id, None)
        if spec.stage == "trial":
            self._report_trial(spec, result)
        self.report.played += 1
        self._observer.finished(spec, result, state)

    def _report_trial(self, spec: MatchSpec, result: MatchResult) -> None:
        version, player = self._version_of(spec), result.players[0]
        if not result.has_verdict:  # a void match is no reason to refuse the bot
            text = excerpt(f"first match: void, through no fault of the bot ({result.void})")
            self.checks.running[version.key].lines.append({"name": text, "passed": True, "problem_text": ""})
        problem = (
            f"in its first match, it {ending_phrase(player.ending)}: {player.explanation or player.detail}"
            if player.failed
            else ""
        )
        self.checks.report(version, problem, spec.match_id)

    def _repeats(self, spec: MatchSpec, result: MatchResult) -> bool:
        """Return whether a void match is played again. The journal knows the voids of earlier runs."""
        state = self.contest.state
        if not result.void or state.voids[spec.match_id] >= self.contest.config.void_replays:
            return False
        # A bot could cause the kill of its own sandbox. So repeat only one match per bot and pairing after such a kill.
        return self._killed_in(spec, result) not in state.killed

    def _failed(self, spec: MatchSpec, ended: Ended[MatchSpec]) -> None:
        if not self._stops:
            # A full disk makes every match fail: raise its error, and do not try again.
            check_room(self.contest.folder)
            if ended.again:
                self._play_again(spec, ended.reason)
                return
            self._give_up(spec, ended.reason)
        self._observer.dropped(spec, ended.reason)

    def _play_again(self, spec: MatchSpec, reason: str) -> None:
        self._again[spec.match_id] = spec
        self._observer.replayed(spec, reason)

    def _give_up(self, spec: MatchSpec, reason: str) -> None:
        self._stuck[spec.match_id] = spec, time.monotonic()
        is_dropped = spec.stage in KINDS
        if not (is_dropped and self._stays):
            self.report.stuck[spec.match_id] = reason
        if is_dropped:
            self.problem = f"The match {spec.match_id} was dropped: {reason}"
            self.contest.write((str(spec.round), entries.Dropped(reason=excerpt(reason), at=now())))
            if spec.stage == "trial":
                self.checks.report(self._version_of(spec), f"its first match could not be played: {reason}")

    def _charge(self, spec: MatchSpec, time: SlotTime) -> None:
        state = self.contest.state
        if spec.stage in KINDS:
            seats = [name for name, _ in state.players_of(spec)]
            playing = self.contest.board(everything=True).playing()
            self.shares.charge(state.encounters[spec.round], seats, time, playing, state.contenders())

    def _version_of(self, spec: MatchSpec) -> Version:
        return self.contest.state.by_player[self.contest.state.players_of(spec)[0]]

    def _killed_in(self, spec: MatchSpec, result: MatchResult) -> Killed | None:
        """Return the place of a match and an entrant, if the sandbox of its bot was killed from outside."""
        if result.outcome.reason != KILLED:
            return None
        players = zip(self.contest.state.players_of(spec), result.players, strict=True)
        return spec.stage, spec.round, spec.pairing, next(name for (name, _), player in players if player.detail)


def _slot(spec: MatchSpec) -> tuple[str, int, int, int]:
    return spec.stage, spec.round, spec.pairing, spec.number
