"""Drop rights inside the bot's process at level 1, one layer after the other, then run the bot.

The command is `python -m arena.bots.sandbox.confine PLAN COMMAND...`, where PLAN is JSON. If a layer of the plan cannot
be applied, the process ends before the bot starts. A Python bot runs in the same interpreter, which saves time.
"""

from __future__ import annotations

import ctypes
import json
import os
import stat
import struct
import sys
from collections.abc import Iterable
from typing import Any

from arena.bots.system import syscalls
from arena.bots.system.reaping import die_with_parent
from arena.bots.system.surroundings import set_limits

# Landlock: a process drops its own rights to files and the network. It needs neither root nor namespaces. The numbers
# are those of the system calls on all architectures, and of linux/landlock.h.

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
    attributes = struct.pack("=Q", rights)
    if version >= 4:
        attributes += struct.pack("=Q", BOTH_NETWORK_RIGHTS)
    if version >= 6:
        attributes += struct.pack("=Q", BOTH_SCOPES)
    ruleset = syscalls.syscall(CREATE_RULESET, attributes, len(attributes), 0)
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


PR_SET_SECCOMP = 22
SECCOMP_MODE_FILTER = 2
INSTRUCTION_SIZE = 8


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_char_p))


def install_seccomp(program: bytes) -> None:
    structure = _Program(len(program) // INSTRUCTION_SIZE, program)
    syscalls.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.addressof(structure))


def confine(plan: dict[str, Any]) -> None:
    """Apply the layers of a plan. `no_new_privs` must come before Landlock and seccomp: the kernel asks for it."""
    die_with_parent(plan["parent"])
    set_limits(plan["limits"])
    syscalls.prctl(syscalls.PR_SET_NO_NEW_PRIVS, 1)
    if any(layer.startswith("landlock") for layer in plan["layers"]):
        restrict(plan["readable"], plan["listable"], plan["writable"])
    if "seccomp" in plan["layers"]:
        install_seccomp(bytes.fromhex(plan["seccomp"]))


def main(arguments: list[str]) -> None:
    plan, command = json.loads(arguments[0]), arguments[1:]
    try:
        confine(plan)
    except OSError as error:
        sys.exit(f"The isolation of the bot failed: {error}.")
    if "code" not in plan:
        os.execvp(command[0], command)
    sys.argv = ["-c", *command]
    exec(plan["code"], {"__name__": "__main__"})


if __name__ == "__main__":
    main(sys.argv[1:])
