"""Check the versions that wait, several at a time, each in a separate process.

A check has two parts. `check_process` builds the bot and plays short matches with unusual events; then the loop plays
the trial, an ordinary match with the others, and calls `Checks.report`. A check that is interrupted, by a restart or a
full disk, leaves no report and begins again from the start. So a version has one report, and it is of one whole check.
"""

import json
import logging
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from msgspec import to_builtins

from arena.contests import entries
from arena.contests.entries import Written
from arena.contests.journal.files import DiskError, scratch_folder
from arena.contests.journal.store import now
from arena.contests.ladder.encounters import comparisons, trial
from arena.contests.open_contest import OpenContest, new_work_folder
from arena.contests.people.daily_limits import check_free_at, check_seconds
from arena.contests.values import Version, utc
from arena.play.referee.cores import usable_processors
from arena.text.printable import excerpt

LONGEST_CHECK = 300
"""The limit for a check, in seconds. It does not apply to the trial match, which follows. Chosen, not measured: a
build of a large program takes a minute or two, and a day's budget (`check_seconds_per_day`) is six such checks."""
_PAUSE = 5.0
"""The time between two tries to check a version on a full disk, in seconds: an organizer who has made room sees it."""


class UploadCheck:
    """A separate process that checks one version: it builds the bot, and plays short matches with unusual events.

    Args:
        progress: Called with each document that the process prints before the result: a check that starts, or a line
            of the report.
    """

    def __init__(self, contest: OpenContest, version: Version, progress: Callable[[dict[str, Any]], None]) -> None:
        self._progress = progress
        self._folders = [new_work_folder(contest.folder)]
        self._folders.append(Path(tempfile.mkdtemp(prefix="check-", dir=scratch_folder(contest.folder))))
        self._job = {
            "bot": str(contest.folder / version.path),
            "loaded": to_builtins(contest.handed_in.pop(version.hash, None), enc_hook=str),
            "seconds": LONGEST_CHECK,
            "cache": str(self._folders[0]),
            "game": contest.config.game,
            "options": dict(contest.config.options),
            "limits": dict(contest.config.limits),
            "require": contest.config.least_isolation,
        }
        # The process ends itself when its standard input closes, and so does not outlive a killed server.
        self._process = subprocess.Popen(
            [sys.executable, "-m", "arena.contests.people.check_process"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=contest.folder,
            env=os.environ | {"TMPDIR": str(self._folders[1])},
            start_new_session=True,
        )

    def wait(self) -> str:
        """Wait for the end of the check, and return why the version fails it; "" if it passes.

        All processes and temporary files of the check are removed, no matter how it ended.
        """
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        problem = "the check ended without a result"
        try:
            with suppress(BrokenPipeError), self._process:  # a process that has died gets no job, and has no result
                self._process.stdin.write(f"{json.dumps(self._job)}\n")
                self._process.stdin.flush()
                for line in self._process.stdout:
                    document = json.loads(line)
                    if "disk" in document:
                        raise DiskError(document["disk"])
                    if "problem" in document:
                        problem = str(document["problem"])
                    else:
                        self._progress(document)
                self.kill()
        finally:
            self.kill()
            for folder in self._folders:
                shutil.rmtree(folder, ignore_errors=True)
        return problem

    def kill(self) -> None:
        """Kill the process of the check and its children, unless it has ended."""
        if self._process.returncode is None:
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)


@dataclass(slots=True)
class RunningCheck:
    """A check that has begun and has no report yet.

    Attributes:
        examining: Whether the process has not ended. The last part of a check is a match, the trial.
    """

    version: Version
    lines: list[dict[str, Any]] = field(default_factory=list)
    process: UploadCheck | None = None
    examining: bool = True
    seconds: float = 0.0


