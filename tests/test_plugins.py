"""The plugins of the tests: who is alone, who leaves a process behind, and who may start one."""

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

def spend(name, seconds):
    begin = time.monotonic()
    time.sleep(seconds)
    with open(Path(__file__).parent / "times", "a") as times:
        times.write(f"{name} {begin} {time.monotonic()}\\n")

@pytest.mark.parametrize("number", range(12))
def test_beside_others(number):
    spend("beside", 0.1)

@pytest.mark.alone
@pytest.mark.parametrize("number", range(4))
def test_alone(number):
    spend("alone", 1.2)
"""


LEAVES_A_PROCESS = """
import os, signal, time
from pathlib import Path
import pytest

@pytest.mark.process
def test_leaves_a_process():
    child = os.fork()
    if child == 0:
        time.sleep(20)
        Path(__file__).with_name("ended").touch()
        os._exit(0)
    Path(__file__).with_name("child").write_text(str(child))

@pytest.mark.alone
def test_alone():
    assert not Path(__file__).with_name("ended").exists(), "this test has waited for the end of the child"
    os.kill(int(Path(__file__).with_name("child").read_text()), signal.SIGKILL)
"""


STARTS_A_PROCESS = """
import os, subprocess, sys
import pytest

def cache():
    return os.environ.get("XDG_CACHE_HOME")

def test_without_a_mark():
    assert cache() != "of the user"
    with pytest.raises(pytest.fail.Exception, match="pytest.mark.process"):
        subprocess.run([sys.executable, "-c", ""])

@pytest.mark.process
def test_with_a_mark():
    assert cache() == "of the user"
    subprocess.run([sys.executable, "-c", ""], check=True)
"""


@pytest.mark.kill  # a whole pytest of its own
def test_nothing_runs_beside_a_test_that_is_alone(tmp_path: Path) -> None:
    run_tests(tmp_path, TESTS, workers=3)
    spans = [line.split() for line in (tmp_path / "times").read_text().splitlines()]
    times = [(name, float(begin), float(end)) for name, begin, end in spans]
    assert len(times) == 16
    assert overlaps(times, "beside", "beside"), "nothing ran in parallel"
    assert not overlaps(times, "alone", "beside")
    assert not overlaps(times, "alone", "alone")


@pytest.mark.kill  # a whole pytest of its own
def test_a_process_that_a_test_has_forked_holds_no_lock(tmp_path: Path) -> None:
    run_tests(tmp_path, LEAVES_A_PROCESS, workers=1)


@pytest.mark.kill  # a whole pytest of its own
def test_only_a_marked_test_starts_a_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "of the user")
    run_tests(tmp_path, STARTS_A_PROCESS, workers=1)


def run_tests(folder: Path, tests: str, workers: int) -> None:
    """Run tests in parallel workers, with the rules of this project."""
    here = Path(__file__).parent
    shutil.copy(here.parent / "conftest.py", folder)
    (folder / "test_some.py").write_text(tests)
    ini = f"[pytest]\npythonpath = {here / 'plugins'}\ntimeout = 3\nmarkers =\n    alone\n    process\n"
    (folder / "pytest.ini").write_text(ini)
    command = [sys.executable, "-m", "pytest", "-q", "-n", str(workers), "--dist", "worksteal", str(folder)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=200)
    assert done.returncode == 0, done.stdout


def overlaps(times: list[tuple[str, float, float]], first: str, second: str) -> bool:
    """Return whether a test of one kind ran while a test of the other kind did."""
    return any(
        one[1] < other[2] and other[1] < one[2]
        for at, one in enumerate(times)
        for other in times[at + 1 :]
        if {one[0], other[0]} == {first, second}
    )
