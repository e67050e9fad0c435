"""What a bot must not reach: files, network, processes, the kernel's dangerous calls."""

from __future__ import annotations

import errno
import json
import os
import re
import socket
from pathlib import Path
from typing import Any

import pytest
import seccomp_rules as rules

from arena.bots.bot import load_bot

pytestmark = pytest.mark.sandbox

TRY = """
import json, os, socket, sys

def attempt(act):
    try:
        return act() or "done"
    except BaseException as error:
        return type(error).__name__

def tell(**found):
    print(json.dumps(found))
"""


def printed(ended: Any) -> dict[str, Any]:
    assert ended.ending.code == 0, (ended.ending, ended.err)
    return json.loads(ended.out)


@pytest.mark.promise("network")
def test_there_is_no_network(ring: Any, level: int) -> None:
    with socket.socket(socket.AF_UNIX) as abstract, socket.socket() as listener:
        abstract.bind(f"\0arena-test-{os.getpid()}")
        abstract.listen()
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        port = listener.getsockname()[1]
        found = printed(
            ring.run(
                TRY
                + f"""
AF_NETLINK, AF_VSOCK, AF_PACKET = 16, 40, 17
tell(
    loopback=attempt(lambda: socket.create_connection(("127.0.0.1", {port}), 2).close()),
    metadata=attempt(lambda: socket.create_connection(("169.254.169.254", 80), 2).close()),
    udp=attempt(lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("8.8.8.8", 53))),
    six=attempt(lambda: socket.socket(socket.AF_INET6).close()),
    netlink=attempt(lambda: socket.socket(AF_NETLINK, socket.SOCK_RAW).close()),
    vsock=attempt(lambda: socket.socket(AF_VSOCK, socket.SOCK_STREAM).close()),
    packet=attempt(lambda: socket.socket(AF_PACKET, socket.SOCK_RAW).close()),
    abstract=attempt(lambda: socket.socket(socket.AF_UNIX).connect("\\0arena-test-{os.getpid()}")),
    name=attempt(lambda: socket.getaddrinfo("example.org", 80) and None),
)
""",
                level,
            )
        )
    assert found.pop("abstract") == "ConnectionRefusedError"
    assert found.pop("name") == "gaierror"
    assert set(found.values()) == {"PermissionError"}


def test_it_may_talk_to_its_seat(ring: Any, level: int) -> None:
    source = TRY + 'tell(seat=attempt(lambda: socket.socket(socket.AF_UNIX).connect("/run/seat.sock")))'
    assert printed(ring.run(source, level)) == {"seat": "done"}


@pytest.mark.promise("host-files")
def test_files_of_the_host_are_not_there(ring: Any, level: int) -> None:
    other = ring.bot("SECRET = 1", name="other")
    paths = [
        "/etc/shadow",
        "/etc/passwd",
        "/root/.bashrc",
        "/home",
        "/sys",
        "/var",
        "/boot",
        str(other.folder / "main.py"),
        str(ring.folder),
        str(Path(__file__)),
        str(Path(__file__).parents[2] / "pyproject.toml"),
        "/bot/../etc/shadow",
        "/proc/1/root/etc/shadow",
        f"/proc/{os.getpid()}/environ",
    ]
    source = (
        TRY
        + f"""
def read(path):
    with open(path, "rb") as stream:
        return stream.read(10).decode("latin-1")
print(json.dumps({{p: attempt(lambda: os.listdir(p) if os.path.isdir(p) else read(p)) for p in {paths!r}}}))
"""
    )
    found = printed(ring.run(source, level))
    assert found.pop("/bot/../etc/shadow") == "FileNotFoundError"
    assert found.pop("/proc/1/root/etc/shadow") in {"FileNotFoundError", "PermissionError"}
    assert set(found.values()) == {"FileNotFoundError"}, found


