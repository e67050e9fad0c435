"""Version 2 of control groups on a made-up file system: what is written where, and what is read."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from arena.bots.sandbox.group_parents import GroupParent, GroupParents, find_parents
from arena.bots.sandbox.seat_group import SeatGroup, make_group
from arena.errors import ArenaError
from arena.match.limits import Limits

FILES = {
    "memory.max": "max\n",
    "memory.swap.max": "max\n",
    "memory.oom.group": "0\n",
    "memory.events": "low 0\nhigh 0\nmax 3\noom 1\noom_kill 2\noom_group_kill 1\n",
    "pids.max": "max\n",
    "cpu.stat": "usage_usec 1234567\nuser_usec 1000000\nsystem_usec 234567\n",
    "cgroup.procs": "",
    "cgroup.freeze": "0\n",
    "cgroup.events": "populated 0\nfrozen 0\n",
    "cgroup.kill": "",
}


@pytest.fixture
def kernel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder in which new folders get a group's files, as the kernel would give them."""
    make, remove = Path.mkdir, Path.rmdir

    def mkdir(self: Path, mode: int = 0o777, parents: bool = False, exist_ok: bool = False) -> None:
        make(self, mode, parents, exist_ok)
        if self.is_relative_to(tmp_path) and self.name.startswith("arena-"):
            for name, content in FILES.items():
                (self / name).write_text(content)

    def rmdir(self: Path) -> None:
        for entry in self.iterdir():
            entry.unlink()
        remove(self)

    monkeypatch.setattr(Path, "mkdir", mkdir)
    monkeypatch.setattr(Path, "rmdir", rmdir)
    (tmp_path / "cgroup.controllers").write_text("cpu memory pids\n")
    (tmp_path / "cgroup.subtree_control").write_text("memory pids\n")
    (tmp_path / "cgroup.procs").write_text("")
    return tmp_path


@pytest.fixture
def group(kernel: Path) -> SeatGroup:
    parents = GroupParents({name: GroupParent(kernel, 2) for name in ("memory", "pids", "cpu", "freeze")})
    return make_group(parents, Limits(memory=1000, processes=7), 1)


def folder_of(group: SeatGroup) -> Path:
    (folder,) = group._folders
    return folder


def test_places_are_found(kernel: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    facts = tmp_path_factory.mktemp("facts")
    (facts / "mounts").write_text(f"30 23 0:26 / {kernel} rw shared:4 - cgroup2 cgroup2 rw,nsdelegate\n")
    (facts / "own").write_text("0::/\n")
    parents = find_parents(str(facts / "mounts"), str(facts / "own"))
    assert parents.complete
    assert parents.missing == ()
    assert {parent.folder for parent in parents.by_capability.values()} == {kernel}
    assert [path.name for path in kernel.iterdir() if path.is_dir()] == []


def test_a_controller_that_is_not_delegated_is_named(kernel: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    facts = tmp_path_factory.mktemp("facts")
    (kernel / "cgroup.controllers").write_text("pids\n")
    (kernel / "cgroup.subtree_control").write_text("pids\n")
    (facts / "mounts").write_text(f"30 23 0:26 / {kernel} rw - cgroup2 cgroup2 rw\n")
    (facts / "own").write_text("0::/\n")
    parents = find_parents(str(facts / "mounts"), str(facts / "own"))
    assert not parents.complete
    assert [missing.layer for missing in parents.missing] == ["cgroup memory"]
    assert "memory is not delegated" in parents.missing[0].reason


def test_limits_are_written(group: SeatGroup) -> None:
    folder = folder_of(group)
    written = {name: (folder / name).read_text().strip() for name in FILES}
    assert written["memory.max"].startswith("1000")
    assert written["memory.swap.max"].startswith("0")
    assert written["memory.oom.group"].startswith("1")
    assert written["pids.max"].startswith("7")


def test_processes_enter_once(group: SeatGroup) -> None:
    group.enter(4321)
    assert (folder_of(group) / "cgroup.procs").read_text() == "4321"


def test_the_clock_and_the_memory_are_read(group: SeatGroup) -> None:
    assert group.cpu_nanoseconds() == 1_234_567_000
    assert group.out_of_memory_kills() == 2


def test_time_in_which_nothing_could_run_counts_as_busy(kernel: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for cause, total in (("cpu", 5), ("io", 7), ("memory", 11)):
        line = "avg10=0.00 avg60=0.00 avg300=0.00 total="
        monkeypatch.setitem(FILES, f"{cause}.pressure", f"some {line}1000\nfull {line}{total}\n")
    parents = GroupParents({name: GroupParent(kernel, 2) for name in ("memory", "pids", "cpu", "freeze")})
    group = make_group(parents, Limits(), 1)
    assert group.busy_nanoseconds() == 1_234_567_000 + 23_000
    group.remove()


def test_without_stalls_nobody_knows_who_is_idle(group: SeatGroup) -> None:
    assert group.busy_nanoseconds() is None


def test_it_is_removed(group: SeatGroup) -> None:
    folder = folder_of(group)
    group.remove()
    assert not folder.exists()
    assert group.cpu_nanoseconds() is None


def test_a_group_that_cannot_be_made_is_an_error_and_leaves_nothing(kernel: Path) -> None:
    before = set(os.listdir("/proc/self/fd"))
    parents = GroupParents(
        {"memory": GroupParent(kernel, 1), "pids": GroupParent(kernel, 2), "cpu": GroupParent(kernel, 2)}
    )
    with pytest.raises(ArenaError, match="control group"):
        make_group(parents, Limits(), 0)
    assert set(os.listdir("/proc/self/fd")) == before
    assert not list(kernel.glob("arena-*"))
