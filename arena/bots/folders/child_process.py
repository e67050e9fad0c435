"""Start the limited process that parses and unpacks the files of untrusted bots, and talk to it. See `child.py`."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from arena.bots.folders import child

WAIT = 15.0
"""The time limit of a limited process for all its requests, in seconds since its start. It may use 5 s of processor
time (`child.SECONDS`); three times that is what the referee of a busy machine can be slower by."""
LARGEST_ANSWER = 1024 * 1024


class ChildFailedError(child.RefusedFileError):
    """The limited process failed, or refused the file. The text is the whole message."""


class LimitedProcess:
    """A process with limits on memory and time. Use it as a context manager, and for the files of one bot only."""

    def __init__(self, passed: Sequence[int] = ()) -> None:
        self._end = time.monotonic() + WAIT
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-S", "-B", str(Path(child.__file__))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=0,
            env={},
            pass_fds=passed,
        )
        assert self._process.stdout
        self._answers = self._process.stdout.fileno()
        self._poll = select.poll()
        self._poll.register(self._answers, select.POLLIN)

    def ask(self, request: bytes, data: bytes) -> None:
        assert self._process.stdin
        frame = memoryview(len(data).to_bytes(4, "big") + request + data)
        try:
            while frame:
                frame = frame[self._process.stdin.write(frame) :]
        except BrokenPipeError:
            raise self._failure() from None

    def receive(self) -> tuple[bytes, bytes]:
        head = self._read(5)
        size = int.from_bytes(head[:4], "big")
        if size > LARGEST_ANSWER:
            raise ChildFailedError("It cannot be read.")
        frame_type, data = head[4:], self._read(size)
        if frame_type == child.FAILURE:
            raise ChildFailedError(data.decode("utf-8", "replace"))
        return frame_type, data

    def _read(self, size: int) -> bytes:
        data = bytearray()
        while len(data) < size:
            left = self._end - time.monotonic()
            if left <= 0 or not self._poll.poll(1000 * left):
                raise ChildFailedError(f"It takes more than {WAIT:g} seconds.")
            part = os.read(self._answers, size - len(data))
            if not part:
                raise self._failure()
            data += part
        return bytes(data)

    def _failure(self) -> ChildFailedError:
        code = self._process.wait()
        if code in (-signal.SIGXCPU, -signal.SIGKILL):
            return ChildFailedError(f"It takes more than {child.SECONDS} seconds of processor time.")
        how = signal.Signals(-code).name if code < 0 else f"exit code {code}"
        return ChildFailedError(f"Python crashes on it ({how}).")

    def __enter__(self) -> LimitedProcess:
        return self

    def __exit__(self, *exception: object) -> None:
        self._process.kill()
        with self._process:  # closes the pipes, and waits for the end of the process
            pass
