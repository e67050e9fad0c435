"""Matches in memory in processes of their own, for the commands: warm, and ended if a bot hangs.

`MemoryWorkers` begins matches like the fork servers of the referee (`arena.play.referee.match_process`). Each thread
has one worker process (`worker.py`), started by `spawn`, which plays one match after the other. It costs no process for
each bot and no message between them, so that it is twice as fast; and it runs where programs cannot be isolated, such
as on Windows. Only for the user's own bots.

A process that has to end in the middle of a match has said whose code ran (`watch.py`). From this follows the `Fate` of
that player, and the next process plays the match again with it.
"""

from __future__ import annotations

import multiprocessing
import os
import tempfile
import threading
import time
from collections.abc import Callable, MutableSequence
from contextlib import suppress
from dataclasses import replace
from multiprocessing.connection import wait
from pathlib import Path
from typing import Any, Self

from arena.bots.exit import Exit, signal_name
from arena.bots.players import OpenPlayers
from arena.errors import ArenaError, ExitCode
from arena.match.ending import Ending
from arena.match.job import Job
from arena.match.result import MatchResult
from arena.play.memory.job import DebuggedMatch, JobTask
from arena.play.memory.watch import DEADLINE, FIELDS, NOBODY, PLAYER, RUNS, SAID, STOP, Fate
from arena.play.memory.worker import HUNG, STUCK, TOO_LARGE, Done, LastWords, Task, serve
from arena.play.referee.match_process import ForkServers, MatchServer, Report


def match_servers(game: str, *, in_memory: bool) -> MatchServer:
    """Return what plays the matches of a game: in memory, or with processes."""
    return MemoryWorkers(game) if in_memory else ForkServers(game)


class MemoryWorkers:
    """One worker process for each thread that plays matches.

    Args:
        game: The game whose rules the processes load first.
    """

    def __init__(self, game: str) -> None:
        self._game = game
        self._players = OpenPlayers(game)
        self._workers: dict[int, _Worker] = {}

    def open(self) -> None:
        """Start the worker of this thread now, so that it loads meanwhile."""
        self.of_this_thread()

    def begin(self, job: Job) -> MatchInWorker | DebuggedMatch:
        """Begin a match."""
        job = self._players.placed(job)
        return DebuggedMatch(job) if job.debug else MatchInWorker(job, self)

    def do(self, task: Task) -> Any:
        """Do a task, and return its answer."""
        with InWorker(task, self) as running:
            return running.answer()

    def of_this_thread(self) -> _Worker:
        """Return the worker of this thread."""
        thread = threading.get_ident()
        worker = self._workers.get(thread)
        if worker is None or worker.spent:
            worker = self._workers[thread] = _Worker(self._game)
        return worker

    def close(self) -> None:
        """End all workers, and the players of other distributions."""
        for worker in self._workers.values():
            worker.end()
        self._players.close()


class InWorker:
    """A task that a worker of this thread does. Use it as a context manager, which always ends it."""

    def __init__(self, task: Task, workers: MemoryWorkers) -> None:
        self._task = task
        self._workers = workers
        self._worker = workers.of_this_thread()
        self._killed = self._interrupted = False

    def answer(self, report: Report | None = None) -> Any:
        """Return what the task returns. It is done again with the fate of each player whose code ends the process.

        Raises:
            ArenaError: It cannot be done, or was killed.
        """
        fates: dict[int, Fate] = {}
        while True:
            worker = self._worker = self._workers.of_this_thread()
            try:
                end = worker.do(self._task, fates, report, self._is_interrupted)
            finally:
                if self._killed:
                    raise ArenaError("The match process was stopped.", exit_code=ExitCode.FAULT)
            if isinstance(end, Done):
                return end.answer
            player, fate = end
            if player in fates and fates[player][:2] <= fate[:2]:
                raise ArenaError("The match process ended again and again.", exit_code=ExitCode.FAULT)
            fates[player] = fate

    def _is_interrupted(self) -> bool:
        return self._interrupted

    def interrupt(self) -> None:
        """End the match after the present turn, as Ctrl-C does. Any thread can call this method."""
        self._interrupted = True
        self._worker.now[STOP] = 1

    def kill(self) -> None:
        """End the worker. Any thread can call this method."""
        self._killed = True
        self._worker.kill()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        if self._worker.works:
            self._worker.end()


