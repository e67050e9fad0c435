"""What the kernel says about bots that run, wait for the processor, or are idle."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from typing import Any

import pytest
from waiting import until

from arena.bots.probe import examine
from arena.play.referee.processor import IdleTime

pytestmark = [pytest.mark.sandbox, pytest.mark.alone]

SPINS = "print(1, flush=True)\nwhile True: pass\n"
SLEEPS = "import time\nprint(1, flush=True)\ntime.sleep(60)\n"
SPINS_IN_SESSIONS = """
import os
for _ in range(5):
    if os.fork() == 0:
        os.setsid()
        while True: pass
print(1, flush=True)
while True: pass
"""
PRINTS = """
import time
print(1, flush=True)
while True:
    print("x" * 4095, flush=True)
    time.sleep(0.002)
"""


@pytest.fixture(autouse=True)
def one_processor() -> Iterator[None]:
    allowed = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(allowed)})
    yield
    os.sched_setaffinity(0, allowed)


@pytest.fixture
def start(ring: Any) -> Any:
    if examine(3).isolation.level < 3:
        pytest.skip("an exact clock needs a control group")

    def start(source: str, seat: int = 0) -> Any:
        process = ring.start(source, 3, seat=seat)
        until(process.stdout.drain)
        if process.busy_nanoseconds() is None:
            process.close()
            pytest.skip("this kernel does not measure stalls")
        return process

    return start


def seconds_of(process: Any, seconds: float) -> tuple[float, float, float]:
    """Return the wall, CPU and busy seconds in a while."""
    began, cpu, busy = time.monotonic(), process.cpu_nanoseconds(), process.busy_nanoseconds()
    time.sleep(seconds)
    busy, cpu = process.busy_nanoseconds() - busy, process.cpu_nanoseconds() - cpu
    return time.monotonic() - began, cpu / 1e9, busy / 1e9


def test_who_waits_for_the_processor_is_busy(start: Any) -> None:
    with start(SPINS, 0) as first, start(SPINS, 1):
        wall, cpu, busy = seconds_of(first, 0.6)
    assert cpu < 0.8 * wall
    assert busy > 0.95 * wall


def test_who_waits_for_its_own_processes_waits_for_nobody_else(start: Any) -> None:
    for source in (SPINS, SPINS_IN_SESSIONS):
        with start(source, 0) as first, start(SPINS, 1):
            before = first.waiting_nanoseconds()
            wall, cpu, _ = seconds_of(first, 0.6)
            waited = (first.waiting_nanoseconds() - before) / 1e9
        assert 0.95 * wall < cpu + waited < 1.1 * wall


def test_who_sleeps_is_not_busy(start: Any) -> None:
    with start(SLEEPS, 0) as sleeper, start(SPINS, 1):
        _, _, busy = seconds_of(sleeper, 0.3)
    assert busy < 0.01


def idle_in(process: Any, seconds: float, planned: float) -> float:
    """Return the idle time that counts in a while, if the measurement was planned some seconds after its begin."""
    idle = IdleTime(process)
    for _ in range(2):  # the first two measurements have nothing to compare with
        idle.measure(time.monotonic())
        time.sleep(0.01)
    idle.measure(time.monotonic())
    assert idle.take() < 0.02
    begin, end = time.monotonic(), time.monotonic() + seconds
    while time.monotonic() < end:
        process.stdout.drain()
        time.sleep(0.005)
    idle.measure(begin + planned)
    return idle.take()


def test_idle_time_counts_until_the_measurement_was_due(start: Any) -> None:
    with start(SLEEPS) as sleeper:
        assert 0.25 < idle_in(sleeper, 0.3, 9.0) < 0.6
        assert idle_in(sleeper, 0.3, 0.05) < 0.06


def test_who_spins_is_never_idle(start: Any) -> None:
    with start(SPINS, 0) as first, start(SPINS, 1):
        assert idle_in(first, 0.5, 9.0) < 0.02


def test_who_may_wait_for_a_reader_of_its_output_is_not_idle(start: Any) -> None:
    with start(PRINTS) as printer:
        assert idle_in(printer, 0.3, 9.0) == 0.0
