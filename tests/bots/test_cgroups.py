"""Control groups: found where they are, limits that hold, a clock that tells the truth, freezing."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from shortened import shortened
from waiting import until

from arena.bots.sandbox.group_parents import GroupOwner, GroupParent, _hierarchies, find_parents, group_owner, sweep
from arena.bots.sandbox.seat_group import SeatGroup, make_group
from arena.bots.system.orphans import descendants
from arena.match.limits import Limits
from arena.play.referee.load import measure

pytestmark = pytest.mark.sandbox


@pytest.fixture
def group(nothing_left: None) -> Iterator[SeatGroup]:
    parents = find_parents()
    if not parents.complete:
        pytest.skip(f"no control groups: {parents.missing}")
    group = make_group(parents, Limits(memory=64 * 1024 * 1024), 0)
    yield group
    group.kill()
    group.remove()


def idle() -> subprocess.Popen[bytes]:
    return subprocess.Popen(["sleep", "600"])


def test_killing_takes_everything_frozen_or_not(group: SeatGroup) -> None:
    processes = [idle() for _ in range(5)]
    for process in processes:
        group.enter(process.pid)
    assert sorted(group.processes()) == sorted(process.pid for process in processes)
    assert group.freeze()
    assert group.frozen
    group.kill()
    assert group.processes() == []
    for process in processes:
        process.wait()


def test_two_groups_for_one_seat_do_not_meet(group: SeatGroup) -> None:
    other = make_group(find_parents(), Limits(), 0)
    process = idle()
    other.enter(process.pid)
    assert group.processes() == []
    other.kill()
    other.remove()
    process.wait()


def test_threads_make_groups_for_one_seat_at_the_same_time(nothing_left: None) -> None:
    parents = find_parents()
    if not parents.complete:
        pytest.skip(f"no control groups: {parents.missing}")
    with ThreadPoolExecutor(8) as pool:
        groups = list(pool.map(lambda _: make_group(parents, Limits(), 0), range(64)))
    for group in groups:
        group.remove()


def test_groups_of_dead_processes_are_swept(nothing_left: None, tmp_path: Path) -> None:
    dead = GroupOwner.new()
    os.close(dead.lock)
    kept = {f"{group_owner().prefix}0", "arena-7x-0", "other"}
    for name in (f"{dead.prefix}0", *kept):
        (tmp_path / name).mkdir()
    sweep(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == kept


def test_the_clock_agrees_with_the_bots_own(ring: Any, level: int) -> None:
    if level < 3:
        pytest.skip("an exact clock needs a control group")
    source = """
        import os, threading, time
        def burn(seconds):
            end = time.thread_time() + seconds
            while time.thread_time() < end:
                pass
        threads = [threading.Thread(target=burn, args=(0.1,)) for _ in range(2)]
        child = os.fork()
        if child == 0:
            burn(0.1)
            print("child", time.process_time_ns(), flush=True)
            os._exit(0)
        os.waitpid(child, 0)
        for thread in threads: thread.start()
        for thread in threads: thread.join()
        print("self", time.process_time_ns(), flush=True)
        time.sleep(600)
    """
    with ring.start(source, level) as process:
        while "self" not in process.stdout.text():
            process.stdout.drain()
            time.sleep(0.002)
        counted = process.cpu_nanoseconds()
        measured = sum(int(line.split()[1]) for line in process.stdout.text().splitlines())
    # The group also counts the start of the sandbox's inside, before the bot's own clock began.
    assert measured <= counted + 2_000_000
    assert counted < measured + 60_000_000


def test_below_level_3_nobody_counts(ring: Any) -> None:
    with ring.start("import time; time.sleep(60)", 2) as process:
        assert process.cpu_nanoseconds() is None


BUSY = {
    "loop": "while True: pass",
    "sessions": """
        for _ in range(30):
            if os.fork() == 0:
                os.setsid()
                break
        while True: pass
        """,
    "threads": """
        def spin():
            while True: pass
        for _ in range(8): threading.Thread(target=spin).start()
        """,
    "threads_without_a_leader": """
        def spin():
            while True: pass
        for _ in range(8): threading.Thread(target=spin).start()
        ctypes.CDLL(None).pthread_exit(None)
        """,
    "vfork": """
        ctypes.CDLL(None).vfork()  # the parent waits in the kernel and cannot be stopped, the child burns
        while True: pass
        """,
    "fork_chain": """
        while True:
            try:
                if os.fork(): os._exit(0)
            except BlockingIOError:  # under load, the ended processes stay for a while, and count as processes
                pass
        """,
    "continues_what_is_stopped": """
        parent = os.getpid()
        for _ in range(8):
            if os.fork() == 0: break
        while True:
            for pid in range(2, 40):
                try: os.kill(pid, signal.SIGCONT)
                except OSError: pass
        """,
}


@pytest.mark.alone  # up to thirty processes burn, and would make other tests late
@pytest.mark.parametrize("name", shortened(BUSY, 3))
@pytest.mark.promise("processor")
def test_a_frozen_bot_burns_nothing_goes_on_and_can_be_killed(name: str, ring: Any, level: int) -> None:
    # The chain begins below a process that stays, since a sandbox ends with its bot.
    start = "import ctypes, os, signal, threading, time\nprint('go', flush=True)\n"
    if name == "fork_chain":
        start += "if os.fork():\n    while True: time.sleep(1)\n"
    with ring.start(start + textwrap.dedent(BUSY[name]), level) as process:
        until(lambda: process.stdout.drain())
        time.sleep(0.1)
        for _ in range(3):
            assert process.freeze()
            until(lambda: not process.runs())  # a thread that waits for the processor stops when it gets it
            before = measure(process).used
            time.sleep(0.05)
            assert measure(process).used < before + 0.001
            process.thaw()
            until(lambda known=before: measure(process).used > known)
        assert process.freeze()


def test_a_bot_that_gets_no_processor_counts_as_frozen(ring: Any, level: int) -> None:
    if level < 3:
        pytest.skip("below level 3, signals stop a bot, and act only when it gets the processor")
    processor = min(os.sched_getaffinity(0))
    with ExitStack() as stack:
        process = stack.enter_context(ring.start("print('go', flush=True)\nwhile True: pass", level))
        until(lambda: process.stdout.drain())
        for pid in descendants(process.root):
            be_last(pid, processor)
        for _ in range(4):
            others = subprocess.Popen([sys.executable, "-c", "while True: pass"], start_new_session=True)
            stack.callback(others.wait)
            stack.callback(others.kill)
            os.sched_setaffinity(others.pid, {processor})
        for _ in range(3):
            time.sleep(0.1)
            begin = time.monotonic()
            assert process.freeze()
            assert time.monotonic() - begin < 1.0
            before = measure(process).used
            time.sleep(0.1)
            assert measure(process).used < before + 0.001
            process.thaw()
            until(lambda known=before: measure(process).used > known + 0.001)


def be_last(pid: int, processor: int) -> None:
    """Let a process have one processor only, and only if no other program wants it."""
    os.sched_setaffinity(pid, {processor})
    os.sched_setscheduler(pid, os.SCHED_IDLE, os.sched_param(0))
    session = Path(f"/proc/{pid}/autogroup")
    if session.exists():
        session.write_text("19")


MIXED_MOUNTS = """\
31 23 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw
35 31 0:32 / {root}/memory rw,relatime - cgroup cgroup rw,memory
40 31 0:36 / {root}/pids rw,relatime - cgroup cgroup rw,pids
33 31 0:30 / {root}/cpu,cpuacct rw,relatime - cgroup cgroup rw,cpu,cpuacct
41 31 0:38 / {root}/unified rw,relatime - cgroup2 cgroup2 rw
"""


def test_a_hybrid_layout_is_understood(tmp_path: Path) -> None:
    for name in ("memory/job", "pids", "cpu,cpuacct/user", "unified/user"):
        (tmp_path / name).mkdir(parents=True)
    membership = "4:memory:/job\n3:pids:/\n2:cpu,cpuacct:/user\n0::/user\n"
    found = _hierarchies(MIXED_MOUNTS.format(root=tmp_path), membership)
    assert found["memory"] == [GroupParent(tmp_path / "memory/job", 1)]
    assert found["pids"] == [GroupParent(tmp_path / "pids", 1)]
    assert found["cpuacct"] == [GroupParent(tmp_path / "cpu,cpuacct/user", 1)]
    assert found[""][0] == GroupParent(tmp_path / "unified/user", 2)


def test_a_scope_of_ours_is_used_from_its_top(tmp_path: Path) -> None:
    (tmp_path / "user/arena-7.scope/home").mkdir(parents=True)
    mounts = f"41 31 0:38 / {tmp_path} rw - cgroup2 cgroup2 rw\n"
    found = _hierarchies(mounts, "0::/user/arena-7.scope/home\n")
    assert found[""][0].folder == tmp_path / "user/arena-7.scope"


def test_without_any_groups_everything_is_missing(tmp_path: Path) -> None:
    (tmp_path / "mounts").write_text("")
    (tmp_path / "own").write_text("")
    parents = find_parents(str(tmp_path / "mounts"), str(tmp_path / "own"))
    assert not parents.complete
    assert {missing.layer for missing in parents.missing} == {
        "cgroup memory",
        "cgroup pids",
        "cgroup cpu",
        "cgroup freeze",
    }
    assert all(missing.reason and missing.remedy for missing in parents.missing)
