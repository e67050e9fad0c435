"""`make setup` and `arena doctor` find the fastest Python."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from arena.bots import interpreters
from arena.bots.interpreters import Interpreter, candidates, faster, measure, measured
from arena.cli.doctor import faster_python

BASE = sys._base_executable  # type: ignore[attr-defined]
pytestmark = pytest.mark.process


def fake(folder: Path, name: str, *, version: str = "3.12.1", seconds: float = 1.0, environment: bool = False) -> Path:
    """Write a program that answers as a Python of some speed would."""
    folder.mkdir(exist_ok=True)
    path = folder / name
    lines = [*version.split("."), str(seconds), str(environment), str(path)]
    path.write_text("#!/bin/sh\n/bin/cat <<'EOF'\n" + "\n".join(lines) + "\nEOF\n")
    path.chmod(0o755)
    return path


def test_a_real_interpreter_is_measured() -> None:
    found = measure(BASE)
    assert found is not None
    assert found.version == sys.version_info[:3]
    assert 0 < found.seconds < 5
    assert Path(found.path).samefile(BASE)


def test_the_interpreter_of_an_environment_is_no_candidate(tmp_path: Path) -> None:
    subprocess.run([BASE, "-m", "venv", "--without-pip", tmp_path / "venv"], check=True)
    assert measure(str(tmp_path / "venv" / "bin" / "python3")) is None


def test_what_is_no_usable_python_is_passed_over(tmp_path: Path) -> None:
    broken = tmp_path / "python3.13"
    broken.write_text("#!/bin/sh\nexit 3\n")
    broken.chmod(0o755)
    old = fake(tmp_path, "python3.11", version="3.10.9")
    assert measured([str(broken), str(old), str(tmp_path / "none")]) == []


@pytest.mark.parametrize(("seconds", "chosen"), [(0.5, True), (0.97, False), (1.5, False)])
def test_another_is_chosen_only_if_it_is_clearly_faster(tmp_path: Path, seconds: float, chosen: bool) -> None:
    first = fake(tmp_path / "a", "python3", seconds=1.0)
    other = fake(tmp_path / "b", "python3.12", seconds=seconds)
    found = measured([str(first), str(other)])
    assert [one.path for one in found] == [str(first), str(other)]
    assert faster(found[0], found[1:]) == (found[1] if chosen else None)


def test_the_first_on_the_path_stays_if_it_is_the_only_one() -> None:
    assert faster(Interpreter("a", (3, 11, 0), 1.0), []) is None


def test_candidates_are_in_the_order_of_the_path(tmp_path: Path) -> None:
    first, second = fake(tmp_path / "a", "python3"), fake(tmp_path / "b", "python3.14")
    assert candidates(f"{tmp_path}/a{os.pathsep}{tmp_path}/b")[:2] == [str(first), str(second)]


def test_it_runs_alone_and_says_why(tmp_path: Path) -> None:
    fake(tmp_path, "python3", seconds=99.0)
    ran = subprocess.run(
        [BASE, "-I", interpreters.__file__], env={"PATH": str(tmp_path)}, capture_output=True, text=True, check=False
    )
    others = measured(candidates("/usr/bin"))
    assert ("times as fast as" if others else "the only one") in ran.stderr
    assert Path(ran.stdout.strip()).exists()


def test_arena_doctor_names_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = fake(tmp_path, "python3.14", seconds=0.0001)
    monkeypatch.setenv("PATH", str(tmp_path))
    found = faster_python()
    assert found is not None
    assert f"{other} (3.12.1) on this machine is" in found.cause
    assert f"{other} -m venv FOLDER" in found.remedy
