"""The time that a bot gets back because other programs used the processor, against what it really lost."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from arena.bots.bot import load_bot
from arena.bots.launch import launch
from arena.bots.process import BotProcess
from arena.play.referee.load import has_normal_weight, measure
from arena.play.referee.processor import Processor

pytestmark = [pytest.mark.alone, pytest.mark.process, pytest.mark.skipif(sys.platform != "linux", reason="needs Linux")]

BUSY = "while True: pass"
CLOCK_STEP = 2 / os.sysconf("SC_CLK_TCK")
"""Seconds by which two readings of a process's CPU time may be wrong."""


@pytest.fixture
def crowd() -> Iterator[list[subprocess.Popen[bytes]]]:
    """Five busy programs on the processor that this test and its bot use."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(before)})
    programs = [subprocess.Popen([sys.executable, "-c", BUSY]) for _ in range(5)]
    yield programs
    for program in programs:
        program.kill()
        program.wait()
    os.sched_setaffinity(0, before)


@contextmanager
def running(source: str, folder: Path) -> Iterator[BotProcess]:
    (folder / "bot.py").write_text(source)
    process = launch(load_bot(folder / "bot.py"), seat=0, socket=folder / "seat", sandbox="none")
    try:
        yield process
    finally:
        process.kill()


def test_nobody_gets_more_time_back_than_passed(tmp_path: Path, crowd: None) -> None:
    with running(BUSY, tmp_path) as process:
        processor = Processor({0: process}, freezes=True)
        processor.assign([True])
        ran = measure(process).used
        time.sleep(0.02)
        processor.check()
        began, back = time.monotonic(), 0.0
        for _ in range(8):
            time.sleep(0.05)
            back += processor.check()
            back += processor.kept_waiting(0)
            back += processor.assign([True])
        passed = time.monotonic() - began
        assert back > 0.1, "other programs kept the bot waiting"
        assert back + measure(process).used - ran <= passed + CLOCK_STEP


@dataclass(frozen=True)
class Waited:
    """What a busy bot lost in a while, in seconds: by other programs, and by the referee that stopped it."""

    passed: float
    stopped: float
    entitled: float
    back: float


def wait(process: BotProcess, seconds: float) -> Waited:
    processor = Processor({0: process}, freezes=True)
    processor.assign([True])
    time.sleep(0.02)
    began, stopped, entitled = time.monotonic(), processor.check(), 0.0
    while time.monotonic() < began + seconds:
        time.sleep(0.03)
        stopped += processor.check() + processor.assign([True])
        entitled += processor.take_entitled(0)
    back = processor.kept_waiting(0)
    passed = time.monotonic() - began
    return Waited(passed, stopped + processor.assign([True]), entitled + processor.take_entitled(0), back)


def test_a_bot_is_entitled_to_what_other_programs_get(tmp_path: Path, crowd: None) -> None:
    with running(BUSY, tmp_path) as process:
        waited = wait(process, 2.5)
    assert 0 < waited.entitled < waited.passed / 3, "five programs and this one: a sixth"
    assert waited.back > waited.passed / 3
    assert 0.05 < waited.stopped < waited.passed / 3


def test_a_load_that_ends_before_the_limit_counts(tmp_path: Path, crowd: list[subprocess.Popen[bytes]]) -> None:
    with running(BUSY, tmp_path) as process:
        processor = Processor({0: process}, freezes=True)
        processor.assign([True])
        began = time.monotonic()
        while time.monotonic() < began + 2.0:
            time.sleep(0.03)
            processor.check()
            processor.assign([True])
        for program in crowd:
            program.kill()
            program.wait()
        time.sleep(0.1)
        processor.check()
        assert processor.kept_waiting(0) > 0.5


SCHEDULE = "os.sched_setscheduler(0, os.SCHED_"


@pytest.mark.parametrize(
    "lower",
    [
        pytest.param("os.nice(5)", id="nice", marks=pytest.mark.kill),
        pytest.param(f"{SCHEDULE}IDLE, os.sched_param(0))", id="idle", marks=pytest.mark.kill),
        pytest.param(f"{SCHEDULE}BATCH, os.sched_param(0))", id="batch"),
        pytest.param(
            "os.setsid() if os.fork() == 0 else os.wait(); open('/proc/self/autogroup', 'w').write('10')",
            id="autogroup",
        ),
        pytest.param("threading.Thread(target=lambda: (os.nice(5), time.sleep(60)), daemon=True).start()", id="thread"),
    ],
)
@pytest.mark.promise("weight")
def test_a_bot_of_less_weight_gets_nothing_back(lower: str, tmp_path: Path, crowd: None) -> None:
    if "autogroup" in lower and not Path("/proc/self/autogroup").exists():
        pytest.skip("this kernel does not group by session")
    with running(f"import os, threading, time\n{lower}\n{BUSY}", tmp_path) as process:
        wait_for_change = time.monotonic() + 20.0
        while has_normal_weight(process):
            assert time.monotonic() < wait_for_change
            time.sleep(0.01)
        assert wait(process, 0.7).back == 0.0
