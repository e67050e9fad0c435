"""The self-test is run once for a machine, and what it remembers is never believed too much."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from arena.bots import probe
from arena.bots.probe import Setup, find_setup
from arena.bots.sandbox.group_parents import GroupParents, find_parents

pytestmark = pytest.mark.sandbox
WORKS = ""


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path


class Trial:
    """Stands in for the trial and answers as told."""

    def __init__(self, *answers: str) -> None:
        self.answers = list(answers)
        self.tried: list[Setup] = []

    def __call__(self, setup: Setup, parents: GroupParents) -> str:
        self.tried.append(setup)
        return self.answers.pop(0)


@pytest.fixture
def trial(monkeypatch: pytest.MonkeyPatch) -> Any:
    def install(*answers: str) -> Trial:
        stand_in = Trial(*answers)
        monkeypatch.setattr(probe, "run_true", stand_in)
        return stand_in

    return install


def test_it_is_remembered(trial: Any, own_cache: Path) -> None:
    first = trial(WORKS)
    assert find_setup(GroupParents()) == (Setup(groups=False, seccomp=True, proc=True), {})
    assert len(first.tried) == 1
    second = trial()
    assert find_setup(GroupParents()) == (Setup(groups=False, seccomp=True, proc=True), {})
    assert second.tried == []
    assert len(list((own_cache / "arena" / "selftest").iterdir())) == 1


def test_what_is_remembered_of_another_machine_does_not_count(trial: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    trial(WORKS)
    find_setup(GroupParents())
    monkeypatch.setattr(probe, "_facts", lambda: iter(["another boot"]))
    again = trial(WORKS)
    find_setup(GroupParents())
    assert len(again.tried) == 1


def test_two_installations_in_turns_are_both_remembered(
    trial: Any, own_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried = trial(*[WORKS] * 20)
    for installation in ("one", "two", "one", "two"):
        monkeypatch.setattr(probe, "_facts", lambda installation=installation: iter([installation]))
        find_setup(GroupParents())
    assert len(tried.tried) == 2
    for number in range(18):
        monkeypatch.setattr(probe, "_facts", lambda number=number: iter([number]))
        find_setup(GroupParents())
    assert len(list((own_cache / "arena" / "selftest").iterdir())) == probe.MAX_REMEMBERED


@pytest.mark.parametrize("content", ["", "nonsense", "[]", '{"groups": 1}', '{"x": true}'])
def test_nonsense_is_not_believed(trial: Any, own_cache: Path, content: str) -> None:
    trial(WORKS)
    find_setup(GroupParents())
    next((own_cache / "arena" / "selftest").iterdir()).write_text(content)
    again = trial(WORKS)
    find_setup(GroupParents())
    assert len(again.tried) == 1


def test_a_better_setup_than_there_can_be_is_not_believed(trial: Any, own_cache: Path) -> None:
    trial(WORKS)
    find_setup(GroupParents())
    memory = next((own_cache / "arena" / "selftest").iterdir())
    memory.write_text(json.dumps(asdict(Setup(groups=True, seccomp=True, proc=True))))
    again = trial(WORKS)
    assert find_setup(GroupParents())[0] == Setup(groups=False, seccomp=True, proc=True)
    assert len(again.tried) == 1


def test_layers_are_given_up_one_by_one(trial: Any) -> None:
    trial("Can't mount proc on /newroot/proc: no", "prctl: no", WORKS)
    setup, reasons = find_setup(GroupParents())
    assert setup == Setup(groups=False, seccomp=False, proc=False)
    assert set(reasons) == {"proc", "seccomp"}


def test_where_nothing_works_only_that_is_said(trial: Any, own_cache: Path) -> None:
    trial("no", "no")
    assert find_setup(GroupParents()) == (None, {"namespaces": "no"})
    assert not (own_cache / "arena" / "selftest").exists()


def test_the_real_trial(nothing_left: None) -> None:
    parents = find_parents()
    setup, reasons = find_setup(parents)
    if setup is None:
        pytest.skip(f"no sandbox here: {reasons}")
    assert probe.run_true(setup, parents) == ""


@pytest.mark.process
@pytest.mark.skipif(os.geteuid() != 0, reason="is about root")
def test_root_of_a_container_without_the_capability_for_mounts_has_no_namespaces(tmp_path: Path) -> None:
    """Bubblewrap would work, but root shows a bot its files by a mount, which is forbidden."""
    dropped = ["setpriv", "--bounding-set=-sys_admin", "--inh-caps=-sys_admin"]
    doctor = [sys.executable, "-m", "arena", "doctor", "--json"]
    environment = os.environ | {"XDG_CACHE_HOME": str(tmp_path)}
    done = subprocess.run([*dropped, *doctor], env=environment, capture_output=True, text=True, check=False)
    document = json.loads(done.stdout)
    assert document["level"] == 1, document
    assert "--cap-add SYS_ADMIN" in done.stdout
