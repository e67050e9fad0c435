"""What a worker process says of the code that runs in it, so that its end is the end of one player.

A process that hangs, or that a bot ends, takes the match with it. But others can see in shared memory whose code ran,
and how far it was. From this they make a `Fate`, and the match is played again: the bots do the same with the same
seed, and the fate comes at its moment. So the match has this ending, everything up to there, and a next turn if others
play on.
"""

from __future__ import annotations

from collections.abc import Callable, MutableSequence
from typing import NamedTuple

from arena.match.ending import Ending
from arena.play.memory.notes import SeatOutput

FIELDS = 5
PLAYER, RUNS, SAID, DEADLINE, STOP = range(FIELDS)
NOBODY = -1.0
ALARM_TOLERANCE = 0.25
"""Seconds by which an alarm can differ from the end of the time. To set one takes longer than many a bot thinks."""
POLL = 0.1
"""Seconds between two looks whether a match is to end while a player thinks whose code does not run here."""


class StoppedError(Exception):
    """The match is to end while such a player thinks."""


class Fate(NamedTuple):
    """The end of a player's code, in its run number `runs` after it has sent `said` messages.

    Attributes:
        stdout: What the code printed after its last message.
        stderr: What it printed there, and the stack where its time ran out.
    """

    runs: int
    said: int
    ending: Ending
    detail: str
    stdout: str = ""
    stderr: str = ""


class Watch:
    """Says whose code runs.

    Args:
        now: Shared memory with `FIELDS` numbers.
        alarm: Called with the time at which a player's time is over, if that has changed.

    Attributes:
        fates: The fates of players in the match, by player.
        output: What the player prints whose code ran last.
    """

    def __init__(self, now: MutableSequence[float], alarm: Callable[[float], object]) -> None:
        self.fates: dict[int, Fate] = {}
        self.output: SeatOutput | None = None
        self.now = now
        self._alarm = alarm
        self._alarm_at = 0.0

    @property
    def stopped(self) -> bool:
        """Whether the match must end now."""
        return bool(self.now[STOP])

    def begin_match(self, fates: dict[int, Fate]) -> None:
        """Forget the match before."""
        self.fates = fates
        self._alarm_at = 0.0

    def begin(self, player: int, output: SeatOutput, runs: int, said: int, deadline: float | None) -> None:
        """Say that code of a player begins to run, and until when it may (`time.monotonic`); None for no limit."""
        self.output = output
        self.now[RUNS], self.now[SAID] = runs, said
        self.now[PLAYER], self.now[DEADLINE] = player, deadline or 0.0
        if deadline and abs(deadline - self._alarm_at) > ALARM_TOLERANCE:
            self._alarm_at = deadline
            self._alarm(deadline)

    def say(self, said: int) -> None:
        """Say how many messages the player has sent."""
        self.now[SAID] = said

    def end(self) -> None:
        """Say that no code of a player runs."""
        self.now[PLAYER], self.now[DEADLINE] = NOBODY, 0.0
