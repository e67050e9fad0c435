"""The seccomp programs are those that the rules make, and decide as the rules say, on both architectures."""

from __future__ import annotations

import re
import struct
from pathlib import Path

import pytest
import seccomp_programs as programs
import seccomp_rules as rules
from seccomp_programs import INSTRUCTION, JUMP_EQUAL, JUMP_GREATER, JUMP_SET, LOAD, RETURN

from arena.bots.sandbox.bwrap import SECCOMP_FOLDER, program_name

ALLOW = 0x7FFF0000
ERRNO = 0x00050000
LONGEST_PROGRAM = 4096

both = pytest.mark.parametrize("architecture", rules.ARCHITECTURES, ids=lambda a: a.name)
limited = pytest.mark.parametrize("memory_limited", [True, False])


def decide(program: bytes, audit: int, number: int, *arguments: int) -> int:
    """Return what the program answers to a system call.

    Args:
        program: The bytes.
        audit: The architecture's number.
        number: The call's number.
        *arguments: The call's arguments, up to six.

    Returns:
        The kernel's action: 0x7fff0000 to allow, 0x00050000 + errno to refuse.

    Raises:
        ValueError: The program has an instruction which ours never have, or runs off its end.
    """
    padded = (*arguments, 0, 0, 0, 0, 0, 0)[:6]
    data = struct.pack("=IIQ6Q", number & 0xFFFFFFFF, audit, 0, *(value & (1 << 64) - 1 for value in padded))
    steps = list(INSTRUCTION.iter_unpack(program))
    register = at = 0
    while at < len(steps):
        code, yes, no, value = steps[at]
        at += 1
        if code == LOAD:
            register = struct.unpack_from("=I", data, value)[0]
        elif code == RETURN:
            return int(value)
        else:
            at += yes if _holds(code, register, value) else no
    raise ValueError("the program runs off its end")


def _holds(code: int, register: int, value: int) -> bool:
    if code == JUMP_EQUAL:
        return register == value
    if code == JUMP_GREATER:
        return register > value
    if code == JUMP_SET:
        return bool(register & value)
    raise ValueError(f"unknown instruction {code:#x}")


@both
@limited
def test_the_committed_bytes_are_up_to_date(architecture: rules.Architecture, memory_limited: bool) -> None:
    name = program_name(architecture.name, memory_limited=memory_limited)
    assert (SECCOMP_FOLDER / name).read_bytes() == programs.assemble(architecture, memory_limited=memory_limited)


def test_the_script_writes_exactly_the_committed_files(tmp_path: Path) -> None:
    written = programs.write_all(tmp_path)
    assert {path.name for path in written} == {path.name for path in SECCOMP_FOLDER.glob("*.bpf")}


@both
@limited
def test_every_call_number_is_decided_as_the_rules_say(architecture: rules.Architecture, memory_limited: bool) -> None:
    program = programs.assemble(architecture, memory_limited=memory_limited)
    assert len(program) // 8 <= LONGEST_PROGRAM
    column = architecture.column
    denied = rules.DENIED | ({} if memory_limited else rules.DENIED_WITHOUT_MEMORY_LIMIT)
    answers = {
        pair[column]: errno
        for table, errno in ((denied, rules.EPERM), (rules.ABSENT, rules.ENOSYS), (rules.IGNORED, rules.SUCCESS))
        for pair in table.values()
    }
    examined = {pair[column] for pair in rules.EXAMINED.values()}
    assert not answers.keys() & examined
    for number in range(1024):
        answer = decide(program, architecture.audit, number, 1, 1)
        if number > rules.LAST_KNOWN:
            assert answer == ERRNO | rules.ENOSYS
        elif number in answers:
            assert answer == ERRNO | answers[number]
        elif number not in examined:
            assert answer == ALLOW


