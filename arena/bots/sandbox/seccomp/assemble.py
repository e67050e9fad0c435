"""Makes the seccomp programs from `rules.py`; no tool and no library is needed.

Run `python -m arena.bots.sandbox.seccomp.assemble` after a change of the rules; a test compares the committed bytes
with what this module makes.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from arena.bots.sandbox.seccomp import program_name
from arena.bots.sandbox.seccomp.rules import (
    AF_UNIX,
    ARCHITECTURES,
    CLONE_NEW_NAMESPACES,
    DENIED,
    DENIED_WITHOUT_MEMORY_LIMIT,
    EACCES,
    ENOSYS,
    EPERM,
    EXAMINED,
    LAST_KNOWN,
    PERSONALITY_QUERY,
    TIOCLINUX,
    TIOCSTI,
    Architecture,
)

LOAD = 0x20
JUMP_EQUAL = 0x15
JUMP_GREATER = 0x25
JUMP_SET = 0x45
RETURN = 0x06

NUMBER = 0
AUDIT = 4
FIRST_ARGUMENT = 16
SECOND_ARGUMENT = 24

ALLOW = 0x7FFF0000
ERRNO = 0x00050000

INSTRUCTION = struct.Struct("=HBBI")


@dataclass(frozen=True, slots=True)
class Step:
    """One instruction, its jumps still by name; an empty name is the next instruction."""

    code: int
    value: int
    yes: str = ""
    no: str = ""
    label: str = ""


def assemble(architecture: Architecture, *, memory_limited: bool) -> bytes:
    """The program for one architecture.

    Args:
        architecture: Which.
        memory_limited: Whether a memory cgroup holds, so that anonymous shared memory can be allowed.
    """
    return encode(list(_steps(architecture, memory_limited)))


def encode(steps: list[Step]) -> bytes:
    """The bytes of a program, with its jumps as distances."""
    places = {step.label: index for index, step in enumerate(steps) if step.label}
    code = bytearray()
    for index, step in enumerate(steps):
        jumps = [places[name] - index - 1 if name else 0 for name in (step.yes, step.no)]
        code += INSTRUCTION.pack(step.code, *jumps, step.value)
    return bytes(code)


def _steps(architecture: Architecture, memory_limited: bool) -> Iterator[Step]:
    column = architecture.column
    denied = DENIED if memory_limited else DENIED | DENIED_WITHOUT_MEMORY_LIMIT
    # A 32-bit call would mean another table of numbers.
    yield Step(LOAD, AUDIT)
    yield Step(JUMP_EQUAL, architecture.audit, no="no such call")
    yield Step(LOAD, NUMBER)
    yield Step(JUMP_GREATER, LAST_KNOWN, yes="no such call")
    for name, numbers in EXAMINED.items():
        yield Step(JUMP_EQUAL, numbers[column], yes="socket" if name == "socketpair" else name)
    for pair in denied.values():
        number = pair[column]
        if number is not None:
            yield Step(JUMP_EQUAL, number, yes="denied")
    yield Step(RETURN, ALLOW, label="allowed")
    yield Step(LOAD, FIRST_ARGUMENT, label="clone")
    yield Step(JUMP_SET, CLONE_NEW_NAMESPACES, yes="denied", no="allowed too")
    yield Step(LOAD, FIRST_ARGUMENT, label="socket")
    yield Step(JUMP_EQUAL, AF_UNIX, yes="allowed too", no="no access")
    yield Step(LOAD, FIRST_ARGUMENT, label="personality")
    yield Step(JUMP_EQUAL, PERSONALITY_QUERY, yes="allowed too", no="denied")
    yield Step(LOAD, SECOND_ARGUMENT, label="ioctl")
    yield Step(JUMP_EQUAL, TIOCSTI, yes="denied")
    yield Step(JUMP_EQUAL, TIOCLINUX, yes="denied")
    # Jumps lead forward only, so the way to "allowed" exists twice.
    yield Step(RETURN, ALLOW, label="allowed too")
    yield Step(RETURN, ERRNO | EPERM, label="denied")
    yield Step(RETURN, ERRNO | EACCES, label="no access")
    yield Step(RETURN, ERRNO | ENOSYS, label="clone3")
    yield Step(RETURN, ERRNO | ENOSYS, label="no such call")


def write_all(folder: Path) -> list[Path]:
    """Writes every program into a folder and returns their paths."""
    written = []
    for architecture in ARCHITECTURES:
        for limited in (True, False):
            path = folder / program_name(architecture.name, memory_limited=limited)
            path.write_bytes(assemble(architecture, memory_limited=limited))
            written.append(path)
    return written


if __name__ == "__main__":
    write_all(Path(__file__).parent)