@pytest.mark.promise("host-files")
def test_only_the_temporary_folders_can_be_written(ring: Any, level: int) -> None:
    source = (
        TRY
        + """
places = ["/", "/bot", "/usr", "/usr/bin", "/run", "/dev", "/etc", "/proc/sys/kernel", "/tmp", "/dev/shm"]
places += [place for place in sys.path if os.path.isdir(place)]
found = {place: attempt(lambda: open(place + "/x", "w").close()) for place in places}
found["own file"] = attempt(lambda: open("/bot/main.py", "a").close())
found["socket"] = attempt(lambda: os.unlink("/run/seat.sock"))
print(json.dumps(found))
"""
    )
    found = printed(ring.run(source, level))
    assert {place for place, answer in found.items() if answer == "done"} == {"/tmp", "/dev/shm"}


@pytest.mark.promise("other-processes")
def test_it_sees_only_itself(ring: Any, level: int) -> None:
    os.environ["ARENA_TEST_SECRET"] = "hush"
    source = (
        TRY
        + """
tell(
    descriptors=sorted(int(n) for n in os.listdir("/proc/self/fd"))[:-1],
    processes=[int(n) for n in os.listdir("/proc") if n.isdigit()],
    secrets=[name for name in os.environ if "SECRET" in name],
    first=os.listdir("/proc/1"),
    stdin=sys.stdin.read(),
    uid=[os.getuid(), os.getgid(), os.getgroups()],
    host=os.uname().nodename,
    parent=os.getppid(),
    capabilities=[l.split()[1] for l in open("/proc/self/status") if l.startswith("Cap")],
    kernel=attempt(lambda: open("/proc/cmdline").read()),
)
"""
    )
    try:
        found = printed(ring.run(source, level))
    finally:
        del os.environ["ARENA_TEST_SECRET"]
    assert found["descriptors"] == [0, 1, 2]
    assert len(found["processes"]) == 2
    assert found["secrets"] == []
    assert found["first"] == []
    assert found["stdin"] == ""
    assert found["kernel"] == "PermissionError"
    assert found["uid"][:2] == [1000, 1000]
    assert found["host"] == "bot"
    assert {int(capability, 16) for capability in found["capabilities"]} == {0}


@pytest.mark.promise("place")
def test_it_does_not_learn_where_it_lies_and_who_plays_it(ring: Any, level: int) -> None:
    source = """
import json
print(json.dumps({name: open(f"/proc/self/{name}").read() for name in ("mountinfo", "mounts", "mountstats", "cgroup")}))
"""
    found = printed(ring.run(ring.bot(source, name="entrant-of-somebody"), level))
    assert str(os.getpid()) not in re.findall(r"\d+", found.pop("cgroup"))
    if os.geteuid() == 0:
        # The path of the socket is a random one: the referee makes a folder for it.
        lines = [line for text in found.values() for line in text.splitlines() if "/run/seat.sock" not in line]
        assert not [line for line in lines if "entrant" in line or str(ring.folder) in line]
        assert [line for line in lines if " /bot " in line]


def test_caches_in_subfolders_are_not_there(ring: Any, level: int) -> None:
    bot = ring.bot("import json, os; print(json.dumps(sorted(os.listdir('pkg'))))")
    (bot.folder / "pkg" / "__pycache__").mkdir(parents=True)
    for name in ("__init__.py", "a.py", "__pycache__/a.pyc"):
        (bot.folder / "pkg" / name).touch()
    assert printed(ring.run(load_bot(bot.folder), level)) == ["__init__.py", "a.py"]


def test_seats_have_different_users(ring: Any, level: int) -> None:
    if os.geteuid() != 0:
        pytest.skip("an ordinary user has one user id for all seats")
    idle = "import time; time.sleep(60)"
    with ring.start(idle, level, seat=0) as first, ring.start(idle, level, seat=1) as second:
        uids = {os.stat(f"/proc/{process.inner_pid}").st_uid for process in (first, second)}
    assert len(uids) == 2
    assert 0 not in uids


