"""The time that a bot gets back because other programs used the processor, against what it really lost."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.bots.bot import load_bot
from arena.bots.launch import launch
from arena.referee.load import measure
from arena.referee.processor import Processor

pytestmark = [pytest.mark.alone, pytest.mark.process, pytest.mark.skipif(sys.platform != "linux", reason="needs Linux")]

BUSY = "while True: pass"
CLOCK_STEP = 2 / os.sysconf("SC_CLK_TCK")
"""Seconds by which two readings of a process's CPU time may be wrong."""


@pytest.fixture
def crowd() -> Iterator[None]:
    """Five busy programs on the processor that this test and its bot use."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(before)})
    programs = [subprocess.Popen([sys.executable, "-c", BUSY]) for _ in range(5)]
    yield
    for program in programs:
        program.kill()
        program.wait()
    os.sched_setaffinity(0, before)


def test_nobody_gets_more_time_back_than_passed(tmp_path: Path, crowd: None) -> None:
    bot = tmp_path / "bot.py"
    bot.write_text(BUSY)
    process = launch(load_bot(bot), seat=0, socket=tmp_path / "seat", sandbox="none")
    try:
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
    finally:
        process.kill()