class MatchInWorker(InWorker):
    """A match that a worker of this thread plays."""

    def __init__(self, job: Job, workers: MemoryWorkers) -> None:
        self._replay = job.replay
        # A bot can change the folder.
        super().__init__(JobTask(replace(job, replay=job.replay and os.path.abspath(job.replay))), workers)

    def wait(self, report: Report | None = None) -> MatchResult:
        """Play the match, and return its result. `report` is called with the progress.

        Raises:
            ArenaError: The match cannot be played, or was killed.
        """
        result: MatchResult = self.answer(report)
        return replace(result, replay=self._replay)


class _Worker:
    """A process, as its parent sees it.

    Attributes:
        works: Whether it does a task.
        spent: Whether it does no further one.
    """

    def __init__(self, game: str) -> None:
        spawn = multiprocessing.get_context("spawn")
        self.works = self.spent = False
        self.now: MutableSequence[float] = spawn.RawArray("d", FIELDS)
        self.now[PLAYER] = NOBODY
        descriptor, name = tempfile.mkstemp(prefix="arena-stack-")
        os.close(descriptor)
        self._stacks = Path(name)
        self._connection, theirs = spawn.Pipe()
        self._process = spawn.Process(target=serve, args=(theirs, self.now, name, game), daemon=True)
        self._process.start()
        theirs.close()

    def do(
        self, task: Task, fates: dict[int, Fate], report: Report | None, interrupted: Callable[[], bool]
    ) -> Done | tuple[int, Fate]:
        """Do a task. Return its answer, or the player whose code has ended the process, and how."""
        self.works = True
        self.now[STOP] = 0
        with suppress(OSError):  # it has died meanwhile
            self._connection.send((task, fates, report is not None))
        if interrupted():
            self.now[STOP] = 1
        last, hung = LastWords("", ""), False
        while not hung:
            deadline = self.now[DEADLINE]
            left = deadline + STUCK - time.monotonic() if deadline else STUCK
            ready = wait([self._connection, self._process.sentinel], min(STUCK, max(0.0, left)))
            if self._connection in ready:
                try:
                    message = self._connection.recv()
                except (EOFError, OSError):
                    break
                if isinstance(message, Done):
                    self.works = False
                    if message.leaves_threads:
                        self.end()
                    if isinstance(message.answer, ArenaError):
                        raise message.answer
                    return message
                if isinstance(message, LastWords):
                    last = message
                elif report is not None:
                    report(message)
            elif ready:
                break
            else:
                hung = deadline != 0 and deadline == self.now[DEADLINE] and time.monotonic() >= deadline + STUCK
        return self._fate(last, hung=hung)

    def _fate(self, last: LastWords, *, hung: bool) -> tuple[int, Fate]:
        """End the process. Return the player whose code ran, and how that ends the player's part."""
        if hung:
            self._process.kill()
        self._process.join()
        code = self._process.exitcode
        blocks = self._stacks.read_text("utf-8", "replace").split("\n\n")
        stack = next((block for block in reversed(blocks) if "(most recent call first)" in block), "")
        self.end()
        end = Exit(None, signal_name(-code)) if code is not None and code < 0 else Exit(code, "", code == TOO_LARGE)
        player, runs, said = (int(self.now[field]) for field in (PLAYER, RUNS, SAID))
        if player == NOBODY:
            raise ArenaError(f"The match process ended without a result ({end.reason}).", exit_code=ExitCode.FAULT)
        stdout, stderr = last if any(last) else ("", stack)
        ending: Ending = "out_of_memory" if end.out_of_memory else "crashed"
        detail = end.reason
        if hung or code == HUNG:
            ending, detail = "timed_out", "its time had run out"
        return player, Fate(runs, said, ending, detail, stdout, stderr)

    def kill(self) -> None:
        """End the process. Any thread can call this method: `do` then returns."""
        self._process.kill()

    def end(self) -> None:
        """End the process, and remove what is left of it."""
        self.works, self.spent = False, True
        self._process.kill()
        self._process.join()
        self._connection.close()
        with suppress(OSError):
            self._stacks.unlink()
