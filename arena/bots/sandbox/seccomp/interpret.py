"""Run a seccomp program on a made-up call, so that programs for other architectures can be tested too."""

from __future__ import annotations

import struct

from arena.bots.sandbox.seccomp.assemble import (
    INSTRUCTION,
    JUMP_EQUAL,
    JUMP_GREATER,
    JUMP_SET,
    LOAD,
    RETURN,
)


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
