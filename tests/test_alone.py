"""A test marked ``alone`` runs while no other test of the same run does, and so does a second try.

All other tests of a file run in one worker.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.process

TESTS = """
import os, time
from pathlib import Path
import pytest

def spend(name):
    begin = time.monotonic()
    time.sleep(0.1)
    with open(Path(__file__).parent / "times", "a") as times:
        times.write(f"{name} {begin} {time.monotonic()}\\n")

made = []

@pytest.fixture
def thing():
    made.append(None)
    yield len(made)
    made.append(None)

@pytest.mark.process
def test_second_try(thing):
    spend("second" if thing > 1 else "beside")
    assert thing == 3, "The fixture is made and removed, and made again."

@pytest.mark.parametrize("number", range(12))
def test_beside_others(number):
    spend("beside")

@pytest.mark.alone
@pytest.mark.parametrize("number", range(4))
def test_alone(number):
    spend("alone")
"""

HANGING = """
import time
import pytest

tries = []

@pytest.mark.process
def test_hangs_in_the_second_try():
    tries.append(None)
    assert len(tries) == 2
    time.sleep(100)

@pytest.mark.parametrize("number", range(12))
def test_waits_for_it(number):
    time.sleep(0.2)
"""


FILE = """
import os, time
from pathlib import Path
import pytest

@pytest.fixture(scope="module")
def worker():
    note("setup")

def note(what):
    with open(Path(__file__).parent / "order", "a") as order:
        order.write(f"{what} {Path(__file__).name} {os.environ['PYTEST_XDIST_WORKER']}\\n")

@pytest.mark.parametrize("number", range(8))
def test_some(number, worker):
    note("test")
    time.sleep(0.05)
"""


def test_each_worker_gets_whole_files(tmp_path: Path) -> None:
    for name in ("test_one.py", "test_two.py", "test_three.py"):
        (tmp_path / name).write_text(FILE)
    done = run(tmp_path, FILE, dist="loadfile")
    assert done.returncode == 0, done.stdout
    order = [line.split() for line in (tmp_path / "order").read_text().splitlines()]
    files = {file for _, file, _ in order}
    assert len(files) == 4
    assert all(len({worker for _, name, worker in order if name == file}) == 1 for file in files)
    assert [what for what, _, _ in order].count("setup") == 4
    assert len({worker for _, _, worker in order}) > 1


def test_nothing_runs_beside_a_test_that_is_alone_or_a_second_try(tmp_path: Path) -> None:
    done = run(tmp_path, TESTS)
    assert done.returncode == 0, done.stdout
    spans = [line.split() for line in (tmp_path / "times").read_text().splitlines()]
    times = [(name, float(begin), float(end)) for name, begin, end in spans]
    assert len(times) == 18
    assert "1 rerun" in done.stdout
    assert overlaps(times, "beside", "beside"), "nothing ran in parallel"
    assert not overlaps(times, "alone", "beside")
    assert not overlaps(times, "alone", "alone")
    assert not overlaps(times, "second", "beside"), "The second try of a test runs alone."


def test_a_second_try_has_a_time_limit_and_does_not_use_up_that_of_others(tmp_path: Path) -> None:
    done = run(tmp_path, HANGING, limit=2)
    assert "INTERNALERROR" not in done.stdout
    assert "1 failed, 12 passed, 1 rerun" in done.stdout


def run(folder: Path, tests: str, limit: int = 100, dist: str = "worksteal") -> subprocess.CompletedProcess[str]:
    """Run tests in parallel with the rules of this checkout, and ``limit`` seconds for each test."""
    shutil.copy(Path(__file__).parents[1] / "conftest.py", folder)
    (folder / "test_some.py").write_text(tests)
    (folder / "pytest.ini").write_text(f"[pytest]\ntimeout = {limit}\nmarkers =\n    alone\n    process\n")
    command = [sys.executable, "-m", "pytest", "-q", "-n", "3", "--dist", dist, "--no-loadscope-reorder", str(folder)]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=200)


def overlaps(times: list[tuple[str, float, float]], first: str, second: str) -> bool:
    """Return whether a test of one kind ran while a test of the other kind did."""
    return any(
        one[1] < other[2] and other[1] < one[2]
        for at, one in enumerate(times)
        for other in times[at + 1 :]
        if {one[0], other[0]} == {first, second}
    )