class Checks:
    """The checks of a contest.

    Call all methods with the lock of the contest, except `stop`, `why_waiting` and `lines`.

    Attributes:
        running: The checks without a report, by the key of the version.
        problem: Why checks cannot be run now; empty if they can.
    """

    def __init__(self, contest: OpenContest) -> None:
        self.contest = contest
        self.running: dict[str, RunningCheck] = {}
        self.problem = ""
        self._count = contest.config.visible.checks_at_once or max(1, len(usable_processors()) // 2)
        self._executor = ThreadPoolExecutor(self._count, "check")
        self._not_before = 0.0
        self._stopped = False

    def start(self) -> None:
        """Start as many checks as possible."""
        while time.monotonic() >= self._not_before:
            version = self.next()
            if version is None or sum(check.examining for check in self.running.values()) >= self._count:
                return
            check = self.running[version.key] = RunningCheck(version)
            self._executor.submit(self._examine, check)

    def next(self) -> Version | None:
        """Return the version to check next: of the team that has used the least time for checks, the oldest version.

        Late versions come last. The versions of a team are checked one after the other, since a version is
        compared with the active one.
        """
        state, time_now = self.contest.state, utc()
        busy = {check.version.entrant for check in self.running.values()}
        waiting = [version for version in state.waiting() if version.entrant not in busy]

        def turn(version: Version) -> tuple[bool, float, str, int]:
            return version.late, check_seconds(state, version.entrant, time_now), version.at, version.number

        return min((version for version in waiting if not self.free_at(version)), key=turn, default=None)

    def free_at(self, version: Version) -> datetime | None:
        """Return when the check of a version may begin, if its team has used all of its time; otherwise None.

        A version that was handed in in time does not wait for more time after the deadline: it has to be able to play.
        """
        config, time_now = self.contest.config, utc()
        if self.contest.is_closed and not version.late:
            return None
        return check_free_at(
            self.contest.snapshot.state, version.entrant, config.visible.check_seconds_per_day, time_now
        )

    def why_waiting(self, version: Version) -> str:
        """Return why the check of a version does not begin now; empty if only other checks are before it."""
        free = self.free_at(version)
        if version.report is not None or version.key in self.running or free is None:
            return ""
        config = self.contest.config.visible
        return (
            f"{version.entrant} has used its {config.check_seconds_per_day} seconds of checks in 24 hours. "
            f"The version is stored. Its check begins after {config.shown_time(free)}."
        )

    def lines(self, version: Version) -> list[dict[str, Any]]:
        check = self.running.get(version.key)
        return [*check.lines] if check else []

    def report(self, version: Version, problem: str, match: str = "") -> None:
        """Record the end of a check.

        Unless it was handed in too late, a version that passes is compared. It becomes active if its team has chosen
        that at the upload, or has no active version.

        Args:
            problem: Why it does not play; empty if it plays.
        """
        check = self.running[version.key]
        key = self.contest.state.key_of(version)
        lines = [line for line in check.lines if "passed" in line]  # the others only say what runs
        report = entries.Checked(passed=not problem, match=match, at=now(), seconds=round(check.seconds, 3))
        written: list[Written] = [entries.text(key, "report", (excerpt(problem), lines)), (key, report)]
        if not problem and not version.late:
            written += comparisons(self.contest, version)
            if version.at_once or self.contest.state.active(version.entrant) is None:
                written.append((key, entries.Activated(at=now())))
        self.contest.write(*written)
        del self.running[version.key]

    def rename(self, names: Mapping[str, str]) -> None:
        """Go on after teams have got other names: `names` maps the old ones to the new ones."""
        for check in self.running.values():
            version = self.contest.state.version(names[check.version.entrant], check.version.number)
            assert version is not None, "versions stay"
            check.version = version
        self.running = {check.version.key: check for check in self.running.values()}

    def put_off(self, version: Version, problem: str) -> None:
        """Forget a check that could not be ended for lack of disk space. It begins again from the start."""
        self.running.pop(version.key, None)
        self.problem, self._not_before = problem, time.monotonic() + _PAUSE

    def stop(self) -> None:
        """End all checks and wait for their threads. They begin again with the next start of the server."""
        with self.contest.lock:
            self._stopped = True
            for check in self.running.values():
                if check.process is not None:
                    check.process.kill()
        self._executor.shutdown(wait=True, cancel_futures=True)

    def _examine(self, check: RunningCheck) -> None:
        began = time.monotonic()
        try:
            with self.contest.lock:
                if self._stopped:
                    return
                check.process = UploadCheck(self.contest, check.version, check.lines.append)
            problem = self._wait(check, check.process)
            with self.contest.lock:
                if self._stopped:
                    return
                self.problem, check.seconds = "", time.monotonic() - began
                if problem:
                    self.report(check.version, problem)
                else:
                    self.contest.write(trial(self.contest, check.version))
                check.examining = False
                self.contest.changed.notify_all()
        except (DiskError, OSError) as error:  # such as too many processes: the check begins again later
            with self.contest.lock:
                self.put_off(
                    check.version, error.message if isinstance(error, DiskError) else f"A check failed: {error}."
                )

    @staticmethod
    def _wait(check: RunningCheck, process: UploadCheck) -> str:
        try:
            return process.wait()
        except DiskError:
            raise
        except Exception as error:  # record the end even after a fault of Arena, or the version waits forever
            logging.getLogger(__name__).exception("The check of %s failed.", check.version.key)
            check.lines.clear()
            return f"the check failed: {error}"
