"""Matches in memory in a process of their own, for the commands: warm, and ended if a bot hangs.

`MemoryWorkers` begins matches like the fork servers of the referee (`arena.play.referee.match_process`). Each thread
has one worker process, started by `spawn`, which plays one match after the other. It costs no process for each bot and
no message between them, so that it is twice as fast; and it runs where programs cannot be isolated, such as on Windows.
Only for the user's own bots.

When a bot takes too much time or memory, a thread of the process (`_Guard`) says where its code was, and ends the
process. If that thread gets no chance, since code in C does not come back, the parent does it (`_Worker.play`), and
`faulthandler` has written the stack. Then the match is played again up to there (see `watch`).
"""

from __future__ import annotations

import faulthandler
import multiprocessing
import os
import signal
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Callable, MutableSequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any, Self

import arena
import arena_player
from arena.bots.exit import Exit, signal_name
from arena.errors import ArenaError, ExitCode
from arena.game import Seeded
from arena.match.ending import Ending
from arena.match.isolation import IN_MEMORY
from arena.match.job import Job
from arena.match.lookup import find_game
from arena.match.result import MatchResult
from arena.play.memory.match import MatchInMemory, Seated
from arena.play.memory.notes import HERE, SeatOutput
from arena.play.memory.players import bot_class
from arena.play.memory.referee import Referee
from arena.play.memory.watch import DEADLINE, FIELDS, NOBODY, PLAYER, RUNS, SAID, STOP, Fate, Watch
from arena.play.referee.match_process import ForkServers, MatchServer, Report
from arena.play.referee.prepared import PreparedMatch
from arena_replays import ReplayError

INTERRUPTED = "interrupted by SIGINT"
POLL = 0.1
PROGRESS = 0.1
"""Seconds between two reports of progress: people do not read faster."""
PATIENCE, STACK, STUCK = 0.25, 0.5, 1.0
"""Seconds after the end of a player's time: until its code can come back, and only its clock decides; until
`faulthandler` writes the stack; until the parent ends the process."""
HUNG, TOO_LARGE = 78, 77
"""The exit codes of a process that its guard has ended."""
LATE = "Its code when the time had run out (most recent call last):\n"


# The process.


def serve(connection: Connection, now: MutableSequence[float], stacks: str, game: str) -> None:
    """Play matches until the parent closes the connection."""
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
                job, fates, reports = connection.recv()
                os.chdir(home)
                watch.begin_match(fates)
                guard.begin_match(job)
                end = _played(job, watch, guard if reports else None)
                faulthandler.cancel_dump_traceback_later()
                guard.send(end)
    os._exit(0)  # bots can have left threads behind


def _played(job: Job, watch: Watch, guard: _Guard | None) -> Any:
    """Play a match. Return its result, or the error for which it cannot be played."""
    threads = threading.active_count()
    try:
        match = _MatchOfJob(PreparedMatch(job, in_memory=True), watch)
        fault = ""
        try:
            first = match.state.turn_number() if job.start is None else job.start.first
            for _ in match.turns():
                if watch.stopped:
                    match.stop(INTERRUPTED)
                elif guard is not None:
                    guard.report(match.state.turn_number() - first + 1, list(match.state.scores()))
        except Exception as error:
            if not match.over:
                raise
            fault = f"{type(error).__name__}: {error}"
        return replace(match.result(), fault=fault), threading.active_count() > threads
    except ArenaError as error:
        return error
    except ReplayError as error:
        return ArenaError(str(error), hint=error.hint, exit_code=error.exit_code)
    except Exception as error:
        reason = f"The match process failed: {type(error).__name__}: {error}."
        return ArenaError(reason, exit_code=ExitCode.FAULT)


