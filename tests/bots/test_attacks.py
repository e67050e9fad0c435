"""Bots that try to take the machine down: whatever they do, it ends, is named, and leaves nothing."""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import socket
import time
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from waiting import until

from arena.bots.sandbox.visible import visible_python
from arena.errors import ArenaError
from arena.match.limits import Limits

pytestmark = pytest.mark.sandbox

MEBIBYTE = 1024 * 1024


def inside(process: Any) -> list[int]:
    """The processes in a sandbox, told by their pid namespace."""
    own = os.readlink(f"/proc/{process.inner_pid}/ns/pid")
    found = []
    for entry in os.listdir("/proc"):
        try:
            if entry.isdigit() and os.readlink(f"/proc/{entry}/ns/pid") == own:
                found.append(int(entry))
        except OSError:
            continue
    return found


@pytest.mark.promise("processes")
def test_fork_bomb(ring: Any, level: int, small: Limits) -> None:
    source = """
        import os, time
        while True:
            try:
                os.fork()
            except OSError:
                print("full", flush=True)
                time.sleep(0.05)
    """
    with ring.start(source, level, limits=small) as process:
        until(lambda: process.stdout.drain() and "full" in process.stdout.text())
        assert len(inside(process)) <= small.processes
        assert process.poll() is None
        assert process.kill().signal == "SIGKILL"
        assert process.close() == process.kill()


@pytest.mark.promise("processes")
def test_thread_bomb(ring: Any, level: int, small: Limits) -> None:
    source = """
        import threading
        stop = threading.Event()
        count = 0
        try:
            while True:
                threading.Thread(target=stop.wait).start()
                count += 1
        except RuntimeError:
            print(count)
        stop.set()
    """
    ended = ring.run(source, level, limits=replace(small, address_space=4096 * MEBIBYTE))
    assert ended.ending.code == 0, ended.err
    assert 5 <= int(ended.out) < small.processes


@pytest.mark.promise("memory")
def test_memory_of_one_process(ring: Any, level: int, small: Limits) -> None:
    source = """
        memory = []
        while True:
            memory.append(b"x" * 1024 * 1024)
    """
    ended = ring.run(source, level, limits=small)
    assert ended.ending.out_of_memory
    assert ended.ending.reason == "out of memory"
    assert ended.ending.signal == "SIGKILL"


def test_private_memory_of_one_process(ring: Any, level: int, small: Limits) -> None:
    source = """
        import mmap
        kept = [mmap.mmap(-1, 1 << 30, flags=mmap.MAP_PRIVATE, prot=mmap.PROT_READ) for _ in range(16)]
        try:
            for _ in range(16):
                kept.append(mmap.mmap(-1, 64 << 20, flags=mmap.MAP_PRIVATE))
        except OSError as error:
            print(len(kept) - 16, error.strerror)
    """
    limits = replace(small, private_memory=256 * MEBIBYTE, address_space=Limits().address_space)
    assert ring.run(source, level, limits=limits).out == "3 Cannot allocate memory\n"


@pytest.mark.parametrize(
    ("kept", "killed"),
    [("MAP_SHARED | mmap.MAP_ANONYMOUS", True), ("MAP_PRIVATE", True), ("MAP_PRIVATE, prot=mmap.PROT_READ", False)],
)
@pytest.mark.promise("memory")
def test_memory_that_is_mapped(ring: Any, level: int, small: Limits, kept: str, killed: bool) -> None:
    source = f"""
        import mmap
        memory = mmap.mmap(-1, 400 << 20, flags=mmap.{kept})
        for place in range(0, len(memory), 4096):
            {"memory[place] = 1" if killed else "memory[place]"}
    """
    assert ring.run(source, level, limits=small).ending.out_of_memory is killed


def test_memory_that_processes_share_counts_once(ring: Any, level: int, small: Limits) -> None:
    source = """
        import os, time
        memory = bytearray(b"x" * (24 << 20))
        for _ in range(8):
            if os.fork() == 0:
                time.sleep(0.5)
                os._exit(0)
        time.sleep(0.5)
        for place in range(0, len(memory), 4096):
            memory[place] = 1
        print("done")
    """
    ended = ring.run(source, level, limits=small)
    assert ended.out == "done\n", ended


@pytest.mark.promise("memory")
def test_memory_of_many_processes(ring: Any, level: int, small: Limits) -> None:
    source = """
        import os, time
        for _ in range(16):
            if os.fork() == 0:
                break
        memory = bytearray(32 * 1024 * 1024)
        for place in range(0, len(memory), 4096):
            memory[place] = 1
        time.sleep(30)
    """
    with ring.start(source, level, limits=small) as process:
        assert_killed_for_memory(process)


