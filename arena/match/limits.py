"""What a bot may use: one value, printed in every result."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace

MEBIBYTE = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Limits:
    """What one bot may use of the machine.

    Attributes:
        memory: Bytes of memory for all its processes together: by control group at level 3, by a watch at the levels 1
            and 2.
        private_memory: Bytes of private writable memory that each of its processes may map.
        address_space: Bytes of address space of each of its processes. Runtimes such as Java reserve much of it, and
            use little.
        processes: Processes and threads, the sandbox's own two included.
        open_files: Descriptors of each process.
        file_size: Bytes of one file.
        temporary_space: Bytes of its `/tmp`, and again of its `/dev/shm`.
        cpu_seconds: CPU seconds of each process; a backstop behind the referee's clocks.
        output_kept: Bytes kept of the beginning and again of the end of stdout and of stderr.
        output_read: Bytes of stdout or stderr after which the pipe is closed.
    """

    memory: int = 512 * MEBIBYTE
    private_memory: int = 2048 * MEBIBYTE
    address_space: int = 64 * 1024 * MEBIBYTE
    processes: int = 64
    open_files: int = 256
    file_size: int = 16 * MEBIBYTE
    temporary_space: int = 16 * MEBIBYTE
    cpu_seconds: int = 3600
    output_kept: int = 64 * 1024
    output_read: int = 64 * MEBIBYTE


UNITS = {"": 1, "KiB": 1024, "MiB": MEBIBYTE, "GiB": 1024 * MEBIBYTE}
SIZE = r"[1-9][0-9]{0,14} ?(KiB|MiB|GiB)?"
"""A number of bytes, such as `512 MiB`, or another number."""
NAMES = tuple(field.name for field in fields(Limits))
PRIVATE_SHARE = Limits().private_memory // Limits().memory


def changed_limits(values: Mapping[str, str | int]) -> Limits:
    """Return the usual limits with some of them changed. With more memory, processes may map more as well.

    Args:
        values: Numbers, or texts of the form `SIZE`, by name.
    """
    numbers = {name: _number(str(value)) for name, value in values.items()}
    if "memory" in numbers:
        numbers.setdefault("private_memory", PRIVATE_SHARE * numbers["memory"])
        numbers.setdefault("address_space", max(Limits().address_space, 2 * numbers["private_memory"]))
    return replace(Limits(), **numbers)


def _number(text: str) -> int:
    digits, unit = re.fullmatch(r"(\d+) ?(\w*)", text).groups()  # type: ignore[union-attr]
    return int(digits) * UNITS[unit]
