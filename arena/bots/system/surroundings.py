"""What a shell, a service manager or a cluster gives to a program, and what Arena makes of it if it is too little.

`arena/__main__.py` and the process of level 1 import this module first, so slow imports are inside of the functions.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import socket

RUNS_PROGRAMS = hasattr(os, "fork")
"""Whether this system can isolate programs and measure their time: not Windows."""
LONGEST_SOCKET_FOLDER = 78
"""The longest folder for temporary folders with sockets, in bytes. The path of a Unix socket has at most 103 bytes on
macOS and 107 on Linux, and the longest names that Arena adds (`/arena-seat-` and 8 characters, `/seat`) have 25.
"""


def open_missing_streams() -> None:
    """Connect each missing standard stream with /dev/null. Call this function before any other descriptor is opened.

    Otherwise a file or socket that is opened later would get the number of the stream, and what a child process prints
    would go there. Python has no object for a missing stream.
    """
    for number, (name, mode) in enumerate((("stdin", "r"), ("stdout", "w"), ("stderr", "w"))):
        try:
            os.fstat(number)
        except OSError:
            null = os.open(os.devnull, os.O_RDWR)
            if null == number:
                os.set_inheritable(number, True)
            else:
                os.dup2(null, number)  # inheritable
                os.close(null)
        if getattr(sys, name) is None:
            stream = os.fdopen(number, mode, encoding="utf-8", errors="backslashreplace", closefd=False)
            setattr(sys, name, stream)
            setattr(sys, f"__{name}__", stream)


def within_hard_limit(name: str, value: int) -> int:
    """Return a limit for a resource such as `RLIMIT_AS`, or the present hard limit if it is lower.

    Only root can raise a hard limit, such as one of `ulimit -v` in a shell or of a service.
    """
    import resource  # not on Windows

    hard = resource.getrlimit(getattr(resource, name))[1]
    return value if hard == resource.RLIM_INFINITY else min(value, hard)


def set_limits(limits: dict[str, int]) -> None:
    """Set the hard and soft limits of this process, by names such as `RLIMIT_AS`. Never raise a present hard limit."""
    import resource

    for name, value in limits.items():
        value = within_hard_limit(name, value)
        resource.setrlimit(getattr(resource, name), (value, value))


def socket_folder() -> str:
    """Return the folder in which to make temporary folders with Unix sockets.

    It is the folder for temporary files, unless its path is too long: the kernel limits the path of a socket.
    """
    import tempfile

    from arena.errors import ArenaError, ExitCode

    temporary = tempfile.gettempdir()
    for folder in (temporary, "/tmp", "/var/tmp", os.environ.get("XDG_RUNTIME_DIR"), "/dev/shm"):
        if folder and len(os.fsencode(folder)) <= LONGEST_SOCKET_FOLDER and os.access(folder, os.W_OK | os.X_OK):
            return folder
    raise ArenaError(
        f"The path of the folder for temporary files is too long for a socket: {temporary}.",
        hint=f"Set TMPDIR to a folder whose path has at most {LONGEST_SOCKET_FOLDER} bytes.",
        exit_code=ExitCode.CANNOT_WRITE,
    )


def reserve_name(name: str) -> socket.socket | None:
    """Reserve a name on this machine until the socket is closed or this process ends; None if somebody else has it.

    The lock is a bound socket in the kernel's abstract namespace, so that a killed process leaves no file behind.
    """
    import socket

    lock = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    try:
        lock.bind(f"\0{name}")
    except OSError:
        lock.close()
        return None
    return lock


@contextlib.contextmanager
def unused_seat() -> Iterator[str]:
    """Yield the path of a bound socket in a new temporary folder, for a program that needs a seat but does not play."""
    import socket
    import tempfile

    with (
        tempfile.TemporaryDirectory(prefix="arena-", dir=socket_folder()) as folder,
        socket.socket(socket.AF_UNIX) as listener,
    ):
        listener.bind(f"{folder}/seat")
        listener.listen()
        yield f"{folder}/seat"