@pytest.mark.promise("kernel-calls")
def test_namespaces_and_mounts_are_out_of_reach(ring: Any, level: int, monkeypatch: pytest.MonkeyPatch) -> None:
    source = (
        TRY
        + """
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
def call(result):
    return result < 0 and ctypes.get_errno()
tell(
    unshare=call(libc.unshare(0x10000000)),
    mount=call(libc.mount(b"none", b"/tmp", b"tmpfs", 0, None)),
    remount=call(libc.mount(b"none", b"/bot", None, 0x1020, None)),
    setns=call(libc.setns(os.open("/proc/self/ns/net", os.O_RDONLY), 0)),
    chroot=call(libc.chroot(b"/tmp")),
    setuid=attempt(lambda: os.setuid(0)),
    affinity=attempt(lambda: os.sched_setaffinity(0, range(os.cpu_count()))),
)
"""
    )
    with_seccomp = printed(ring.run(source, level))
    assert with_seccomp.pop("setuid") == "OSError"
    assert with_seccomp.pop("affinity") == "PermissionError"
    assert set(with_seccomp.values()) == {errno.EPERM}
    # The walls stand without seccomp too: none of the layers is the only one.
    monkeypatch.setattr("arena.bots.launch.seccomp_program", lambda memory_limited: b"")
    without = printed(ring.run(source, level))
    assert without["unshare"] == errno.ENOSPC
    assert {without[name] for name in ("mount", "remount", "setns", "chroot")} == {errno.EPERM}


@pytest.mark.promise("kernel-calls")
def test_every_denied_call_is_denied_in_the_real_sandbox(ring: Any, level: int) -> None:
    if os.uname().machine != "x86_64":
        pytest.skip("the numbers in this test are those of x86-64")
    denied = rules.DENIED | (rules.DENIED_WITHOUT_MEMORY_LIMIT if level < 3 else {})
    numbers = [pair[0] for pair in denied.values() if pair[0] is not None]
    source = (
        TRY
        + f"""
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long
def errno_of(number, *arguments):
    ctypes.set_errno(0)
    return ctypes.get_errno() if libc.syscall(ctypes.c_long(number), *map(ctypes.c_long, arguments)) < 0 else 0
tell(
    denied=sorted(set(errno_of(n, *[-1] * 6) for n in {numbers!r})),
    clone3=errno_of(435, 0, 0),
    clone_user=errno_of(56, 0x10000000 | 17, 0, 0, 0, 0),
    unknown=errno_of(470, 0),
    x32=errno_of(0x40000000 + 39, 0),
    tiocsti=errno_of(16, 1, 0x5412, 0),
    tiocsti_high=errno_of(16, 1, 0x100005412, 0),
    inet=errno_of(41, 2, 1, 0),
    inet_high=errno_of(41, 0x100000002, 1, 0),
    persona=errno_of(135, 0x0040000),
    asked=errno_of(135, 0xFFFFFFFF),
    memory=errno_of(319, ctypes.addressof(ctypes.create_string_buffer(b"x")), 0),
)
"""
    )
    found = printed(ring.run(source, level))
    assert found["denied"] == [1]
    assert (found["clone3"], found["unknown"], found["x32"]) == (38, 38, 38)
    assert (found["clone_user"], found["tiocsti"], found["tiocsti_high"]) == (1, 1, 1)
    assert (found["inet"], found["inet_high"]) == (13, 13)
    assert (found["persona"], found["asked"]) == (1, 0)
    assert found["memory"] == (0 if level == 3 else 1)


def test_folders_that_only_their_owner_may_enter_can_be_played(ring: Any, level: int) -> None:
    bot = ring.bot("import inner.secret; print(inner.secret.VALUE)")
    (bot.folder / "inner").mkdir(mode=0o700)
    (bot.folder / "inner" / "secret.py").write_text("VALUE = 17\n")
    for mode in (0o755, 0o700):
        bot.folder.chmod(mode)
        ended = ring.run(bot, level)
        assert ended.out == "17\n", ended.err
