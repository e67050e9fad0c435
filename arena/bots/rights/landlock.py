"""Landlock: a process drops its own rights to files and the network. It needs neither root nor namespaces."""

from __future__ import annotations

import ctypes
import os
import stat
import struct
from collections.abc import Iterable

from arena.bots.system import syscalls

CREATE_RULESET = 444
ADD_RULE = 445
RESTRICT_SELF = 446
VERSION_FLAG = 1
RULE_PATH_BENEATH = 1

EXECUTE = 1 << 0
WRITE_FILE = 1 << 1
READ_FILE = 1 << 2
READ_DIR = 1 << 3
TRUNCATE = 1 << 14
READ = READ_FILE | READ_DIR | EXECUTE
FILE_ONLY = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE

FILE_RIGHTS = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16}
"""The number of file rights in each version of Landlock. Later versions have as many as the last one here."""

BOTH_NETWORK_RIGHTS = 0b11
BOTH_SCOPES = 0b11


def landlock_version() -> int:
    """Return the kernel's version of Landlock, 0 without Landlock."""
    try:
        return syscalls.syscall(CREATE_RULESET, None, 0, VERSION_FLAG)
    except OSError:
        return 0


def restrict(readable: Iterable[str], listable: Iterable[str] = (), writable: Iterable[str] = ()) -> int:
    """Allow this process, and all processes that it starts, to use only these files and folders.

    Landlock version 4 and later also denies TCP. Version 6 and later also denies signals to other processes, and
    connections to their abstract Unix sockets. Set `no_new_privs` before the call. Paths that do not exist are ignored.

    Args:
        readable: Files to read and execute, and folders whose files can be read and executed.
        listable: Folders whose file names can be listed, also in subfolders. Their files cannot be read.
        writable: Files to read and write, and folders whose existing files can be read and written.

    Returns:
        The version of Landlock.
    """
    version = landlock_version()
    rights = (1 << FILE_RIGHTS.get(version, 16)) - 1
    attributes = struct.pack(
        "=QQQ", rights, BOTH_NETWORK_RIGHTS if version >= 4 else 0, BOTH_SCOPES if version >= 6 else 0
    )
    size = 8 if version < 4 else 16 if version < 6 else 24
    ruleset = syscalls.syscall(CREATE_RULESET, attributes, size, 0)
    try:
        for path in readable:
            _allow(ruleset, path, READ & rights)
        for path in listable:
            _allow(ruleset, path, READ_DIR & rights)
        for path in writable:
            _allow(ruleset, path, (READ | WRITE_FILE | TRUNCATE) & rights)
        syscalls.syscall(RESTRICT_SELF, ruleset, 0)
    finally:
        os.close(ruleset)
    return version


def _allow(ruleset: int, path: str, rights: int) -> None:
    try:
        descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except FileNotFoundError:
        return
    try:
        if not stat.S_ISDIR(os.fstat(descriptor).st_mode):
            rights &= FILE_ONLY
        if not rights:
            return
        rule = ctypes.create_string_buffer(struct.pack("=Qi", rights, descriptor))
        syscalls.syscall(ADD_RULE, ruleset, RULE_PATH_BENEATH, rule, 0)
    finally:
        os.close(descriptor)
