"""The first process of a sandbox: it has the bot's limits, is out of the bot's reach, and ends with the referee."""

from __future__ import annotations

import contextlib
import json
import os
import random
import signal
import struct
import time
from pathlib import Path
from typing import Any

import pytest
from waiting import until

from arena.bots.launch import launch
from arena.bots.sandbox.group_parents import find_parents
from arena.bots.system.orphans import descendants
from arena.bots.system.reaping import reap_orphans
from arena.match.limits import Limits

pytestmark = pytest.mark.sandbox

GIBIBYTE = 1 << 30
KILLS = 40

SHELLCODE = b"".join(
    (
        b"\xb8\x09\x00\x00\x00\x31\xff\x48\xbe" + struct.pack("<Q", 6 * GIBIBYTE),  # mmap(0, 6 GiB,
        b"\xba\x03\x00\x00\x00\x41\xba\x22\x40\x00\x00\x49\xc7\xc0\xff\xff\xff\xff\x45\x31\xc9\x0f\x05",
        b"\x31\xdb\x81\xfb\xc8\x00\x00\x00\x7d\x11",  # until 200 children live:
        b"\xb8\x39\x00\x00\x00\x0f\x05\x85\xc0\x78\x06\x74\x04\xff\xc3\xeb\xe7",  # fork()
        b"\xb8\x22\x00\x00\x00\x0f\x05\xeb\xf7",  # pause() for ever
    )
)

ESCAPE = f"""
import os, time
try:
    # Where the first process waits for its children, for the program counter is the last word.
    place = int(open("/proc/1/syscall").read().split()[-1], 16)
    with open("/proc/1/mem", "r+b", buffering=0) as memory:
        memory.seek(place)
        memory.write({SHELLCODE!r})
    if os.fork() == 0:
        if os.fork() == 0:
            os._exit(0)
        os._exit(0)
    os.wait()
    print("written", flush=True)
except OSError as error:
    print(type(error).__name__, flush=True)
time.sleep(60)
"""

WRITABLE = """
import json, os
found = []
for folder in ["/proc/1"] + ["/proc/1/task/1"]:
    for name in ("mem", "maps", "environ", "oom_score_adj", "comm", "coredump_filter", "clear_refs", "fd", "root",
                 "cwd", "exe", "ns", "syscall", "stack", "attr/current", "timerslack_ns", "setgroups", "mountinfo",
                 "cgroup", "cmdline"):
        try:
            os.stat(f"{folder}/{name}")
            found.append(f"{folder}/{name}")
        except OSError:
            pass
for folder, names, files in os.walk("/proc"):
    names[:] = [name for name in names if name != "fd"]  # these lead to open files, such as standard output
    for name in files:
        try:
            open(f"{folder}/{name}", "wb").close()
            found.append(f"{folder}/{name}")
        except OSError:
            pass
print(json.dumps(found))
"""


def inside(process: Any) -> list[int]:
    own = os.readlink(f"/proc/{process.inner_pid}/ns/pid")
    found = []
    for entry in os.listdir("/proc"):
        with contextlib.suppress(OSError):
            if entry.isdigit() and os.readlink(f"/proc/{entry}/ns/pid") == own:
                found.append(int(entry))
    return found


@pytest.mark.promise("first-process")
def test_no_code_gets_into_it(ring: Any, level: int, small: Limits) -> None:
    if os.uname().machine != "x86_64":
        pytest.skip("the machine code of this attack is for x86-64")
    with ring.start(ESCAPE, level, limits=small) as process:
        until(lambda: process.stdout.drain())
        time.sleep(0.3)
        text = Path(f"/proc/{process.inner_pid}/status").read_text()
        mapped = next(int(line.split()[1]) for line in text.splitlines() if line.startswith("VmSize"))
        assert mapped * 1024 <= small.address_space
        assert len(inside(process)) <= 4
        assert "written" not in process.stdout.text()


@pytest.mark.promise("processes")
def test_it_has_the_limits_of_the_bot(ring: Any, level: int, small: Limits) -> None:
    with ring.start("print(open('/proc/self/limits').read(), flush=True)\nwhile True: pass", level) as process:
        until(lambda: process.stdout.drain() and "realtime timeout" in process.stdout.text())
        own = Path(f"/proc/{process.inner_pid}/limits").read_text()
        assert own.split() == process.stdout.text().split()
        assert own != Path("/proc/self/limits").read_text()


@pytest.mark.promise("weight", "first-process")
def test_nothing_of_it_and_of_the_system_can_be_opened_for_writing(ring: Any, level: int) -> None:
    ended = ring.run(WRITABLE, level)
    assert ended.ending.code == 0, ended.err
    assert json.loads(ended.out) == []


@pytest.mark.slow
@pytest.mark.promise("survivors")
def test_a_referee_that_is_killed_while_it_starts_a_bot_leaves_nothing(ring: Any, level: int) -> None:
    bot = ring.bot("import signal, time\nprint('up', flush=True)\ntime.sleep(600)")
    begin = time.monotonic()
    ring.start(bot, level).close()
    longest = time.monotonic() - begin
    spread = random.Random(7)
    before = set(descendants(os.getpid()))
    for _ in range(KILLS):
        referee = _start_in_a_child(bot, ring.folder, level)
        time.sleep(spread.uniform(0.0, 2 * longest))
        os.kill(referee, signal.SIGKILL)
        os.waitpid(referee, 0)
        _wait_until_alone(before)
    # `find_parents` sweeps the groups of the dead.
    find_parents()


def _start_in_a_child(bot: Any, folder: Path, level: int) -> int:
    child = os.fork()
    if child == 0:
        try:
            launch(bot, seat=0, socket=f"{folder}/seat0.sock", at_most=level)
            time.sleep(600)
        finally:
            os._exit(1)
    return child


def _wait_until_alone(before: set[int]) -> None:
    """Wait until every orphan has ended by itself; this process adopts them, and so can see and reap them."""
    end = time.monotonic() + 5.0
    while left := set(descendants(os.getpid())) - before:
        reap_orphans()
        if time.monotonic() > end:
            lines = {process: _describe(process) for process in left}
            for process in left:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(process, signal.SIGKILL)
            raise AssertionError(f"left behind: {lines}")
        time.sleep(0.02)  # to look for descendants reads all of /proc


def _describe(process: int) -> str:
    with contextlib.suppress(OSError):
        place = Path(f"/proc/{process}")
        return f"{(place / 'cmdline').read_bytes()[:60]!r} in {(place / 'wchan').read_text()}"
    return "gone"
