"""The bot of `arena doctor` that tries to break out of its sandbox, and prints its successes as JSON."""

import ctypes
import importlib
import json
import os
import socket
import sys
from collections.abc import Callable, Iterator
from functools import partial

EPERM = 1
CLONE_NEWUSER = 0x10000000
KEYCTL = {"x86_64": 250, "aarch64": 219}


def works(act: Callable[[], object]) -> bool:
    try:
        act()
    except Exception:
        return False
    return True


def read(path: str) -> object:
    if os.path.isdir(path):
        return os.listdir(path)
    with open(path, "rb") as stream:
        return stream.read(1)


def make(path: str) -> None:
    with open(path, "x"):
        pass


def python() -> Iterator[str]:
    """Yield a message for each Python package that a bot needs but cannot import."""
    for name in ("zmq", "msgpack", "arena_player"):
        if not works(partial(importlib.import_module, name)):
            yield f"{name} cannot be imported"


def files(secret: str) -> Iterator[str]:
    """Try to read some private files and folders. Yield a message for each success."""
    for path in (secret, "/etc/shadow", "/etc/passwd", "/home", "/root/.bashrc", "/var/log", "/sys/kernel"):
        if works(partial(read, path)):
            yield f"{path} can be read"


def writes() -> Iterator[str]:
    """Try to write to some folders. Yield a message for each success."""
    for path in ("/", "/usr", "/etc", "/var/tmp", "/run", "/home", os.path.dirname(os.path.abspath(__file__))):
        name = os.path.join(path, "arena-inspector")
        if works(partial(make, name)):
            os.unlink(name)
            yield f"{path} can be written to"
    if works(partial(open, "/proc/self/comm", "r+b")):
        yield "/proc can be written to"


def network(port: int) -> Iterator[str]:
    if works(lambda: socket.create_connection(("127.0.0.1", port), 1).close()):
        yield "a server on this machine can be reached"
    if works(lambda: socket.create_connection(("1.1.1.1", 53), 1).close()):
        yield "the internet can be reached"


def processes(pid: int) -> Iterator[str]:
    """Yield a message if the bot can see other processes, and one if it can send a signal to Arena."""
    seen = [entry for entry in os.listdir("/proc") if entry.isdigit()] if works(partial(read, "/proc")) else []
    # In a sandbox, the bot sees itself and the sandbox's first process.
    if len(seen) > 2:
        yield f"{len(seen)} processes can be seen"
    if os.getppid() != 1 and works(partial(os.kill, pid, 0)):
        yield "the process of arena can be signalled"


def calls() -> Iterator[str]:
    """Yield a message for each dangerous system call that the seccomp filter does not refuse."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(CLONE_NEWUSER) == 0 or ctypes.get_errno() != EPERM:
        yield "unshare is not refused"
    number = KEYCTL.get(os.uname().machine)
    if number and (libc.syscall(number, 0, -1, 0, 0, 0) >= 0 or ctypes.get_errno() != EPERM):
        yield "keyctl is not refused"


def main() -> None:
    known = json.loads(os.environ["ARENA_DOCTOR"])
    found = {
        "a Python bot": python(),
        "files": files(known["secret"]),
        "read-only": writes(),
        "network": network(known["port"]),
        "processes": processes(known["pid"]),
        "seccomp": calls(),
    }
    json.dump({name: list(faults) for name, faults in found.items()}, sys.stdout)


if __name__ == "__main__":
    main()
