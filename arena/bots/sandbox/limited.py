"""Isolation level 1, for machines without user namespaces: a process drops its own rights, then runs the bot.

Here is the command that does it, and the test whether it works; `confine` is the program that drops the rights. What
this level does not hold is in docs/security.md: a bot sees other processes, and a process of it can survive.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from arena.bots.sandbox.bwrap import host_files, seccomp_program
from arena.bots.sandbox.confine import landlock_version
from arena.bots.sandbox.inside import NSENTER
from arena.bots.sandbox.stage import UidLease, lease_uid, reachable, traversable
from arena.bots.sandbox.visible import Visible, visible_python
from arena.bots.system.surroundings import socket_folder
from arena.match.isolation import Missing
from arena.match.limits import Limits

CONFINE = "arena.bots.sandbox.confine"
SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64")
DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/urandom", "/dev/random")


def limited_command(
    command: Sequence[str],
    python: Visible,
    limits: Limits,
    files: Iterable[str],
    lease: UidLease | None,
    layers: Sequence[str],
) -> list[str]:
    """Return a command that drops its rights and then runs a bot's command.

    Args:
        command: The bot's command. Code of Arena (a bot in Python, or a bridge) runs in the process that drops the
            rights.
        files: The bot's own files and folders.
        layers: The required layers. If one cannot be applied, the bot does not start.
    """
    plan: dict[str, object] = {
        "limits": _resource_limits(limits, lease),
        "readable": [*SYSTEM, *host_files(), *(source for source, _ in python.binds), *files],
        "listable": list(python.outside),
        "writable": list(DEVICES),
        "seccomp": seccomp_program(memory_limited=False).hex() if "seccomp" in layers else "",
        "layers": list(layers),
        "parent": os.getpid(),
    }
    start = python.command("-c")
    if list(command[: len(start)]) == start:
        plan["code"], *command = command[len(start) :]
    become = [NSENTER, f"--setgid={lease.uid}", f"--setuid={lease.uid}", "--"] if lease else []
    return [*become, *python.command("-m", CONFINE, json.dumps(plan)), *command]


def _resource_limits(limits: Limits, lease: UidLease | None) -> dict[str, int]:
    return {
        "RLIMIT_AS": limits.address_space,
        "RLIMIT_DATA": limits.private_memory,
        "RLIMIT_CPU": limits.cpu_seconds,
        "RLIMIT_NOFILE": limits.open_files,
        "RLIMIT_FSIZE": limits.file_size,
        # The kernel counts all threads of the user, not only the bot's. So add their present number to the bot's limit.
        "RLIMIT_NPROC": limits.processes + (0 if lease else _threads_of_user()),
        "RLIMIT_CORE": 0,
        "RLIMIT_MEMLOCK": 65536,
        "RLIMIT_MSGQUEUE": 0,
    }


def _threads_of_user() -> int:
    count = 0
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and entry.stat().st_uid == os.geteuid():
                count += (entry / "task").stat().st_nlink - 2
        except OSError:
            continue
    return count


def try_limited() -> tuple[tuple[str, ...], list[Missing]]:
    """Try level 1 with a command that does nothing.

    Returns:
        The layers that work (none if level 1 does not work), and the missing ones.
    """
    python = visible_python()
    missing = []
    layers = ["rlimits"]
    version = landlock_version()
    if version:
        layers.append(f"landlock {version}")
    else:
        missing.append(Missing("landlock", "this kernel has no Landlock", "Linux 5.13 or later, with Landlock on."))
    if seccomp_program(memory_limited=False):
        layers.append("seccomp")
    lease = None
    if os.geteuid() == 0:
        needed = [sys.prefix, *(source for source, _ in python.binds)]
        barred = [path for path in needed if not reachable(path)]
        if barred:
            reason = f"the user id of the bots cannot reach {barred[0]}"
            return (), [*missing, Missing("limits", reason, "Install Python elsewhere, or run as another user.")]
        temporary = socket_folder()
        if not traversable(f"{temporary}/seat"):
            reason = f"the user id of the bots cannot enter {temporary}"
            return (), [*missing, Missing("limits", reason, "Set TMPDIR to a folder that every user may enter.")]
        lease = lease_uid()
        layers.insert(0, "uid")
    reason = _run_true(python, lease, layers)
    if lease:
        lease.release()
    if reason:
        return (), [*missing, Missing("limits", reason, "Run: arena doctor")]
    return tuple(layers), missing


def _run_true(python: Visible, lease: UidLease | None, layers: list[str]) -> str:
    """Run the program `true` with these layers. Return why it failed; an empty text if it worked."""
    command = limited_command(("/bin/true",), python, Limits(), (), lease, layers)
    environment = {"PYTHONPATH": os.pathsep.join(python.outside)}
    process = subprocess.run(
        command,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        errors="replace",
        check=False,
    )
    if process.returncode == 0:
        return ""
    lines = process.stdout.strip().splitlines()
    return lines[-1] if lines else f"a confined command ended with {process.returncode}"