@both
@pytest.mark.promise("weight")
def test_arguments_decide(architecture: rules.Architecture) -> None:
    program = programs.assemble(architecture, memory_limited=True)

    def ask(name: str, *arguments: int) -> int:
        return decide(program, architecture.audit, rules.EXAMINED[name][architecture.column], *arguments)

    assert ask("socket", rules.AF_UNIX) == ask("socketpair", rules.AF_UNIX) == ALLOW
    for family in (0, 2, 10, 16, 17, 40, 45, 0xFFFFFFFF):
        assert ask("socket", family) == ask("socketpair", family) == ERRNO | rules.EACCES
    for flag in (0x00020000, 0x02000000, 0x04000000, 0x08000000, 0x10000000, 0x20000000, 0x40000000):
        assert ask("clone", flag | 17) == ERRNO | rules.EPERM
    thread, fork, vfork = 0x3D0F00, 0x1200011, 0x4111
    assert ask("clone", thread) == ask("clone", fork) == ask("clone", vfork) == ALLOW
    assert ask("clone3") == ERRNO | rules.ENOSYS
    assert ask("ioctl", 0, rules.TIOCSTI) == ask("ioctl", 0, rules.TIOCLINUX) == ERRNO | rules.EPERM
    # The kernel looks at the lower half of an ioctl's number only, and so must we.
    assert ask("ioctl", 0, 0xFFFF00000000 | rules.TIOCSTI) == ERRNO | rules.EPERM
    assert ask("ioctl", 0, 0x5401) == ALLOW
    assert ask("personality", 0xFFFFFFFF) == ALLOW
    assert ask("personality", 0) == ERRNO | rules.EPERM
    for command in (5, 36, 1024, 1026):
        assert ask("fcntl", 3, command) == ERRNO | rules.EPERM
    for command in (0, 1, 2, 3, 4, 6, 7, 37, 38, 1030, 1031, 1032, 1033):
        assert ask("fcntl", 3, command) == ALLOW
    assert [ask("madvise", 0, 4096, advice) == ALLOW for advice in (4, 8, 20, 21, 22)] == [True] * 3 + [False, True]
    for name in ("preadv2", "pwritev2"):
        for flags, answer in ((0, ALLOW), (2, ALLOW), (8, ERRNO | rules.EOPNOTSUPP), (0x80, ERRNO | rules.EOPNOTSUPP)):
            assert ask(name, 3, 0, 1, 0, 0, flags) == answer
    assert (ask("prlimit64", 0), ask("prlimit64", 7), ask("prlimit64", 1 << 32)) == (ALLOW, ERRNO | rules.EPERM, ALLOW)
    assert [ask("prctl", option) for option in (62, 1 << 32 | 62, 15, 38)] == [ERRNO | rules.EINVAL] * 2 + [ALLOW] * 2
    assert [ask("setsockopt", 3, *rest) for rest in ((1, 7), (1, 8), (6, 7))] == [ERRNO | rules.SUCCESS, ALLOW, ALLOW]


@both
def test_calls_of_another_architecture_do_not_exist(architecture: rules.Architecture) -> None:
    program = programs.assemble(architecture, memory_limited=True)
    i386, x32 = 0x40000003, 0x40000000
    assert decide(program, i386, 1) == ERRNO | rules.ENOSYS
    assert decide(program, architecture.audit, x32 + 1) == ERRNO | rules.ENOSYS
    assert decide(program, architecture.audit, -1) == ERRNO | rules.ENOSYS


@pytest.mark.parametrize(
    ("header", "column"),
    [("/usr/include/x86_64-linux-gnu/asm/unistd_64.h", 0), ("/usr/include/asm-generic/unistd.h", 1)],
)
def test_numbers_are_those_of_the_kernels_headers(header: str, column: int) -> None:
    path = Path(header)
    if not path.exists():
        pytest.skip("the kernel's headers are not installed")
    known = {name: int(n) for name, n in re.findall(r"#define __NR_(\w+)\s+(\d+)", path.read_text())}
    table = rules.DENIED | rules.DENIED_WITHOUT_MEMORY_LIMIT | rules.ABSENT | rules.IGNORED | rules.EXAMINED
    for name, pair in table.items():
        # Headers are often older than the kernel.
        assert known.get(name, pair[column]) == pair[column], name
        if name in known:
            assert pair[column] is not None


def test_a_program_that_runs_off_its_end_is_noticed() -> None:
    with pytest.raises(ValueError, match="runs off"):
        decide(programs.encode([programs.Step(programs.LOAD, 0)]), 0, 0)
