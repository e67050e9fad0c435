"""A figure, its floor and its target; and how long something takes."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from statistics import median
from typing import Any


@dataclass(frozen=True, slots=True)
class Figure:
    """One measurement.

    Attributes:
        name: What was measured.
        value: The median, in `unit`.
        unit: us, ms, s, KB, 1/s, x.
        target: What it should be at most (rates: at least); None without a target.
        floor: The same kind of thing with nothing of ours in it; None without a floor.
        note: What the floor is, or further percentiles.
    """

    name: str
    value: float
    unit: str
    target: float | None = None
    floor: float | None = None
    note: str = ""

    @property
    def ratio(self) -> float | None:
        """How many times the floor."""
        return None if not self.floor else self.value / self.floor

    @property
    def good(self) -> bool | None:
        """Whether the target is met; None without one."""
        if self.target is None:
            return None
        return self.value >= self.target if self.unit == "1/s" else self.value <= self.target

    def to_document(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return {**asdict(self), "ratio": self.ratio, "good": self.good}


def time_of(work: Callable[[], Any], *, rounds: int = 30, inner: int = 1) -> float:
    """Return the median seconds of one call.

    Args:
        work: What is measured.
        rounds: How many times it is measured.
        inner: How many calls make one measurement.
    """
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        for _ in range(inner):
            work()
        times.append((time.perf_counter() - start) / inner)
    return median(times)


def percentile(values: Iterable[float], part: float) -> float:
    """Return the value below which a part (0..1) of the values lies."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(part * len(ordered)))]
