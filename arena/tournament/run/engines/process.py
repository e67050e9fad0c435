"""A match in a process of its own: a job goes in as JSON, a result comes out as JSON, and nothing is left behind."""

import contextlib
import json
import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from arena.errors import ExitCode
from arena.match.result import MatchResult
from arena.tournament.run.journal.files import disk_errors

_MOST_OUTPUT = 4 * 1024 * 1024
_LAST_MOMENT = 2.0


class MatchProcessError(Exception):
    """The match process itself failed: our fault or the host's, never a bot's.

    Args:
        message: What happened.
        exit_code: Of a command that fails for this reason.
    """

    def __init__(self, message: str, exit_code: int = ExitCode.FAULT) -> None:
        super().__init__(message)
        self.exit_code = exit_code


class MatchProcess:
    """One running match process.

    Args:
        command: The program to start.
        job: What it is to play; written to its standard input.
        replay: Where it writes the replay.
        read: Makes the result of the program's answer.
        temporary: Folder for its temporary files; the system's own if not given.
    """

    def __init__(
        self,
        command: Sequence[str],
        job: Mapping[str, Any],
        replay: Path,
        read: Callable[[Mapping[str, Any]], MatchResult],
        temporary: Path | None = None,
    ) -> None:
        self._replay = replay
        self._read = read
        self._killed = False
        self._begun = time.monotonic()
        self._job = json.dumps(job).encode()
        with disk_errors(replay.parent):
            replay.parent.mkdir(parents=True, exist_ok=True)
        # A session of its own: Ctrl-C in the terminal reaches the organizer only, who lets matches finish.
        self._process = subprocess.Popen(
            list(command),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
            env=os.environ | {"TMPDIR": str(temporary)} if temporary else None,
        )

    def wait(self) -> MatchResult:
        """Wait for the end of the match.

        Raises:
            MatchProcessError: The process died or did not answer as agreed.
        """
        try:
            output, errors = self._process.communicate(self._job)
        finally:
            self._end()
        if self._process.returncode != 0 or len(output) > _MOST_OUTPUT or self._killed:
            self._replay.unlink(missing_ok=True)
            raise self._failure(output, errors)
        try:
            result = self._read(_last_line(output))
        except (ValueError, KeyError, TypeError) as error:
            self._replay.unlink(missing_ok=True)
            raise MatchProcessError(f"its answer makes no sense: {error!r}") from error
        return result

    def _failure(self, output: bytes, errors: bytes) -> MatchProcessError:
        if self._killed:
            return MatchProcessError("it was stopped")
        with contextlib.suppress(ValueError, KeyError, TypeError):
            answer = _last_line(output)
            return MatchProcessError(str(answer["sentence"]), int(answer["exit_code"]))
        code = self._process.returncode
        how = f"was ended by {signal.Signals(-code).name}" if code < 0 else f"ended with exit code {code}"
        lines = errors.decode(errors="replace").strip().splitlines()
        return MatchProcessError(f"the match process {how}" + (f": {lines[-1][:300]}" if lines else ""))

    @property
    def seconds(self) -> float:
        """Time since the process was started."""
        return time.monotonic() - self._begun

    def kill(self) -> None:
        """End the match and all that it started; may be called from another thread.

        It is asked first, so that it can take its bots and their sandboxes away, and killed after a moment.
        """
        self._killed = True
        self._signal(signal.SIGTERM)
        timer = threading.Timer(_LAST_MOMENT, self._signal, (signal.SIGKILL,))
        timer.daemon = True
        timer.start()

    def _signal(self, number: signal.Signals) -> None:
        if self._process.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, number)

    def _end(self) -> None:
        self._signal(signal.SIGKILL)
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout, self._process.stderr):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()


def _last_line(output: bytes) -> Mapping[str, Any]:
    """Return the last of the JSON lines that a match process has written.

    Raises:
        ValueError: It is not a JSON object.
    """
    lines = output.decode(errors="replace").strip().splitlines()
    document = json.loads(lines[-1]) if lines else None
    if not isinstance(document, dict):
        raise ValueError("it gave no answer")
    return document