def assert_killed_for_memory(process: Any) -> None:
    """Check that a process of the bot is killed; at level 3 the others can go on."""
    end = time.monotonic() + 20
    while not process.out_of_memory() and time.monotonic() < end:
        time.sleep(0.01)
    assert process.kill().out_of_memory


def test_memory_in_files_that_have_no_name(ring: Any, level: int, small: Limits) -> None:
    source = """
        import os
        file = os.memfd_create("memory")
        while True:
            if os.write(file, b"x" * 1024 * 1024) < 1024 * 1024:
                raise SystemExit("full")
    """
    ended = ring.run(source, level, limits=replace(small, file_size=1024 * MEBIBYTE))
    if level == 3:
        assert ended.ending.out_of_memory
    else:
        assert "PermissionError" in ended.err


@pytest.mark.promise("memory")
def test_buffers_of_sockets_are_small(ring: Any, level: int, small: Limits) -> None:
    source = """
        import socket
        kept = []
        sent = 0
        try:
            while True:
                pair = socket.socketpair()
                kept.append(pair)
                for end in pair:
                    end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 30)
                    end.setblocking(False)
                    try:
                        while True:
                            sent += end.send(bytes(65536))
                    except BlockingIOError:
                        pass
        except OSError:
            print(sent // 1024 // 1024)
    """
    ended = ring.run(source, level, limits=replace(small, memory=256 * MEBIBYTE))
    assert ended.ending.code == 0, ended.err
    assert 10 < int(ended.out) < 100


def test_temporary_folders_are_small(ring: Any, level: int, small: Limits) -> None:
    source = """
        import os
        def fill(folder):
            size = 0
            try:
                for number in range(100):
                    with open(f"{folder}/{number}", "wb", buffering=0) as file:
                        for _ in range(8):
                            size += file.write(b"x" * 1024 * 1024)
            except OSError as error:
                return size // 1024 // 1024, os.strerror(error.errno)
        print(fill("/tmp"), fill("/dev/shm"))
    """
    ended = ring.run(source, level, limits=replace(small, memory=256 * MEBIBYTE))
    assert ended.out.strip() == str(((16, "No space left on device"), (16, "No space left on device")))[1:-1].replace(
        "), (", ") ("
    )


@pytest.mark.promise("kernel-objects")
def test_no_kernel_object_belongs_to_nobody(ring: Any, level: int, kernel_objects: str) -> None:
    assert ring.run(kernel_objects, level).out.split() == ["True"] * 7


@pytest.mark.promise("kernel-memory")
def test_empty_files_are_memory(ring: Any, level: int, small: Limits) -> None:
    source = """
        import os
        for number in range(1_000_000):
            os.close(os.open(f"/dev/shm/{number}", os.O_CREAT))
            if number % 1000 == 0:
                print(number, flush=True)
    """
    ended = ring.run(source, level, limits=small)
    assert ended.ending.out_of_memory
    assert int(ended.out.split()[-1]) < 64 * MEBIBYTE // 1000, "an empty file needs more than 1,000 bytes"


def test_a_thousand_files_are_not(ring: Any, level: int, small: Limits) -> None:
    source = """
        import os, time
        for number in range(1000):
            os.close(os.open(f"/tmp/{number}", os.O_CREAT))
        time.sleep(0.5)
        print(sum(name.isdigit() for name in os.listdir("/tmp")))
    """
    assert ring.run(source, level, limits=small).out == "1000\n"


SPLIT = """
    import ctypes, mmap, os, time
    libc = ctypes.CDLL(None)
    def split(mappings):
        memory = mmap.mmap(-1, 4096 * mappings, flags=mmap.MAP_PRIVATE, prot=mmap.PROT_READ | mmap.PROT_WRITE)
        start = ctypes.addressof(ctypes.c_char.from_buffer(memory))
        for page in range(0, mappings, 2):
            libc.mprotect(ctypes.c_void_p(start + 4096 * page), 4096, mmap.PROT_READ)
        return memory, start
"""


@pytest.mark.parametrize(("processes", "mappings"), [(12, 60_000), (20, 15_000)])
@pytest.mark.promise("kernel-memory")
def test_split_mappings_are_memory(ring: Any, level: int, small: Limits, processes: int, mappings: int) -> None:
    source = f"""{SPLIT}
    for _ in range({processes}):
        if os.fork() == 0:
            break
    kept = split({mappings})
    time.sleep(30)
    """
    limits = replace(small, private_memory=1024 * MEBIBYTE, address_space=4096 * MEBIBYTE)
    with ring.start(source, level, limits=limits) as process:
        assert_killed_for_memory(process)


def test_a_few_thousand_mappings_are_not(ring: Any, level: int, small: Limits) -> None:
    source = SPLIT + "    kept = split(8000)\n    time.sleep(0.5)\n    print('done')\n"
    assert ring.run(source, level, limits=small).out == "done\n"


