"""The seccomp programs: committed bytes for each architecture, made by `tools/seccomp_programs.py`."""

from __future__ import annotations

import platform
from pathlib import Path


def program_name(machine: str, *, memory_limited: bool) -> str:
    return f"{machine}{'' if memory_limited else '-no-memfd'}.bpf"


def seccomp_program(*, memory_limited: bool) -> bytes:
    """Return the seccomp program for this machine as bytes; empty if there is none for its processor architecture."""
    file = Path(__file__).with_name(program_name(platform.machine(), memory_limited=memory_limited))
    return file.read_bytes() if file.is_file() else b""
