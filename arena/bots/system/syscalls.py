"""The few Linux system calls that Python does not offer, through ctypes."""

from __future__ import annotations

import ctypes
import os
import sys
from functools import cache

CLONE_NEWNS = 0x00020000
MS_RDONLY = 0x1
MS_NOSUID = 0x2
MS_NODEV = 0x4
MS_BIND = 0x1000
MS_REC = 0x4000
MS_SLAVE = 1 << 19
PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36
PR_SET_NO_NEW_PRIVS = 38


@cache
def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _check(result: int, what: str) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), what)
    return result


def is_linux() -> bool:
    return sys.platform == "linux"


def prctl(option: int, argument: int = 0, *rest: int) -> int:
    values = [ctypes.c_ulong(value) for value in (argument, *rest, 0, 0, 0)[:4]]
    return _check(_libc().prctl(option, *values), "prctl")


def unshare(flags: int) -> None:
    _check(_libc().unshare(flags), "unshare")


def mount(source: str, target: str, kind: str, flags: int, options: str = "") -> None:
    arguments = (source.encode(), target.encode(), kind.encode(), ctypes.c_ulong(flags), options.encode())
    _check(_libc().mount(*arguments), target)


def syscall(number: int, *arguments: int | bytes | ctypes.Array[ctypes.c_char] | None) -> int:
    """Make a system call by its number, for calls that libc does not wrap."""
    values = [ctypes.c_long(value) if isinstance(value, int) else value for value in arguments]
    return _check(_libc().syscall(ctypes.c_long(number), *values), f"system call {number}")
