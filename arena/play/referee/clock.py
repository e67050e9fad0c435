"""The clock of one player: bank, increment, limit per turn, grace. Callers pass the clock readings.

The limits apply to the CPU time of the player's program where it is measured, so that a busy machine costs nobody a
match (docs/decisions/005-cpu-time-decides.md). But a program can take wall time without CPU time: it sleeps, or waits.
So three more limits hold then: idle time (it could run and did not), guards of wall time, and `turn_wall` of the
settings.

Wall time for which other programs kept the player from running is given back (`give_back_waiting`), in a turn at most
until it has lasted for twice its guard. Then the match is void, if no program would have had its limit meanwhile.

A reading of the clocks is wall time and CPU time at one moment. Callers read before they ask for a verdict: `is_over`
is cheap as long as no limit can have passed (`check_at`), since it runs for each message.
"""

from __future__ import annotations

from math import inf
from typing import NamedTuple

from arena.game import Clock

GUARD_FACTOR = 4.0
GUARD_SECONDS = 1.0
MATCH_GUARD_SECONDS = 10.0
"""If limits are in CPU time, two guards also limit the wall time, since a bot can wait for the disk or for itself:

* In one turn: ``GUARD_FACTOR`` x (the turn's limit + grace) + ``GUARD_SECONDS``.
* In all turns of a player: ``GUARD_FACTOR`` x (the sum of the limits so far + one grace for each turn) +
  ``MATCH_GUARD_SECONDS``.

The time in which a player could use the processor and did not has narrower limits, where it is measured: in one turn
the turn's limit + grace, and in all turns of a player the sum of the limits so far + one grace for each turn.

On a busy machine wall time is two to three times the CPU time: the factor is above that. The seconds are for short
limits, where one pause of the machine is longer than four limits; chosen, not measured.
"""
FAIR_FACTOR = 1.5
"""A player who waits for other programs has no excuse if a program of normal weight would have had this many limits of
processor time. A program that computes has had one. The rest is for errors of the measurement, which are below a third.
"""
STEPS = 8
"""The parts of a guard in which waiting is given back.

Between two of them, probes can show that a program of normal weight would have had its limit. Fewer parts would notice
it late, more would only read clocks more often: probes have the same interval (`load.PROBES`).
"""
SHORTEST_WAIT = 0.001
"""Seconds. The next check of a limit of CPU time is at least so far away: an earlier one would find almost the same."""


class Reading(NamedTuple):
    """The clocks of a seat at one moment.

    Attributes:
        cpu: CPU seconds of the seat's processes so far; None if they cannot be measured exactly.
        unread: The number of bytes that wait to be sent to the program, because it does not read.
    """

    wall: float
    cpu: float | None = None
    unread: int = 0


class UsedTime:
    """Time used, in seconds.

    Attributes:
        cpu: CPU time; None if it was not measured.
        idle: Time in which the player could use the processor and did not, as far as it was measured.
        entitled: Time for which a program of normal weight would have had the processor, as far as it was measured.
        returned: Time that was given back because other programs used the processor. `wall` does not contain it.
    """

    __slots__ = ("cpu", "entitled", "idle", "returned", "wall")

    def __init__(self, wall: float = 0.0, cpu: float | None = None) -> None:
        self.wall = wall
        self.cpu = cpu
        self.idle = self.entitled = self.returned = 0.0

    def would_have_had(self, seconds: float) -> bool:
        """Return whether a program of normal weight would have had this processor time, besides the idle time."""
        return self.entitled - self.idle >= seconds

    @property
    def deciding(self) -> float:
        """The time to compare with the limits: CPU time if it was measured, else wall time."""
        return self.wall if self.cpu is None else self.cpu

    def add(self, wall: float, cpu: float | None) -> None:
        self.wall += wall
        if cpu is not None:
            self.cpu = cpu if self.cpu is None else self.cpu + cpu


