"""How far a match is that is shown: a function of the match, of the minutes it may take, and of what a presenter does.

A turn takes the same time as the others, but those around a deciding moment take longer. Nothing is remembered but by
the journal: after an outage the match goes on where it was, since the time of the outage is a pause.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Final

from arena.web.contests.extending import GrownReplay
from arena_show.fold import Pace

_SLOW, AROUND = 3.0, 3
"""So many times longer takes a turn that is at most so many turns away from a moment."""
_LONGEST, _LEAST = 1.5, 0.02
"""The limits for the seconds of a turn: a short match does not stand still, and eyes see no more than 50 a second."""
_FIRST: Final = 3.0
"""Seconds for which the position before the first turn stands."""
_FASTER: Final = 1.5
_LONGER: Final = 2.0
"""A match takes so many times its minutes at most, however many turns it has."""
_CLEAR: Final = 0.12
"""The least change of an estimate in one turn that is a moment."""
_MOMENTS: Final = 4


@dataclass(frozen=True, slots=True)
class Moment:
    """A turn that changed much.

    Attributes:
        turn: The number of turns that have ended with it.
        player: The seat of who gained most.
    """

    turn: int
    player: int


def moments_of(advantage: Sequence[Sequence[float]] | None) -> list[Moment]:
    """Return the turns after which the game's estimates differ most from those before, in their order."""
    if not advantage:
        return []
    changes = []
    for turn in range(1, len(advantage[0])):
        gains = [values[turn] - values[turn - 1] for values in advantage]
        if max(gains) >= _CLEAR:
            changes.append((max(gains), Moment(turn, gains.index(max(gains)))))
    changes.sort(key=lambda change: -change[0])
    return sorted((moment for _, moment in changes[:_MOMENTS]), key=lambda moment: moment.turn)


class Playhead:
    """Where a match is at which time.

    Its first turns must not tell how many come: the speed follows from the usual number of turns.

    Args:
        usual: The usual number of turns of a match; 0 if it is not known.

    Attributes:
        seconds: How long the match takes at the usual speed.
    """

    def __init__(self, replay: GrownReplay, minutes: float, moments: Sequence[Moment] = (), usual: float = 0.0) -> None:
        self._ends = [end for _, end in replay.ends]
        self.turns = len(self._ends) - 1
        self._moments = moments
        near = {moment.turn + step for moment in moments for step in range(-AROUND, AROUND + 1)}
        weights = [_SLOW if turn in near else 1.0 for turn in range(1, self.turns + 1)]
        turns = max(1.0, usual or self.turns, self.turns / _LONGER) + _MOMENTS * (2 * AROUND + 1) * (_SLOW - 1.0)
        seconds = min(_LONGEST, max(_LEAST, (60 * minutes - _FIRST) / turns))
        self._times = [*accumulate((seconds * weight for weight in weights), initial=_FIRST)][1:]
        self.seconds = self._times[-1] if self.turns else _FIRST

    def turn_at(self, elapsed: float) -> int:
        """Return how many turns have ended after so many seconds at the usual speed."""
        return bisect_right(self._times, elapsed)

    def time_of(self, turn: int) -> float:
        """Return after how many seconds so many turns have ended."""
        return self._times[min(turn, self.turns) - 1] if turn > 0 and self.turns else 0.0

    def size_at(self, elapsed: float) -> int:
        """Return how many bytes of the replay there are after so many seconds."""
        return self._ends[self.turn_at(elapsed)]

    def elapsed(self, since: float, pace: Sequence[Pace], now: float) -> float:
        """Return how many seconds at the usual speed have passed.

        Args:
            since: When the match began to be shown.
            pace: What a presenter has done since.
        """
        at, passed, factor, running = since, 0.0, 1.0, True
        for change in pace:
            passed += factor * (change.at - at) * running
            at = change.at
            match change.what:
                case "pause" | "resume":
                    running = change.what == "resume"
                case "slower" | "faster":
                    factor *= _FASTER if change.what == "faster" else 1 / _FASTER
                case "moment":
                    passed = max(passed, self.time_of(self.next_moment(passed) - AROUND))
        return max(0.0, passed + factor * (now - at) * running)

    def next_moment(self, elapsed: float) -> int:
        """Return the turn of the next deciding moment; 0 if none is left, so that nobody jumps to the end."""
        turn = self.turn_at(elapsed)
        return next((moment.turn for moment in self._moments if moment.turn - AROUND > turn), 0)


def speed_of(pace: Sequence[Pace]) -> float:
    """Return the speed in comparison with the usual one."""
    done = [change.what for change in pace]
    return round(_FASTER ** (done.count("faster") - done.count("slower")), 2)
