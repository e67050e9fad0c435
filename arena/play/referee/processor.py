"""Reserve the processor for the bots that must answer.

Referee and bots of a match share one processor. A bot that computes in another player's turn takes it away, so it is
frozen (`Processor`). The rest of this module measures, for the bot that must answer, how long it could run and did not
(`IdleTime`), and with `load.WaitingTime` how long it could not.

All checks come at random times, so that a bot cannot be quiet just then. What a check costs is given back to the seat
that must answer. docs/sandbox.md says the same for users, tests/bench/bench_processor.py measures the cost.
"""

from __future__ import annotations

import random
import time
from collections.abc import Mapping
from operator import itemgetter

from arena.bots.process import BotProcess
from arena.play.referee.load import (
    BUSY_SHARE,
    SHORTEST_WAIT,
    WaitingTime,
    has_normal_weight,
    stolen_seconds,
    waiting_share,
)

# Measure how long a bot that must answer was idle by its own choice.

SHORTEST_IDLE = 0.001
"""Seconds. A shorter idle time between two measurements is ignored: the two clocks are not read at the same moment."""
FULL_PIPE = 32 * 1024
"""Bytes. A bot that printed as much between two measurements can have waited until the referee had read them.

A pipe holds 64 KiB. Half of it is the careful side.
"""


class IdleTime:
    """Counts the time in which a bot neither ran nor waited for the processor, the disk or memory.

    All errors are in the bot's favour. The time before the first and after the last measurement of a request does not
    count, nor does the time by which a measurement is late, since then the whole machine can have been stopped.
    """

    __slots__ = ("_before", "_printed", "_process", "_seconds", "_stolen")

    def __init__(self, process: BotProcess) -> None:
        self._process = process
        self._printed = 0
        self.restart()

    def restart(self) -> None:
        """Begin again, because the bot got a message or was stopped."""
        self._before: tuple[float, int] | None = None
        self._stolen: float | None = None
        self._seconds = 0.0

    def measure(self, planned: float) -> None:
        """Measure the time since the previous call. `planned` is the time at which this call was due at the latest."""
        busy = self._process.busy_nanoseconds()
        if busy is None:
            return
        now = time.monotonic()
        before, self._before = self._before, (now, busy)
        printed, self._printed = self._printed, self._process.stdout.total + self._process.stderr.total
        if before is not None and self._printed - printed < FULL_PIPE:
            idle = min(now, planned) - before[0] - (busy - before[1]) / 1e9
            if idle > SHORTEST_IDLE:
                self._seconds += idle - self._newly_stolen(idle)

    def take(self) -> float:
        """Return the seconds that were measured since the previous call. They are negative after a correction."""
        seconds, self._seconds = self._seconds, 0.0
        return seconds

    def _newly_stolen(self, unknown: float) -> float:
        """Return the seconds that the host of a virtual machine took since the previous call."""
        before, self._stolen = self._stolen, stolen_seconds()
        return unknown if before is None else self._stolen - before


FIRST_CHECK = 0.01
LONGEST_INTERVAL = 0.03
"""A check looks for bots that use the processor while they do not have to answer.

`FIRST_CHECK` is the average time from a request to the first check, in seconds. The average time between later checks
grows up to `LONGEST_INTERVAL`. So most turns, which are shorter, have no check and no cost, and a thief takes 30 ms at
a time at most, which the other bot gets back.
"""
FREE_NANOSECONDS = 5_000_000
"""CPU time that a bot can use after its answer, to read the result, without counting as busy.

An honest bot in Python uses up to a few milliseconds for that. At level 3 they are charged one turn later.
"""


class Program:
    __slots__ = ("_waits_from", "idle", "process", "stopped", "uses_idle_time", "waiting")

    def __init__(self, process: BotProcess) -> None:
        self.process = process
        self.idle = IdleTime(process)
        self.waiting = WaitingTime(process)
        self.uses_idle_time = self.stopped = False
        self._waits_from: int | None = None

    def freeze(self) -> None:
        self.stopped = self.process.freeze()

    def thaw(self) -> None:
        """Let the bot continue if it was stopped."""
        if self.process.frozen:
            self.process.thaw()
            self.stopped = False

    def start_to_wait(self) -> None:
        self._waits_from = self.process.cpu_nanoseconds()

    def is_busy(self) -> bool:
        """Return whether the bot has used more than `FREE_NANOSECONDS` of CPU time since `start_to_wait`.

        If the CPU time of the bot is not measured, return whether the bot runs now. A stopped or ended bot is not busy.
        """
        if self.stopped or self.process.poll() is not None:
            return False
        cpu = self.process.cpu_nanoseconds()
        if cpu is None or self._waits_from is None:
            return self.process.runs()
        return cpu - self._waits_from > FREE_NANOSECONDS