def test_a_file_cannot_be_large(ring: Any, level: int, small: Limits) -> None:
    source = """
        with open("/tmp/file", "wb", buffering=0) as file:
            try:
                while True:
                    file.write(b"x" * 1024 * 1024)
            except OSError as error:
                print(error.strerror, file.tell())
    """
    ended = ring.run(source, level, limits=replace(small, file_size=4 * MEBIBYTE))
    assert ended.out.strip() == f"File too large {4 * MEBIBYTE}"


def test_descriptors_run_out(ring: Any, level: int) -> None:
    source = """
        files = []
        try:
            for _ in range(10_000):
                files.append(open("/dev/null"))
        except OSError as error:
            print(len(files) + 3, error.strerror)
    """
    assert ring.run(source, level).out.strip() == "256 Too many open files"


@pytest.mark.promise("signals")
def test_nobody_outside_can_be_killed(ring: Any, level: int) -> None:
    source = f"""
        import os, signal
        for pid in (1, {os.getpid()}, {os.getppid()}):
            try:
                os.kill(pid, signal.SIGKILL)
            except OSError as error:
                print(pid, error.strerror)
        try:
            os.killpg(0, 0)
            os.kill(-1, signal.SIGTERM)
        except OSError as error:
            print("all", error.strerror)
        print("alive", flush=True)
    """
    with ring.start("import time; time.sleep(60)", level, seat=1) as other:
        ended = ring.run(source, level)
        assert other.poll() is None
    assert "alive" in ended.out or ended.ending.signal
    assert os.getpid()


def test_killing_everybody_kills_only_the_bot(ring: Any, level: int) -> None:
    source = """
        import os, signal, time
        if os.fork() == 0:
            time.sleep(60)
        os.kill(-1, signal.SIGKILL)
        os.kill(1, signal.SIGKILL)
        os.kill(os.getpid(), signal.SIGKILL)
    """
    with ring.start("import time; time.sleep(60)", level, seat=1) as other:
        ended = ring.run(source, level)
        assert ended.ending.signal == "SIGKILL"
        assert not ended.ending.out_of_memory
        assert other.poll() is None


@pytest.mark.promise("survivors")
def test_a_survivor_of_two_forks_is_gone(ring: Any, level: int) -> None:
    source = """
        import os, signal, sys, time
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                signal.signal(signal.SIGTERM, signal.SIG_IGN)
                os.closerange(0, 256)
                time.sleep(600)
            os._exit(0)
        time.sleep(0.1)
        print("parent ends")
    """
    ended = ring.run(source, level)
    assert ended.ending.code == 0
    assert ended.out == "parent ends\n"


def test_a_crash_leaves_no_core_file(ring: Any, level: int) -> None:
    source = """
        import os, resource, signal
        print(resource.getrlimit(resource.RLIMIT_CORE), flush=True)
        os.chdir("/tmp")
        if os.fork() == 0:
            os.kill(os.getpid(), signal.SIGSEGV)
        os.wait()
        print([name for name in os.listdir("/tmp") if "core" in name], flush=True)
        os.kill(os.getpid(), signal.SIGSEGV)
    """
    ended = ring.run(source, level)
    assert ended.ending.signal == "SIGSEGV"
    assert ended.out == "(0, 0)\n[]\n"


@pytest.mark.parametrize(
    ("end", "reason"),
    [
        ("raise SystemExit(0)", "exit code 0"),
        ("raise SystemExit(3)", "exit code 3"),
        ("os._exit(7)", "exit code 7"),
        ("os.abort()", "killed by SIGABRT"),
        ("os.kill(os.getpid(), signal.SIGTERM)", "killed by SIGTERM"),
        ("raise RuntimeError('at import')", "exit code 1"),
    ],
)
def test_ends_are_named(ring: Any, level: int, end: str, reason: str) -> None:
    ended = ring.run(f"import os, signal\n{end}\n", level)
    assert ended.ending.reason == reason


def test_a_sandbox_that_fails_is_not_the_bots_fault(ring: Any, level: int, monkeypatch: pytest.MonkeyPatch) -> None:
    python = visible_python()
    broken = replace(python, binds=(*python.binds, ("/usr/bin", "/usr/nowhere")))
    monkeypatch.setattr(import_module("arena.bots.launch"), "visible_python", lambda packages: broken)
    with pytest.raises(ArenaError, match="/usr/nowhere"):
        ring.run("print('ran')", level)


def test_files_that_have_gone_since(ring: Any, level: int) -> None:
    bot = ring.bot("print('ran')")
    (bot.folder / "main.py").unlink()
    with pytest.raises(ArenaError, match=r"main\.py"):
        ring.run(replace(bot, files=("main.py",)), level)


def test_a_bot_cannot_feign_that(ring: Any, level: int) -> None:
    source = "import os, sys; sys.stderr.write('bwrap: Can\\'t find source path'); sys.stderr.flush(); os._exit(1)"
    assert ring.run(source, level).ending.reason == "exit code 1"


