"""Make the seccomp programs from the tables in `seccomp_rules.py`, without an assembler or a seccomp library.

Run `python tools/seccomp_programs.py` after each change of the tables. A test compares the committed programs with the
programs that this script makes.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from seccomp_rules import (
    ABSENT,
    AF_UNIX,
    ARCHITECTURES,
    CLONE_NEW_NAMESPACES,
    DENIED,
    DENIED_WITHOUT_MEMORY_LIMIT,
    EACCES,
    EINVAL,
    ENOSYS,
    EOPNOTSUPP,
    EPERM,
    EXAMINED,
    IGNORED,
    LAST_KNOWN,
    MADV_PAGEOUT,
    NOTICING_COMMANDS,
    PERSONALITY_QUERY,
    PR_SCHED_CORE,
    RWF_DONTCACHE,
    RWF_NOWAIT,
    SAME_RULE,
    SO_SNDBUF,
    SOL_SOCKET,
    SUCCESS,
    TIOCLINUX,
    TIOCSTI,
    Architecture,
)

from arena.bots.sandbox.bwrap import SECCOMP_FOLDER, program_name

LOAD = 0x20
JUMP_EQUAL = 0x15
JUMP_GREATER = 0x25
JUMP_SET = 0x45
RETURN = 0x06

NUMBER = 0
AUDIT = 4
FIRST_ARGUMENT, SECOND_ARGUMENT, THIRD_ARGUMENT, SIXTH_ARGUMENT = 16, 24, 32, 56

ALLOW = 0x7FFF0000
ERRNO = 0x00050000

INSTRUCTION = struct.Struct("=HBBI")


@dataclass(frozen=True, slots=True)
class Step:
    """One instruction of a program.

    Attributes:
        code: The operation.
        value: The operand.
        yes: The label of the instruction to jump to if the condition is true; empty for the next instruction.
        no: The label of the instruction to jump to if the condition is false; empty for the next instruction.
        label: The name of this instruction for jumps; empty if nothing jumps to it.
    """

    code: int
    value: int
    yes: str = ""
    no: str = ""
    label: str = ""


def assemble(architecture: Architecture, *, memory_limited: bool) -> bytes:
    """Return the program for one architecture.

    Args:
        architecture: The architecture.
        memory_limited: Whether a memory cgroup limits the bot. Then the program allows `memfd_create`.
    """
    return encode(list(_steps(architecture, memory_limited)))


def encode(steps: list[Step]) -> bytes:
    """Return the bytes of a program. Replace the label of each jump by the distance to the instruction."""
    places = {step.label: index for index, step in enumerate(steps) if step.label}
    code = bytearray()
    for index, step in enumerate(steps):
        jumps = [places[name] - index - 1 if name else 0 for name in (step.yes, step.no)]
        code += INSTRUCTION.pack(step.code, *jumps, step.value)
    return bytes(code)


def _steps(architecture: Architecture, memory_limited: bool) -> Iterator[Step]:
    column = architecture.column
    denied = DENIED if memory_limited else DENIED | DENIED_WITHOUT_MEMORY_LIMIT
    # 32-bit calls have another architecture and other numbers. Answer them with ENOSYS.
    yield Step(LOAD, AUDIT)
    yield Step(JUMP_EQUAL, architecture.audit, no="absent")
    yield Step(LOAD, NUMBER)
    yield Step(JUMP_GREATER, LAST_KNOWN, yes="absent")
    for name, numbers in EXAMINED.items():
        yield Step(JUMP_EQUAL, numbers[column], yes=SAME_RULE.get(name, name))
    for label, table in (("denied", denied), ("absent", ABSENT), ("ignored", IGNORED)):
        for pair in table.values():
            number = pair[column]
            if number is not None:
                yield Step(JUMP_EQUAL, number, yes=label)
    yield Step(RETURN, ALLOW, label="allowed")
    yield from _arguments()
    # A jump can only go forward, so the steps above need an instruction below them that allows the call.
    yield Step(RETURN, ALLOW, label="allowed too")
    yield Step(RETURN, ERRNO | EPERM, label="denied")
    yield Step(RETURN, ERRNO | EACCES, label="no access")
    yield Step(RETURN, ERRNO | EINVAL, label="invalid")
    yield Step(RETURN, ERRNO | EOPNOTSUPP, label="not supported")
    yield Step(RETURN, ERRNO | SUCCESS, label="ignored")
    yield Step(RETURN, ERRNO | ENOSYS, label="clone3")
    yield Step(RETURN, ERRNO | ENOSYS, label="absent")


def _arguments() -> Iterator[Step]:
    """Yield the steps that examine arguments.

    The kernel uses only the lower 32 bits of each examined argument, and so do these steps.
    """
    yield Step(LOAD, FIRST_ARGUMENT, label="clone")
    yield Step(JUMP_SET, CLONE_NEW_NAMESPACES, yes="denied", no="allowed too")
    yield Step(LOAD, FIRST_ARGUMENT, label="socket")
    yield Step(JUMP_EQUAL, AF_UNIX, yes="allowed too", no="no access")
    yield Step(LOAD, FIRST_ARGUMENT, label="personality")
    yield Step(JUMP_EQUAL, PERSONALITY_QUERY, yes="allowed too", no="denied")
    yield Step(LOAD, SECOND_ARGUMENT, label="ioctl")
    yield Step(JUMP_EQUAL, TIOCSTI, yes="denied")
    yield Step(JUMP_EQUAL, TIOCLINUX, yes="denied", no="allowed too")
    yield Step(LOAD, SECOND_ARGUMENT, label="fcntl")
    for command in NOTICING_COMMANDS.values():
        yield Step(JUMP_EQUAL, command, yes="denied")
    yield Step(RETURN, ALLOW)
    yield Step(LOAD, THIRD_ARGUMENT, label="madvise")
    yield Step(JUMP_EQUAL, MADV_PAGEOUT, yes="invalid", no="allowed too")
    yield Step(LOAD, SIXTH_ARGUMENT, label="preadv2")
    yield Step(JUMP_SET, RWF_NOWAIT | RWF_DONTCACHE, yes="not supported", no="allowed too")
    yield Step(LOAD, SECOND_ARGUMENT, label="setsockopt")
    yield Step(JUMP_EQUAL, SOL_SOCKET, no="allowed too")
    yield Step(LOAD, THIRD_ARGUMENT)
    yield Step(JUMP_EQUAL, SO_SNDBUF, yes="ignored", no="allowed too")
    yield Step(LOAD, FIRST_ARGUMENT, label="prlimit64")
    yield Step(JUMP_EQUAL, 0, yes="allowed too", no="denied")
    yield Step(LOAD, FIRST_ARGUMENT, label="prctl")
    yield Step(JUMP_EQUAL, PR_SCHED_CORE, yes="invalid", no="allowed too")


def write_all(folder: Path) -> list[Path]:
    """Write all programs into a folder, and return the paths of their files."""
    written = []
    for architecture in ARCHITECTURES:
        for limited in (True, False):
            path = folder / program_name(architecture.name, memory_limited=limited)
            path.write_bytes(assemble(architecture, memory_limited=limited))
            written.append(path)
    return written


if __name__ == "__main__":
    write_all(SECCOMP_FOLDER)
