"""What a bot may use: one value, printed in every result."""

from __future__ import annotations

from dataclasses import dataclass

MEBIBYTE = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Limits:
    """What one bot may use of the machine.

    Attributes:
        memory: Bytes of memory for all its processes together; holds where a memory cgroup is to be had.
        address_space: Bytes of address space of each of its processes.
        processes: Processes and threads, the sandbox's own two included.
        open_files: Descriptors of each process.
        file_size: Bytes of one file.
        temporary_space: Bytes of its `/tmp`, and again of its `/dev/shm`.
        cpu_seconds: CPU seconds of each process; a backstop behind the referee's clocks.
        output_kept: Bytes kept of the beginning and again of the end of stdout and of stderr.
        output_read: Bytes of stdout or stderr after which the pipe is closed.
    """

    memory: int = 512 * MEBIBYTE
    address_space: int = 2048 * MEBIBYTE
    processes: int = 64
    open_files: int = 256
    file_size: int = 16 * MEBIBYTE
    temporary_space: int = 16 * MEBIBYTE
    cpu_seconds: int = 3600
    output_kept: int = 64 * 1024
    output_read: int = 64 * MEBIBYTE
