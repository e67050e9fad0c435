"""Start a child process that inherits nothing by accident."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping, Sequence


def spawn(
    command: Sequence[str],
    *,
    streams: tuple[int | None, int | None, int | None],
    passed: Sequence[int] = (),
    environment: Mapping[str, str] | None = None,
    folder: str | None = None,
    session: bool = False,
) -> int:
    """Start a command and return its process id. The caller reaps the process.

    The command gets only the given descriptors and the given environment. No Python code runs between fork and exec.

    Args:
        streams: Its stdin, stdout and stderr; None for our own.
    """
    child = subprocess.Popen(
        list(command),
        env=dict(environment or {}),
        stdin=streams[0],
        stdout=streams[1],
        stderr=streams[2],
        pass_fds=tuple(passed),
        cwd=folder,
        start_new_session=session,
    )
    # Popen must neither reap the child nor warn that nobody has reaped it.
    child.returncode = 0
    return child.pid
