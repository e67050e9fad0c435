"""A worker process: it plays matches in memory, one after the other, until its parent ends it.

The process can have to end in the middle of a match. When a bot takes too much time or memory, its own thread
(`_Guard`) says where the bot's code was, and ends the process. If that thread gets no chance, since code in C does not
come back, `faulthandler` writes the stack and the parent ends the process (`workers.py`).
"""

from __future__ import annotations

import faulthandler
import multiprocessing
import os
import signal
import sys
import threading
import time
import traceback
from collections.abc import MutableSequence
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import arena
import arena_player
from arena.errors import ArenaError, ExitCode
from arena.game import Seeded
from arena.match.lookup import find_game
from arena.play.memory.notes import HERE
from arena.play.memory.watch import DEADLINE, NOBODY, PLAYER, Watch
from arena.play.referee.match_process import Report
from arena_replays import ReplayError

POLL = 0.1
PATIENCE, STACK, STUCK = 0.25, 0.5, 1.0
"""Seconds after the end of a player's time: until its code can come back, and only its clock decides; until
`faulthandler` writes the stack; until the parent ends the process."""
HUNG, TOO_LARGE = 78, 77
"""The exit codes of a process that its guard has ended."""
LATE = "Its code when the time had run out (most recent call last):\n"


class Task(Protocol):
    """What a worker does, such as a match. It can be pickled."""

    @property
    def memory(self) -> int:
        """The bytes of memory that it may use."""

    def run(self, watch: Watch, report: Report | None, /) -> Any:
        """Do it, and return what can be pickled. The watch knows whose code runs."""


class Done(NamedTuple):
    """A task has been done.

    Attributes:
        leaves_threads: Whether a thread of a bot still runs.
    """

    answer: Any
    leaves_threads: bool = False


class LastWords(NamedTuple):
    """What a player has printed since its last message, and the stack of its code. The process ends."""

    stdout: str
    stderr: str


def serve(connection: Connection, now: MutableSequence[float], stacks: str, game: str) -> None:
    """Do tasks until the parent closes the connection."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the parent, which decides
    home = os.getcwd()
    with open(stacks, "r+b", buffering=0) as file, open(os.devnull, "r+b", buffering=0) as nothing:
        faulthandler.enable(file)

        def write_stack(deadline: float) -> None:
            """Let the stack be written when the time is over, even if no thread of Python runs then."""
            faulthandler.dump_traceback_later(max(POLL, deadline + STACK - time.monotonic()), file=file)

        watch = Watch(now, write_stack)
        guard = _Guard(connection, watch)
        threading.Thread(target=guard.run, daemon=True).start()
        with suppress(Exception):  # a game that cannot be loaded: each match reports the error
            rules = find_game(game)
            rules.start(chance=Seeded(0)).view()
            rules.schema()
        for stream in range(3):
            os.dup2(nothing.fileno(), stream)  # what code in C prints; the rest is captured
        with suppress(EOFError, OSError):
            while True:
                task, fates, reports = connection.recv()
                os.chdir(home)
                watch.begin_match(fates)
                guard.begin_task(task)
                threads = threading.active_count()
                answer = _answer(task, watch, guard.send if reports else None)
                faulthandler.cancel_dump_traceback_later()
                guard.send(Done(answer, threading.active_count() > threads))
    os._exit(0)  # bots can have left threads behind


def _answer(task: Task, watch: Watch, report: Report | None) -> Any:
    """Return what a task returns, or the error for which it cannot be done."""
    try:
        return task.run(watch, report)
    except ArenaError as error:
        return error
    except ReplayError as error:
        return ArenaError(str(error), hint=error.hint, exit_code=error.exit_code)
    except Exception as error:
        reason = f"The match process failed: {type(error).__name__}: {error}."
        return ArenaError(reason, exit_code=ExitCode.FAULT)


class _Guard:
    """The thread of the process that ends it."""

    def __init__(self, connection: Connection, watch: Watch) -> None:
        self._connection = connection
        self._sending = threading.Lock()
        self._watch = watch
        self._most = 0

    def begin_task(self, task: Task) -> None:
        """Let a task use its memory, beyond what the process has used before."""
        self._most = _memory() + task.memory

    def send(self, message: Any) -> None:
        """Send a message to the parent. Afterwards the task is not ended for being late."""
        with self._sending:
            self._connection.send(message)

    def run(self) -> None:
        """Look at the time and the memory, until the process ends."""
        parent = multiprocessing.parent_process()
        while parent is None or parent.is_alive():
            time.sleep(POLL)
            deadline = self._watch.now[DEADLINE]
            if deadline and time.monotonic() > deadline + PATIENCE:
                self._end(HUNG)
            if self._most and _memory() > self._most:
                self._end(TOO_LARGE)
        os._exit(1)

    def _end(self, code: int) -> None:
        """End the process, unless the code has come back just now."""
        player, deadline = self._watch.now[PLAYER], self._watch.now[DEADLINE]
        with self._sending:
            if player == NOBODY or deadline != self._watch.now[DEADLINE]:
                return
            printed = dict(self._watch.output.take(closed=True)) if self._watch.output else {}
            stack = _stack() if code == HUNG else ""
            self._connection.send(LastWords(printed.get("stdout", ""), printed.get("stderr", "") + stack))
            os._exit(code)


def _stack() -> str:
    """Return the stack of the bot that plays, without the lines of Arena."""
    frames = traceback.extract_stack(sys._current_frames()[threading.main_thread().ident or 0])
    begin = next((at for at, frame in enumerate(frames) if frame.filename.startswith(HERE)), 0)
    arenas = tuple(str(Path(package.__file__ or "").parent) for package in (arena, arena_player))
    return LATE + "".join(
        traceback.format_list([frame for frame in frames[begin:] if not frame.filename.startswith(arenas)])
    )


def _memory() -> int:
    """Return the most bytes of memory that this process has used so far; 0 if nobody counts them."""
    if sys.platform == "win32":
        import ctypes.wintypes

        class Counters(ctypes.Structure):
            sizes = ("peak", "now", "peak_paged", "paged", "peak_other", "other", "file", "peak_file")
            _fields_ = [
                *(("size", ctypes.wintypes.DWORD), ("faults", ctypes.wintypes.DWORD)),
                *((name, ctypes.c_size_t) for name in sizes),
            ]

        counters = Counters(ctypes.sizeof(Counters))
        process = ctypes.wintypes.HANDLE(-1)  # this one
        ctypes.windll.kernel32.K32GetProcessMemoryInfo(process, ctypes.byref(counters), counters.size)
        return int(counters.peak)
    try:
        import resource
    except ImportError:
        return 0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else 1024 * peak
