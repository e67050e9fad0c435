"""Covert channels through files that two sandboxes share: each attempt fails, and ordinary programs do not notice."""

from __future__ import annotations

import ctypes
import json
import mmap
import os
import random
import shutil
import sqlite3
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.sandbox

BITS = 512
PAGE = 4096

COMMON = """
import ctypes, fcntl, json, mmap, os, struct, sys, time
libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long
X86 = os.uname().machine == "x86_64"
def call(number, *arguments):
    # The number on x86-64 and on aarch64.
    values = [ctypes.c_long(a) if isinstance(a, int) else a for a in arguments]
    result = libc.syscall(ctypes.c_long(number[0 if X86 else 1]), *values)
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result
def attempt(act):
    try:
        return act()
    except OSError as error:
        return error.strerror
file = os.open("/bot/table", os.O_RDONLY)
size = os.fstat(file).st_size
pages = size // 4096
"""

WRITER = """
message = {message!r}
memory = mmap.mmap(file, size, mmap.MAP_SHARED, mmap.PROT_READ)
MADV_PAGEOUT = 21
print(json.dumps(attempt(lambda: memory.madvise(MADV_PAGEOUT))))
memory.close()
os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
os.posix_fadvise(file, 0, 0, os.POSIX_FADV_RANDOM)
for page, bit in enumerate(message):
    if bit == "1":
        os.pread(file, 1, page * 4096)
"""

READER = """
os.posix_fadvise(file, 0, 0, os.POSIX_FADV_RANDOM)
def without_waiting():
    found = ""
    for page in range(pages):
        try:
            os.preadv(file, [bytearray(1)], page * 4096, os.RWF_NOWAIT)
            found += "1"
        except BlockingIOError:
            found += "0"
    return found
def in_core():
    memory = mmap.mmap(file, size, mmap.MAP_PRIVATE, mmap.PROT_READ | mmap.PROT_WRITE)
    start = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    seen = ctypes.create_string_buffer(pages)
    call((27, 232), start, size, seen)
    return "".join(str(byte & 1) for byte in seen.raw)
def cached():
    found = ""
    for page in range(pages):
        area, seen = struct.pack("QQ", page * 4096, 4096), ctypes.create_string_buffer(40)
        call((451, 451), file, area, seen, 0)
        found += str(struct.unpack_from("Q", seen.raw)[0])
    return found
def submitted():
    context = ctypes.c_ulong(0)
    call((206, 0), 4, ctypes.byref(context))
    found, buffer, RWF_NOWAIT = "", ctypes.create_string_buffer(4096), 8
    for page in range(pages):
        block = ctypes.create_string_buffer(struct.pack("QIiHhIQQqQII", 0, 0, RWF_NOWAIT, 0, 0, file,
            ctypes.addressof(buffer), 1, page * 4096, 0, 0, 0))
        pointer = ctypes.c_void_p(ctypes.addressof(block))
        try:
            call((209, 2), context.value, 1, ctypes.byref(pointer))
            event = ctypes.create_string_buffer(32)
            call((208, 4), context.value, 1, 1, event, None)
            found += str(int(struct.unpack_from("qqqq", event.raw)[2] >= 0))
        except BlockingIOError:
            found += "0"
    return found
print(json.dumps({act.__name__: attempt(act) for act in (without_waiting, in_core, cached, submitted)}))
"""


def resident(path: Path) -> str:
    """Which pages of a file are in memory, as its owner sees them."""
    libc = ctypes.CDLL(None)
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ | mmap.PROT_WRITE, flags=2) as memory:
        pages = len(memory) // PAGE
        seen = ctypes.create_string_buffer(pages)
        first = ctypes.c_char.from_buffer(memory)
        assert libc.mincore(ctypes.c_void_p(ctypes.addressof(first)), ctypes.c_size_t(len(memory)), seen) == 0
        del first
    return "".join(str(byte & 1) for byte in seen.raw)


@pytest.fixture
def table(ring: Any) -> Any:
    """A folder for bots with a file, all of it on the disk and in memory."""

    def make(source: str, name: str) -> Any:
        bot = ring.bot(COMMON + source, name=name)
        place = bot.folder / "table"
        if not shared.exists():
            shared.write_bytes(os.urandom(BITS * PAGE))
            with shared.open("rb") as file:
                os.fsync(file.fileno())
        os.link(shared, place)
        shared.read_bytes()
        return bot

    # Not in /tmp, which may itself be in memory and would never lose a page.
    shared = Path(os.environ.get("ARENA_TEST_DISK", Path(__file__).parent)) / f".table-{os.getpid()}"
    ring.folder = shared.parent / f".{ring.folder.name}"
    ring.folder.mkdir()
    yield make
    shared.unlink(missing_ok=True)

    shutil.rmtree(ring.folder)


@pytest.mark.promise("page-cache")
def test_the_page_cache_carries_no_message(ring: Any, level: int, table: Any) -> None:
    message = "".join(random.Random(1).choices("01", k=BITS))
    writer = table(WRITER.format(message=message), "writer")
    reader = table(READER, "reader")
    written = ring.run(writer, level)
    assert written.ending.code == 0, written.err
    assert resident(writer.folder / "table") == "1" * BITS
    read = ring.run(reader, level)
    assert read.ending.code == 0, read.err
    found = json.loads(read.out)
    assert message not in found.values()
    assert found == {
        "without_waiting": "Operation not supported",
        "in_core": "Function not implemented",
        "cached": "Function not implemented",
        "submitted": "Function not implemented",
    }