def test_a_syntax_error_is_shown_to_its_author(ring: Any, level: int) -> None:
    ended = ring.run("def broken(:\n", level)
    assert ended.ending.code == 1
    assert "SyntaxError" in ended.err


def test_a_stack_without_end(ring: Any, level: int) -> None:
    source = """
        import sys
        sys.setrecursionlimit(10**9)
        class Deep:
            def __del__(self):
                Deep()
            def __repr__(self):
                return repr(self)
        repr(Deep())
    """
    ended = ring.run(source, level, limits=Limits(memory=128 * MEBIBYTE))
    assert ended.ending.reason in {"killed by SIGSEGV", "out of memory", "exit code 1"}


def test_a_flood_is_drained_then_cut(ring: Any, level: int) -> None:
    source = """
        import sys
        print("the first line", flush=True)
        try:
            while True:
                sys.stdout.write("x" * 65535 + "\\n")
        except BrokenPipeError:
            print("the last line", file=sys.stderr)
            sys.stderr.flush()
            import os
            os._exit(0)
    """
    limits = Limits(output_read=8 * MEBIBYTE, output_kept=4096)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with ring.start(source, level, limits=limits) as process:
        while process.poll() is None:
            if not process.stdout.drain():
                time.sleep(0.001)
        assert process.stdout.flooded
        assert process.stdout.closed
        assert process.close().code == 0
        assert process.stderr.text() == "the last line\n"
        text = process.stdout.text()
    assert text.startswith("the first line\n")
    assert "[cut: " in text
    assert len(text) < 3 * 4096
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 10_000


def test_an_honest_talker_is_not_held_up(ring: Any, level: int) -> None:
    source = """
        for number in range(20_000):
            print("line", number)
    """
    ended = ring.run(source, level)
    assert ended.ending.code == 0
    assert ended.out.startswith("line 0\nline 1\n")
    assert ended.out.endswith("line 19999\n")
    assert "[cut: " in ended.out


def test_closing_every_descriptor(ring: Any, level: int) -> None:
    source = """
        import os, time
        os.closerange(0, 256)
        time.sleep(0.2)
        os._exit(4)
    """
    assert ring.run(source, level).ending.code == 4


def test_a_stopped_bot_can_be_killed(ring: Any, level: int) -> None:
    source = "import os, signal; print('now', flush=True); os.kill(os.getpid(), signal.SIGSTOP)"
    with ring.start(source, level) as process:
        until(lambda: process.stdout.drain())
        assert process.poll() is None


def test_terminal_tricks_find_no_terminal(ring: Any, level: int) -> None:
    source = """
        import os, pty
        def attempt(act):
            try:
                act()
                return "done"
            except OSError as error:
                return error.strerror
        print(attempt(lambda: open("/dev/tty")), attempt(lambda: os.tcsetpgrp(0, 1)), attempt(lambda: os.ttyname(1)))
    """
    ended = ring.run(source, level)
    assert "done" not in ended.out
    assert ended.ending.code == 0, ended.err


def test_the_referees_death_is_the_bots_death(ring: Any, level: int) -> None:
    bot = ring.bot("import time; print('up', flush=True); time.sleep(600)")
    ring.start("pass", level).close()
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            from arena.bots.launch import launch

            process = launch(bot, seat=0, socket=f"{ring.folder}/seat0.sock", at_most=level)
            while not process.stdout.drain():
                time.sleep(0.002)
            os.write(write, str(process.inner_pid).encode())
            time.sleep(600)
        finally:
            os._exit(1)
    inner = int(os.read(read, 100))
    os.close(read)
    os.close(write)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    until(lambda: not _lives(inner))
    _clear_up()


def _lives(pid: int) -> bool:
    with contextlib.suppress(ChildProcessError):
        os.waitpid(pid, os.WNOHANG)
    return Path(f"/proc/{pid}").exists()


def _clear_up() -> None:
    from arena.bots.sandbox.group_parents import find_parents
    from arena.bots.system.reaping import reap_orphans

    end = time.monotonic() + 5
    while time.monotonic() < end:
        reap_orphans()
        # `find_parents` sweeps the groups of the dead.
        folders = {parent.folder for parent in find_parents().by_capability.values()}
        if not any(_is_dead(group.name) for folder in folders for group in folder.glob(f"arena-{'[0-9a-f]' * 8}-*")):
            return
        time.sleep(0.02)
    raise AssertionError("groups of a dead referee were left")


def _is_dead(group: str) -> bool:
    """Whether the process that made a group is dead: it held a socket with the name of the group."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as lock, contextlib.suppress(OSError):
        lock.bind("\0" + group.rpartition("-")[0] + "-")
        return True
    return False
