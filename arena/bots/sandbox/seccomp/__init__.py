"""The seccomp programs: committed bytes for each architecture, made by `assemble.py` from `rules.py`."""

from __future__ import annotations

import platform
from pathlib import Path


def program_name(machine: str, *, memory_limited: bool) -> str:
    """The file of a program."""
    return f"{machine}{'' if memory_limited else '-no-shared-memory'}.bpf"


def seccomp_program(*, memory_limited: bool) -> bytes:
    """The program for this machine, ready for the kernel; empty where there is none for its architecture.

    Args:
        memory_limited: Whether a memory cgroup holds; without one, memory outside of address spaces is denied.
    """
    file = Path(__file__).with_name(program_name(platform.machine(), memory_limited=memory_limited))
    return file.read_bytes() if file.is_file() else b""
