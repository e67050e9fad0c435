"""Drop rights inside the bot's process at level 1, one layer after the other, then run the bot.

The command is `python -m arena.bots.rights.confine PLAN COMMAND...`, where PLAN is JSON. If a layer of the plan cannot
be applied, the process ends before the bot starts. A Python bot runs in the same interpreter, which saves time.
"""

from __future__ import annotations

import ctypes
import json
import os
import sys
from typing import Any

from arena.bots.rights import landlock
from arena.bots.system import syscalls
from arena.bots.system.reaping import die_with_parent
from arena.bots.system.surroundings import set_limits

PR_SET_SECCOMP = 22
SECCOMP_MODE_FILTER = 2
INSTRUCTION_SIZE = 8


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_char_p))


def install_seccomp(program: bytes) -> None:
    whole = _Program(len(program) // INSTRUCTION_SIZE, program)
    syscalls.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.addressof(whole))


def confine(plan: dict[str, Any]) -> None:
    die_with_parent(plan["parent"])
    set_limits(plan["limits"])
    syscalls.prctl(syscalls.PR_SET_NO_NEW_PRIVS, 1)
    if any(layer.startswith("landlock") for layer in plan["layers"]):
        landlock.restrict(plan["readable"], plan["listable"], plan["writable"])
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
