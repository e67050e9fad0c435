"""Run an ordinary user's command in a systemd scope, where it gets a delegated control group."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

from arena.bots.sandbox.cgroups.places import PREFIX

MARK = "ARENA_SCOPE"
"""An environment variable of commands that were restarted in a scope, so that the restart is tried only once."""


def scope_command(
    command: Sequence[str], environment: Mapping[str, str], *, unified: bool, process: int
) -> list[str] | None:
    """Return a command that runs `command` in a new systemd scope; None if that is impossible or not needed.

    Args:
        unified: Whether only control groups version 2 are mounted. Version 1 cannot be delegated.
        process: A unique number for the scope's name, such as our process id.
    """
    runtime = environment.get("XDG_RUNTIME_DIR", "")
    if not unified or MARK in environment or not runtime or not Path(runtime, "systemd", "private").exists():
        return None
    systemd_run = shutil.which("systemd-run", path=environment.get("PATH"))
    if systemd_run is None:
        return None
    options = ("--user", "--scope", "--quiet", "--collect", "--property=Delegate=yes")
    return [systemd_run, *options, f"--unit={PREFIX}{process}", f"--setenv={MARK}=1", "--", *command]


def enter_scope(command: Sequence[str]) -> None:
    """Restart this process in a delegated systemd scope, if an ordinary user gets control groups that way.

    Call this function at the start of a command that runs matches. It does nothing for root, or if `scope_command`
    returns None. If systemd refuses the scope, systemd-run prints an error and the command ends.
    """
    if os.geteuid() == 0:
        return
    unified = Path("/sys/fs/cgroup/cgroup.controllers").exists()
    whole = scope_command(command, os.environ, unified=unified, process=os.getpid())
    if whole is not None:
        os.execv(whole[0], whole)
