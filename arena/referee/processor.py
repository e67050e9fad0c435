"""Reserve the processor for the bots that must answer."""

from __future__ import annotations

import random
import time
from collections.abc import Mapping
from operator import itemgetter

from arena.bots.process import BotProcess
from arena.referee.idle import IdleTime
from arena.referee.load import Load, is_machine_busy, kept_waiting, measure

FIRST_CHECK = 0.01
LONGEST_INTERVAL = 0.03
"""A check looks for bots that use the processor while they do not have to answer.

`FIRST_CHECK` is the average time from a request to the first check, in seconds. The average time between later checks
grows up to `LONGEST_INTERVAL`.
"""
FREE_NANOSECONDS = 5_000_000
"""CPU time that a bot can use after its answer, to read the result, without counting as busy."""
SHORTEST_WAIT = 0.005
"""Seconds. A shorter wait for the processor is ignored."""


class Program:
    __slots__ = ("_waits_from", "idle", "process", "stopped", "uses_idle_time")

    def __init__(self, process: BotProcess) -> None:
        self.process = process
        self.idle = IdleTime(process)
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
        self._all_stopped = False
        self._stopped_for = self._lost = 0.0
        self._clean_at = 0.0
        self._interval = FIRST_CHECK
        self._loads: dict[int, Load] = {}

    def assign(self, asked: list[bool]) -> float:
        """Thaw the asked seats. Freeze the other seats whose bots have used the processor without being asked.

        Returns:
            The seconds in which asked seats could not run.
        """
        if asked == self._asked and not self._all_stopped:
            return 0.0
        begin = time.monotonic()
        if asked != self._asked:
            self._loads.clear()
            self._stopped_for = self._lost = 0.0
        self._asked, self._all_stopped = asked, False
        ready = begin
        for program, is_asked in self._waiting_first():
            program.idle.restart()
            if is_asked or not self._freezes:
                ready = time.monotonic() if is_asked else ready
                program.thaw()
                continue
            if program.uses_idle_time and not program.stopped:
                program.freeze()
            program.start_to_wait()
        self._clean_at = time.monotonic()
        self._interval = FIRST_CHECK
        self._plan_check(self._clean_at)
        seconds, self._stopped_for = self._stopped_for + ready - begin, 0.0
        return seconds

    def _waiting_first(self) -> list[tuple[Program, bool]]:
        """Return all programs and whether they must answer, those that must at the end."""
        return sorted(self._with_asked(), key=itemgetter(1))

    def _with_asked(self) -> list[tuple[Program, bool]]:
        return [(program, self._asked[player]) for player, program in self._programs.items()]

    def check(self) -> float:
        """Freeze the bots that use the processor while they do not have to answer.

        Return the seconds since the last `check` or `assign` if there is such a bot, else 0. The asked bots can have
        lost this time.
        """
        busy = [
            program for program, is_asked in self._with_asked() if self._freezes and not is_asked and program.is_busy()
        ]
        for program in busy:
            program.uses_idle_time = True
            program.freeze()
        for player in self._programs:
            if self._asked[player]:
                self._measure(player)
        now = time.monotonic()
        lost = now - self._clean_at if busy else 0.0
        self._clean_at = now
        self._lost += lost
        self._plan_check(now)
        return lost

    def _measure(self, player: int) -> None:
        program = self._programs[player]
        program.idle.measure(self.next_check or 0.0)
        if player not in self._loads:
            self._loads[player] = measure(program.process)

    def take_idle(self, player: int) -> float:
        """Return the seconds in which a seat could run and did not, as far as `check` saw it since the last call."""
        return self._programs[player].idle.take()

    def _plan_check(self, now: float) -> None:
        # The time is random, so that a bot cannot predict the check.
        self.next_check = now + self._interval * random.uniform(0.5, 1.5)
        self._interval = min(2 * self._interval, LONGEST_INTERVAL)

    def kept_waiting(self, player: int) -> float:
        """Return the seconds in which programs other than the bots have kept a seat from running.

        The first call after a request counts from the first `check` after this request. Later calls count from the
        previous call. To test whether other programs keep the referee from running, this method stops all bots until
        `assign` is called.
        """
        self._all_stopped = True
        begin = 0.0
        for program, is_asked in self._waiting_first():
            program.freeze()
            # Until a bot is stopped, it runs or waits, and both are measured.
            begin = begin or (time.monotonic() if is_asked else 0.0)
        before, after = self._loads.get(player), measure(self._programs[player].process)
        self._loads[player] = after
        seconds = 0.0 if before is None else kept_waiting(before, after)
        if self._lost:  # the waiting includes what `check` has returned
            known = min(seconds, self._lost)
            self._lost, seconds = self._lost - known, seconds - known
        if seconds < SHORTEST_WAIT or not is_machine_busy():
            return 0.0
        self._stopped_for += time.monotonic() - begin
        return seconds