class SeatClock:
    """The clock of one player.

    It runs only from "request sent" to "reply complete". If CPU time is measured, the limits apply to CPU time, and
    guards limit the wall time (see `MATCH_GUARD_SECONDS`). Otherwise the limits apply to wall time.

    CPU time that a program uses without an open request is charged one turn later: the request for a turn contains the
    time that is left, and is made before the clock is read.

    Args:
        charges_rest: Whether CPU time without an open request is charged.

    Attributes:
        bank: Seconds left for the whole game; None without a bank.
        turn: The number of the player's latest turn; None before the first.
        idle_cpu: CPU seconds used without an open request; None if they were not measured.
        worst: The time used in the longest turn so far: CPU seconds if they were measured, else wall seconds.
        check_at: The wall time at which the caller should call `is_over` next; None if no limit can pass.
    """

    def __init__(self, settings: Clock, *, charges_rest: bool = False) -> None:
        self.settings = settings
        self._charges_rest = charges_rest
        self._owed = 0.0
        self.bank = settings.bank
        self.turn_time = UsedTime()
        self.match_time = UsedTime()
        self.turns = 0
        self.worst = 0.0
        self.turn: int | None = None
        self._began: Reading | None = None
        self._cpu_at_rest: float | None = None
        self._granted = settings.bank or 0.0
        self._guard = self._match_guard = 0.0
        self._kept_waiting = 0.0
        self._idle_limit: float | None = None
        self._shortest_limit = inf
        self.idle_cpu: float | None = None
        self.check_at: float | None = None

    def start(self, reading: Reading) -> None:
        """Start to count time when a request is sent."""
        if reading.cpu is not None and self._cpu_at_rest is not None:
            rest = reading.cpu - self._cpu_at_rest
            self.idle_cpu = (self.idle_cpu or 0.0) + rest
            self._owed += rest
        self._began = reading
        soonest, wall = self._limit(), self._wall_left()
        if soonest is not None and reading.cpu is not None:
            # A bot on one processor uses at most one CPU second per wall second, so no limit can pass before `soonest`.
            soonest = min(soonest, self._guard_left(), self._idle_left())
        if wall is not None and (soonest is None or wall < soonest):
            soonest = wall
        self.check_at = None if soonest is None else reading.wall + soonest

    def begin_turn(self, turn: int) -> None:
        """Begin a new turn: add the increment to the bank, and reset the limit and the guard of the turn."""
        self.turn = turn
        self.turns += 1
        self.turn_time = UsedTime()
        if self.bank is not None:
            self.bank += self.settings.increment
            self._granted += self.settings.increment
        elif self.settings.turn is not None:
            self._granted += self.settings.turn
        self._kept_waiting = 0.0
        self._idle_limit = self._limit()
        self._shortest_limit = min(limit for limit in (self._idle_limit, self._wall_left(), inf) if limit is not None)
        self._guard = GUARD_FACTOR * (self._idle_limit or 0.0) + GUARD_SECONDS
        self._match_guard = GUARD_FACTOR * self._all_limits() + MATCH_GUARD_SECONDS
        self._charge_rest()

    def _charge_rest(self) -> None:
        """Charge the CPU time that the program has used between its answers and the requests so far."""
        owed, self._owed = self._owed, 0.0
        if self._charges_rest and owed:
            self.turn_time.add(0.0, owed)
            self.match_time.add(0.0, owed)
            if self.bank is not None:
                self.bank = max(0.0, self.bank - owed)

    def skip_turn(self, turn: int) -> None:
        """Begin a turn that the referee plays for a player who left. `turns` does not count such turns."""
        self.turn = turn
        self.turn_time = UsedTime()

    def stop(self, reading: Reading) -> None:
        """Stop counting time when the reply is complete."""
        if self._began is None:
            return
        used = self._used(reading)
        self.turn_time.add(used.wall, used.cpu)
        self.match_time.add(used.wall, used.cpu)
        self.worst = max(self.worst, self.turn_time.deciding)
        if self.bank is not None:
            self.bank = max(0.0, self.bank - used.deciding)
        self._began = None
        self._cpu_at_rest = reading.cpu
        self.check_at = None

    def rest(self, reading: Reading) -> None:
        """Begin to measure the CPU time without an open request, when the program has started up."""
        self._cpu_at_rest = reading.cpu

    def left(self) -> float | None:
        """Return the time limit, in seconds, for the open or the next request; None without a limit.

        The limit does not include the grace. The time used since the open request was sent is not subtracted.
        """
        turn = self.turn_left()
        if self.bank is None or (turn is not None and turn < self.bank):
            return turn
        return self.bank

    def turn_left(self) -> float | None:
        """Return the turn's limit minus the time of its answered requests, in seconds; None if turns have no limit."""
        return None if self.settings.turn is None else max(0.0, self.settings.turn - self.turn_time.deciding)

    def microseconds(self) -> tuple[int, int | None, int | None]:
        """Return wall and CPU time of the current turn, and the bank, in whole microseconds."""
        used = self.turn_time
        cpu = None if used.cpu is None else round(used.cpu * 1e6)
        return round(used.wall * 1e6), cpu, None if self.bank is None else round(self.bank * 1e6)

    def is_over(self, reading: Reading) -> bool:
        """Return whether a limit with its grace has passed without a reply. If not, plan the next call (`check_at`)."""
        if self._began is None or self.check_at is None or reading.wall < self.check_at:
            return False
        limit, wall = self._limit(), self._wall_left()
        used = self._used(reading)
        if wall is not None and used.wall > wall:
            return True
        if limit is None or used.cpu is None:
            return limit is not None and used.wall > limit
        guard = self._guard_left() if wall is None else min(wall, self._guard_left())
        idle = self._idle_left()
        if used.cpu > limit or used.wall > guard or idle < 0:
            return True
        self.check_at = min(self._began.wall + guard, reading.wall + max(min(limit - used.cpu, idle), SHORTEST_WAIT))
        return False

    def overrun(self, reading: Reading) -> float:
        """Return the seconds by which the used wall time exceeds a limit of wall time.

        Return 0 if no such limit has passed, or if a limit of CPU time or of idle time has passed.
        """
        limit, wall = self._limit(), self._wall_left()
        used = self._used(reading)
        if self._began is None or self._idle_left() < 0:
            return 0.0
        if limit is not None and used.cpu is not None and used.cpu > limit:
            return 0.0
        if limit is not None:
            decides = limit if used.cpu is None else self._guard_left()
            wall = decides if wall is None else min(wall, decides)
        return 0.0 if wall is None else max(0.0, used.wall - wall)

    def limit_passed(self, reading: Reading) -> str:
        wall = self._wall_left()
        if wall is not None and self._used(reading).wall > wall:
            return f"{seconds_in_words(self.settings.turn_wall)} of wall time"
        if self._idle_left() < 0:
            return f"{seconds_in_words(self._idle_limit)} without using the processor"
        return seconds_in_words(self.left())

    def give_back(self, seconds: float) -> None:
        """Do not count these seconds as used wall time, because the player could not use the processor."""
        if self._began is not None:
            self._began = self._began._replace(wall=self._began.wall + seconds)
        if self.check_at is not None:
            self.check_at += seconds

    def give_back_waiting(self, reading: Reading, seconds: float) -> bool:
        """Give back seconds in which other programs kept the player from running, if the player is late without them.

        Nothing is given back if a program of normal weight would have had `FAIR_FACTOR` limits of processor time: then
        the player's time is over. It is given back in steps, so that this is noticed soon.

        A turn takes at most twice its guard, as it is for the shorter one of the limits of this turn.

        Returns:
            Whether the turn has taken twice its guard although no program would have had its limit.
        """
        self._kept_waiting += seconds
        late = self.overrun(reading)
        if late >= self._kept_waiting or self._could_have_had(FAIR_FACTOR):
            return False
        guard = GUARD_FACTOR * self._shortest_limit + GUARD_SECONDS
        room = 2 * guard - self.turn_time.wall - self._used(reading).wall - self.turn_time.returned
        if room <= 0:
            return not self._could_have_had(1.0)
        returned = min(self._kept_waiting, late + min(room, guard / STEPS))
        self._kept_waiting -= returned
        self.turn_time.returned += returned
        self.give_back(returned)
        return False

    def count_entitled(self, seconds: float) -> None:
        """Count seconds of the open request for which a program of normal weight would have had the processor."""
        if self._began is not None:
            self.turn_time.entitled += seconds
            self.match_time.entitled += seconds

    def count_idle(self, seconds: float) -> None:
        """Count seconds of the open request in which the player could use the processor and did not.

        A negative number corrects earlier calls.
        """
        if self._began is not None:
            self.turn_time.idle += seconds
            self.match_time.idle += seconds

    def _could_have_had(self, factor: float) -> bool:
        """Return whether a program of normal weight would have had a limit, times `factor`, of processor time."""
        in_match = self._idle_limit is not None and self.match_time.would_have_had(factor * self._all_limits())
        return in_match or self.turn_time.would_have_had(factor * self._shortest_limit)

    def _limit(self) -> float | None:
        left = self.left()
        return None if left is None else left + self.settings.grace

    def _wall_left(self) -> float | None:
        """Return the wall seconds that `turn_wall` and grace leave for the open request; None without this limit."""
        limit = self.settings.turn_wall
        return None if limit is None else limit + self.settings.grace - self.turn_time.wall

    def _guard_left(self) -> float:
        """Return the wall seconds that the guards leave for the open request. Only for limits in CPU time."""
        return min(self._guard - self.turn_time.wall, self._match_guard - self.match_time.wall)

    def _idle_left(self) -> float:
        """Return the idle seconds that are left for the open request; infinite without a limit."""
        if self._idle_limit is None:
            return inf
        return min(self._idle_limit - self.turn_time.idle, self._all_limits() - self.match_time.idle)

    def _all_limits(self) -> float:
        return self._granted + self.turns * self.settings.grace

    def _used(self, reading: Reading) -> UsedTime:
        if self._began is None:
            return UsedTime()
        wall = reading.wall - self._began.wall
        cpu = None if reading.cpu is None or self._began.cpu is None else reading.cpu - self._began.cpu
        return UsedTime(wall, cpu)


def seconds_in_words(limit: float | None) -> str:
    """Return a limit of time to the millisecond, such as ``10 s`` or ``0.25 s``."""
    return f"{round(limit or 0.0, 3):g} s"