class _MatchOfJob(MatchInMemory):
    """A match of a worker process. Its bots are loaded as they start up, and time passes.

    A limit takes effect when the code comes back: whoever reads the watch ends what hangs.
    """

    def __init__(self, prepared: PreparedMatch, watch: Watch) -> None:
        self.game = prepared.game
        match, recording = prepared.open_match([IN_MEMORY] * len(prepared.bots))
        referee = Referee(match, None if recording is None else recording.write, time.monotonic, watch)
        seated = []
        for bot in prepared.bots:
            output = SeatOutput(captures=not prepared.job.debug)
            loader = partial(bot_class, self.game, bot.folder / bot.entry)
            seated.append(Seated(None, output, loader, bot.content_hash))
        self._begin(prepared.job, referee, seated, recording, raises=False)

    def stop(self, reason: str) -> None:
        self._stopped = reason
        with self._playing():
            self._match.void(reason)
            self._referee.carry_out()


class _Guard:
    """The thread of the process that ends it."""

    def __init__(self, connection: Connection, watch: Watch) -> None:
        self._connection = connection
        self._sending = threading.Lock()
        self._watch = watch
        self._most = 0
        self._reported = 0.0

    def begin_match(self, job: Job) -> None:
        self._most = _memory() + len(job.seats) * job.limits.memory

    def send(self, message: Any) -> None:
        with self._sending:
            self._connection.send(message)

    def report(self, turn: int, scores: list[float]) -> None:
        if time.monotonic() - self._reported >= PROGRESS:
            self._reported = time.monotonic()
            self.send({"event": "turn", "turn": turn, "scores": scores})

    def run(self) -> None:
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
            self._connection.send((printed.get("stdout", ""), printed.get("stderr", "") + stack))
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
    """Return the most bytes of memory that this process has used so far."""
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
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else 1024 * peak


# Its parent.


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
        self._workers: dict[int, _Worker] = {}

    def open(self) -> None:
        """Start the worker of this thread now, so that it loads meanwhile."""
        self.of_this_thread()

    def begin(self, job: Job) -> MatchInWorker | DebuggedMatch:
        """Begin a match."""
        return DebuggedMatch(job) if job.debug else MatchInWorker(job, self)

    def of_this_thread(self) -> _Worker:
        """Return the worker of this thread."""
        thread = threading.get_ident()
        worker = self._workers.get(thread)
        if worker is None or worker.spent:
            worker = self._workers[thread] = _Worker(self._game)
        return worker

    def close(self) -> None:
        """End all workers."""
        for worker in self._workers.values():
            worker.end()


class MatchInWorker:
    """A match that a worker of this thread plays. Use it as a context manager, which always ends the match."""

    def __init__(self, job: Job, workers: MemoryWorkers) -> None:
        self._job = job
        self._workers = workers
        self._worker = workers.of_this_thread()
        self._killed = self._interrupted = False

    def wait(self, report: Report | None = None) -> MatchResult:
        """Play the match, and return its result. `report` is called with the progress.

        Raises:
            ArenaError: The match cannot be played, or was killed.
        """
        # Written from wherever a bot has changed the folder to.
        job = replace(self._job, replay=self._job.replay and os.path.abspath(self._job.replay))
        fates: dict[int, Fate] = {}
        for _ in range(2 * len(job.seats) + 1):
            worker = self._worker = self._workers.of_this_thread()
            try:
                end = worker.play(job, fates, report, self._is_interrupted)
            finally:
                if self._killed:
                    raise ArenaError("The match process was stopped.", exit_code=ExitCode.FAULT)
            if isinstance(end, MatchResult):
                return replace(end, replay=self._job.replay)
            fates |= end
        raise ArenaError("The match process ended again and again.", exit_code=ExitCode.FAULT)

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
        if self._worker.playing:
            self._worker.end()