NOTICES = """
import signal
RANGE = struct.pack("hhqqi4x", fcntl.F_WRLCK, os.SEEK_SET, 0, 1, 0)
folder = os.open("/usr/bin", os.O_RDONLY)
print(json.dumps({
    "flock": attempt(lambda: fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)),
    "who locks": attempt(lambda: fcntl.fcntl(file, fcntl.F_GETLK, RANGE) and None),
    "who locks what is open": attempt(lambda: fcntl.fcntl(file, 36, RANGE) and None),
    "lease": attempt(lambda: fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_RDLCK)),
    "notify": attempt(lambda: fcntl.fcntl(folder, fcntl.F_NOTIFY, fcntl.DN_ACCESS)),
    "inotify": attempt(lambda: call((294, 26), 0)),
    "fanotify": attempt(lambda: call((300, 262), 0, 0)),
    "locks of all": attempt(lambda: open("/proc/locks").read()),
}))
"""


@pytest.mark.promise("locks")
def test_nobody_notices_what_others_do_with_shared_files(ring: Any, level: int) -> None:
    ended = ring.run(ring.bot(COMMON + NOTICES, table="x"), level)
    assert ended.ending.code == 0, ended.err
    found = json.loads(ended.out)
    assert found.pop("locks of all") in {"", "Permission denied"}
    assert found == {
        "flock": "Function not implemented",
        "who locks": "Operation not permitted",
        "who locks what is open": "Operation not permitted",
        "lease": "Operation not permitted",
        "notify": "Operation not permitted",
        "inotify": "Function not implemented",
        "fanotify": "Operation not permitted",
    }


OF_OTHERS = """
found = {}
for name, act in {
    "limits": lambda: call((302, 261), os.getppid(), 3, 0, 0),
    "own limits": lambda: call((302, 261), 0, 3, 0, 0),
    "policy": lambda: call((144, 119), os.getppid(), os.SCHED_IDLE, struct.pack("i", 0)),
    "own policy": lambda: os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0)),
    "own policy and priority": lambda: call(
        (314, 274), 0, struct.pack("IIQiIQQQ", 48, os.SCHED_BATCH, 0, 19, 0, 0, 0, 0), 0),
    "priority": lambda: os.setpriority(os.PRIO_PROCESS, os.getppid(), 19),
    "everybody's priority": lambda: os.setpriority(os.PRIO_USER, 0, 19),
    "own priority": lambda: os.setpriority(os.PRIO_PROCESS, 0, 19),
    "everybody's disk priority": lambda: call((251, 30), 3, 0, 3 << 13),
}.items():
    found[name] = attempt(act)
for process in (0, os.getppid()):
    assert os.sched_getscheduler(process) == os.SCHED_OTHER, "the call is answered, and changes nothing"
    assert os.getpriority(os.PRIO_PROCESS, process) == 0
print(json.dumps(found))
"""


@pytest.mark.promise("priorities")
def test_limits_and_priorities_of_others_stay(ring: Any, level: int) -> None:
    ended = ring.run(ring.bot(COMMON + OF_OTHERS, table="x"), level)
    assert ended.ending.code == 0, ended.err
    found = json.loads(ended.out)
    assert {name for name, answer in found.items() if answer} == {"limits", "everybody's disk priority"}
    assert {answer for answer in found.values() if answer} == {"Operation not permitted"}


ORDINARY = """
import sqlite3, subprocess
def database():
    with sqlite3.connect("/tmp/own.db") as own:
        own.execute("create table t (x)")
        own.executemany("insert into t values (?)", [(n,) for n in range(1000)])
    with sqlite3.connect("/tmp/own.db") as again:
        return again.execute("select count(*) from t").fetchone()[0]
def book():
    return sqlite3.connect("file:/bot/book.db?mode=ro", uri=True).execute("select x from t").fetchone()[0]
def lock():
    with open("/tmp/lock", "w") as file:
        fcntl.lockf(file, fcntl.LOCK_EX)
        return "locked"
def copy():
    subprocess.run(["cp", "/bot/main.py", "/tmp/copy"], check=True)
    return open("/tmp/copy").read() == open("/bot/main.py").read()
def several():
    import multiprocessing
    with multiprocessing.get_context("fork").Pool(2) as pool:
        return pool.map(abs, [-1, -2])
def read():
    return os.preadv(file, [bytearray(1)], 0, 0)
print(json.dumps({act.__name__: attempt(act) for act in (database, book, lock, copy, several, read)}))
"""


def test_ordinary_programs_do_not_notice(ring: Any, level: int) -> None:
    bot = ring.bot(COMMON + ORDINARY, table="x")
    with sqlite3.connect(bot.folder / "book.db") as book:
        book.execute("create table t (x)")
        book.execute("insert into t values (7)")
    book.close()
    ended = ring.run(bot, level)
    assert ended.ending.code == 0, ended.err
    assert json.loads(ended.out) == {
        "database": 1000,
        "book": 7,
        "lock": "locked",
        "copy": True,
        "several": [1, 2],
        "read": 1,
    }
