"""Measure the speed of a machine, so that clocks can be scaled to it."""

import os
import time
from collections.abc import Mapping
from functools import lru_cache

SPEED_VARIABLE = "ARENA_WORKER_SPEED"
"""The environment variable with this machine's speed in the unit of `measure`. It replaces the measurement."""
_SLICES = 25
_ROUNDS = 100_000
_SAME = 0.1
"""Smaller relative differences in speed are ignored: the measurement is not more precise than 10 %."""
_MOST = 4.0
"""The largest factor for clocks. Grace and waiting times are not scaled, so a larger factor would be unfair."""
_REMEASURE_SECONDS = 600
_STRETCHED = ("startup", "bank", "increment", "turn", "turn_wall")


class UnsuitableMachineError(Exception):
    """This machine cannot play the tournament: its speed or its programs are too different from the organizer's."""

    def __init__(self, message: str, address: str = "") -> None:
        super().__init__(message, address)
        self.address = address

    def __str__(self) -> str:
        return str(self.args[0])


def measure() -> float:
    """Measure the speed of this machine, in millions of runs of a simple loop per second of processor time.

    Measure many short slices of the loop, a quarter of a second together, and return the speed of the fastest slice.
    So other processes have little influence.
    """
    return _ROUNDS / 1e6 / min(_slice() for _ in range(_SLICES))


def _slice() -> float:
    begun = time.thread_time()
    value = 1
    for number in range(_ROUNDS):
        value = (value * 31 + number) & 0xFFFF
    return time.thread_time() - begun


def own_speed() -> float:
    """Return the speed of this machine: the configured one, or a measurement of the last ten minutes."""
    given = os.environ.get(SPEED_VARIABLE, "")
    return float(given) if given else _measured(int(time.monotonic() // _REMEASURE_SECONDS))


@lru_cache(maxsize=1)
def _measured(period: int) -> float:  # noqa: ARG001 - a new period is measured anew
    return measure()


def clock_factor(reference: float, speed: float) -> float:
    factor = reference / speed
    if not 1 / _MOST <= factor <= _MOST:
        raise UnsuitableMachineError(
            f"the worker on {os.uname().nodename} runs at {speed / reference:.2f} times the organizer's speed; "
            f"clocks can be scaled by a factor of {_MOST:g} at most"
        )
    return 1.0 if abs(factor - 1.0) < _SAME else round(factor, 3)


def stretched(clock: Mapping[str, float | None], factor: float) -> dict[str, float | None]:
    """Return a clock with all times except the grace multiplied by a factor. None stays None."""
    return {
        name: value * factor if name in _STRETCHED and value is not None else value for name, value in clock.items()
    }
