"""Starts a child with nothing of ours in it."""

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
    """Starts a command and returns its process id; the caller reaps it.

    Every descriptor but those passed is closed and the environment is the given one: a bot must inherit
    nothing by accident. There is no Python code between fork and exec.

    Args:
        command: The command.
        streams: Its stdin, stdout and stderr; None leaves one ours.
        passed: Descriptors that it inherits.
        environment: Its whole environment.
        folder: Where it starts.
        session: Whether it gets a session of its own, and with that no terminal.

    Raises:
        OSError: The program cannot be run.
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
    # Popen must neither reap the child behind our back nor complain that nobody did.
    child.returncode = 0
    return child.pid
