"""The limits on a bot's use of the machine: memory, processes, files, output."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace

MEBIBYTE = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits on one bot's use of the machine.

    Attributes:
        memory: Bytes of memory for all the bot's processes together. A control group enforces it at level 3, a monitor
            at levels 1 and 2.
        private_memory: Bytes of private writable memory that each process can map.
        address_space: Bytes of address space of each process. Runtimes such as Java reserve much more than they use.
        cpu_seconds: CPU seconds of each process, in case the referee's clocks fail.
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
"""A pattern for the value of a limit: `512 MiB` or a plain number."""
LEAST = dict.fromkeys((field.name for field in fields(Limits)), 1) | {
    "memory": 16 * MEBIBYTE, "private_memory": 16 * MEBIBYTE, "address_space": 256 * MEBIBYTE, "processes": 4,
    "open_files": 32,
}  # fmt: skip
"""The least value of each limit: some more than a bot that does nothing needs, and its sandbox."""
PRIVATE_SHARE = Limits().private_memory // Limits().memory


def changed_limits(values: Mapping[str, str | int]) -> Limits:
    """Return the default limits with some values changed.

    If `memory` is given, `private_memory` changes by the same factor, and `address_space` becomes at least twice
    `private_memory`. A limit that `values` contains keeps the value from `values`.

    Args:
        values: The new value of each limit by name: a number, or a text that matches `SIZE`.
    """
    numbers = {name: number_of(str(value)) for name, value in values.items()}
    if "memory" in numbers:
        numbers.setdefault("private_memory", PRIVATE_SHARE * numbers["memory"])
        numbers.setdefault("address_space", max(Limits().address_space, 2 * numbers["private_memory"]))
    return replace(Limits(), **numbers)


def number_of(text: str) -> int:
    """Return the value of a text that matches `SIZE`."""
    digits, unit = re.fullmatch(r"(\d+) ?(\w*)", text).groups()  # type: ignore[union-attr]
    return int(digits) * UNITS[unit]
