"""Playing a match in a process of its own, from another program: the command line, a tournament, a test."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
from collections.abc import Callable, Iterator
from typing import Any

from arena.errors import ArenaError, ExitCode
from arena.interpreter import python
from arena.match.job import Job
from arena.match.result import MatchResult


class RefereeProcess:
    """A running match process. Use it as a context manager: whatever happens, the process ends.

    Args:
        job: What to play.
    """

    def __init__(self, job: Job) -> None:
        # The job goes in as a file descriptor's text, not on stdin: in debug mode the bots have the terminal.
        job_end, job_writer = os.pipe()
        report_reader, report_end = os.pipe()
        try:
            with _ctrl_c_waits():
                self._process = subprocess.Popen(
                    python("-m", "arena.referee", str(job_end), str(report_end)),
                    stdin=None if job.debug else subprocess.DEVNULL,
                    pass_fds=(job_end, report_end),
                )
        finally:
            os.close(job_end)
            os.close(report_end)
        self._reports = os.fdopen(report_reader, encoding="utf-8")
        with contextlib.suppress(BrokenPipeError), open(job_writer, "w", encoding="utf-8") as writer:
            json.dump(job.to_document(), writer)

    @property
    def pid(self) -> int:
        """The process's id."""
        return self._process.pid

    def wait(self, report: Callable[[dict[str, Any]], None] | None = None) -> MatchResult:
        """Wait for the match to end.

        Args:
            report: Called with progress documents, where the job asks for them.

        Raises:
            ArenaError: The match could not be played, or its process died.
        """
        for line in self._reports:
            document = json.loads(line)
            if document["event"] == "result":
                self._process.wait()
                return MatchResult.from_document(document["result"])
            if document["event"] == "error":
                self._process.wait()
                raise ArenaError(document["sentence"], hint=document["hint"], exit_code=document["exit_code"])
            if report is not None:
                report(document)
        code = self._process.wait()
        how = signal.Signals(-code).name if code < 0 else f"exit code {code}"
        raise ArenaError(f"the match process ended without a result ({how})", exit_code=ExitCode.FAULT)

    def interrupt(self) -> None:
        """Ask the match to end in an orderly way, as Ctrl-C does."""
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGINT)

    def __enter__(self) -> RefereeProcess:
        return self

    def __exit__(self, *exception: object) -> None:
        if self._process.poll() is None:
            self._process.terminate()
            try:
                self._process.wait(5)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        self._reports.close()


@contextlib.contextmanager
def _ctrl_c_waits() -> Iterator[None]:
    """Hold Ctrl-C back in a program that is started now, until it is ready to end the match in good order."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def play_in_process(job: Job, report: Callable[[dict[str, Any]], None] | None = None) -> MatchResult:
    """Play one match in a process of its own and wait for it.

    Raises:
        ArenaError: The match could not be played, or its process died.
    """
    with RefereeProcess(job) as process:
        return process.wait(report)