class DebuggedMatch:
    """A match in this process, whose bots use this terminal. Use it like a `MatchInWorker`."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self._watch = Watch([0.0] * FIELDS, lambda _: None)

    def wait(self, _report: Report | None = None) -> MatchResult:
        """Play the match, and return its result."""
        end = _played(self._job, self._watch, None)
        if isinstance(end, ArenaError):
            raise end
        result: MatchResult = end[0]
        return result

    def interrupt(self) -> None:
        """End the match after the present turn."""
        self._watch.now[STOP] = 1

    kill = interrupt

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None: ...


class _Worker:
    """A process, as its parent sees it.

    Attributes:
        playing: Whether it plays a match.
        spent: Whether it plays no further match.
    """

    def __init__(self, game: str) -> None:
        spawn = multiprocessing.get_context("spawn")
        self.playing = self.spent = False
        self.now: MutableSequence[float] = spawn.RawArray("d", FIELDS)
        self.now[PLAYER] = NOBODY
        descriptor, name = tempfile.mkstemp(prefix="arena-stack-")
        os.close(descriptor)
        self._stacks = Path(name)
        self._connection, theirs = spawn.Pipe()
        self._process = spawn.Process(target=serve, args=(theirs, self.now, name, game), daemon=True)
        self._process.start()
        theirs.close()

    def play(
        self, job: Job, fates: dict[int, Fate], report: Report | None, interrupted: Callable[[], bool]
    ) -> MatchResult | dict[int, Fate]:
        """Play a match. Return its result, or the fate of the player whose code has ended the process."""
        self.playing = True
        self.now[STOP] = 0
        with suppress(OSError):  # it has died meanwhile
            self._connection.send((job, fates, report is not None))
        if interrupted():
            self.now[STOP] = 1
        last, hung = ("", ""), False
        while not hung:
            deadline = self.now[DEADLINE]
            left = deadline + STUCK - time.monotonic() if deadline else STUCK
            ready = wait([self._connection, self._process.sentinel], min(STUCK, max(0.0, left)))
            if self._connection in ready:
                try:
                    message = self._connection.recv()
                except (EOFError, OSError):
                    break
                self.playing = isinstance(message, dict)
                if isinstance(message, ArenaError):
                    raise message
                if isinstance(message, dict):
                    if report is not None:
                        report(message)
                elif isinstance(result := message[0], MatchResult):
                    if message[1]:  # a thread of a bot still runs
                        self.end()
                    return result
                else:
                    last = message
            elif ready:
                break
            else:
                hung = deadline != 0 and deadline == self.now[DEADLINE] and time.monotonic() >= deadline + STUCK
        return self._fate(last, hung=hung)

    def _fate(self, last: tuple[str, str], *, hung: bool) -> dict[int, Fate]:
        """End the process, and return the fate of the player whose code ran."""
        if hung:
            self._process.kill()
        self._process.join()
        code = self._process.exitcode
        blocks = self._stacks.read_text("utf-8", "replace").split("\n\n")
        stack = next((block for block in reversed(blocks) if "(most recent call first)" in block), "")
        self.end()
        end = Exit(None, signal_name(-code)) if code is not None and code < 0 else Exit(code, "", code == TOO_LARGE)
        player, runs, said = (int(self.now[field]) for field in (PLAYER, RUNS, SAID))
        if player < 0:
            raise ArenaError(f"The match process ended without a result ({end.reason}).", exit_code=ExitCode.FAULT)
        stdout, stderr = last if any(last) else ("", stack)
        ending: Ending = "out_of_memory" if end.out_of_memory else "crashed"
        detail = end.reason
        if hung or code == HUNG:
            ending, detail = "timed_out", "its time had run out"
        return {player: Fate(runs, said, ending, detail, stdout, stderr)}

    def kill(self) -> None:
        """End the process. Any thread can call this method: `play` then returns."""
        self._process.kill()

    def end(self) -> None:
        """End the process, and remove what is left of it."""
        self.playing, self.spent = False, True
        self._process.kill()
        self._process.join()
        self._connection.close()
        with suppress(OSError):
            self._stacks.unlink()