class Processor:
    """Freezes (stops) bots that use the processor while they do not have to answer.

    Freezing and thawing a bot takes longer than many answers. So a bot is frozen only after it has used the processor
    during another player's turn. From then on it is frozen in all turns of others.

    Args:
        processes: The process of each player who has one.

    Attributes:
        next_check: The time at which the host should call `check`; None before the first request.
    """

    def __init__(self, processes: Mapping[int, BotProcess], *, freezes: bool) -> None:
        self.next_check: float | None = None
        self._programs = {player: Program(process) for player, process in processes.items()}
        self._freezes = freezes
        self._asked: list[bool] = []
        self._all_stopped_at: float | None = None
        self._lost = 0.0
        self._clean_at = 0.0
        self._interval = FIRST_CHECK

    def assign(self, asked: list[bool]) -> float:
        """Thaw the asked seats. Freeze the other seats whose bots have used the processor without being asked.

        Returns:
            The seconds in which asked seats could not run.
        """
        if asked == self._asked and self._all_stopped_at is None:
            return 0.0
        begin = ready = time.monotonic()
        if asked != self._asked:
            self._all_stopped_at = None
            self._lost = 0.0
            for program in self._programs.values():
                program.waiting.restart()
        since, self._all_stopped_at = self._all_stopped_at or begin, None
        self._asked = asked
        for program, is_asked in self._asked_last():
            program.idle.restart()
            if is_asked or not self._freezes:
                if is_asked:
                    ready = time.monotonic()
                program.thaw()
                program.waiting.resume()
                continue
            if program.uses_idle_time and not program.stopped:
                program.freeze()
            program.start_to_wait()
        self._clean_at = time.monotonic()
        self._interval = FIRST_CHECK
        self._plan_check(self._clean_at)
        return max(0.0, ready - since)

    def _asked_last(self) -> list[tuple[Program, bool]]:
        """Return all programs and whether they must answer, those that must at the end.

        So a bot that must answer runs only after the others have stopped, and stops only after them.
        """
        return sorted(self._programs_and_asked(), key=itemgetter(1))

    def _programs_and_asked(self) -> list[tuple[Program, bool]]:
        return [(program, self._asked[player]) for player, program in self._programs.items()]

    def check(self) -> float:
        """Freeze the bots that use the processor while they do not have to answer.

        Return the seconds since the last `check` or `assign` if there is such a bot, else 0. The asked bots can have
        lost this time.
        """
        resting = [program for program, is_asked in self._programs_and_asked() if self._freezes and not is_asked]
        busy = [program for program in resting if program.is_busy()]
        for program in busy:
            program.uses_idle_time = True
            program.freeze()
        now = time.monotonic()
        lost = now - self._clean_at if busy else 0.0
        self._clean_at = now
        self._lost += lost
        for program, is_asked in self._programs_and_asked():
            if is_asked:
                program.idle.measure(self.next_check or 0.0)
                if program.waiting.is_due() and self._freezes:
                    self._measure_waiting(program)
        if self._all_stopped_at is not None:
            now = time.monotonic()
            lost += now - self._all_stopped_at
            self._all_stopped_at = now
        self._plan_check(now)
        return lost

    def _measure_waiting(self, program: Program, shortest: float = 0.0) -> None:
        """Measure how long a bot waited, and if it did, how long any program has to wait.

        The latter needs the processor without the bots. So this method stops all bots then, until `assign` is called.
        """
        if self._all_stopped_at is not None:
            return
        passed, waited = program.waiting.since(self._lost)
        self._lost = 0.0
        if waited <= (shortest or BUSY_SHARE * passed):
            program.waiting.add(passed, waited, 0.0)
            return
        for stopped, is_asked in self._asked_last():
            stopped.freeze()
            # Until a bot is stopped, it runs or waits, and both are measured.
            if is_asked:
                self._all_stopped_at = self._all_stopped_at or time.monotonic()
        rest, more = program.waiting.since(0.0)
        program.waiting.add(passed + rest, waited + more, waiting_share())

    def take_idle(self, player: int) -> float:
        """Return the seconds in which a seat could run and did not, as far as `check` saw it since the last call."""
        return self._programs[player].idle.take()

    def take_entitled(self, player: int) -> float:
        """Return the seconds in which a program of normal weight would have run, as measured since the last call."""
        return self._programs[player].waiting.take_entitled()

    def _plan_check(self, now: float) -> None:
        # The time is random, so that a bot cannot predict the check.
        self.next_check = now + self._interval * random.uniform(0.5, 1.5)
        self._interval = min(2 * self._interval, LONGEST_INTERVAL)

    def kept_waiting(self, player: int) -> float:
        """Return the seconds in which programs other than the bots have kept a seat from running.

        The first call after a request counts from the first `check` after this request. Later calls count from the
        previous call. The method can stop all bots until `assign` is called.
        """
        program = self._programs[player]
        self._measure_waiting(program, SHORTEST_WAIT)
        seconds = program.waiting.take()
        return seconds if seconds and has_normal_weight(program.process) else 0.0
