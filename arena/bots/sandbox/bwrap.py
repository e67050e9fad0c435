"""The bubblewrap command line of a seat, as data."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping

from arena.match.limits import Limits

SEAT_SOCKET = "/run/seat.sock"
HOST_FILES = ("/etc/ld.so.cache", "/etc/alternatives")
"""All that is shown of /etc: where libraries lie, and which `java` or `awk` is meant."""


def sandbox_options(
    binds: Iterable[tuple[str, str]],
    environment: Mapping[str, str],
    limits: Limits,
    *,
    working_folder: str,
    proc: bool = True,
) -> list[str]:
    """The options for `bwrap --args`.

    Args:
        binds: Paths outside and inside, shown read-only.
        environment: The bot's whole environment.
        limits: The sizes of its temporary file systems.
        working_folder: Where it starts, inside.
        proc: Whether it gets a /proc.
    """
    size = str(limits.temporary_space)
    options = [
        *("--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-net"),
        *("--unshare-cgroup-try", "--disable-userns", "--die-with-parent", "--new-session"),
        *("--cap-drop", "ALL", "--clearenv", "--uid", "1000", "--gid", "1000", "--hostname", "bot"),
        *_system(),
        *("--proc" if proc else "--dir", "/proc", "--dev", "/dev"),
        *("--size", size, "--tmpfs", "/dev/shm", "--size", size, "--tmpfs", "/tmp"),
    ]
    for source, target in binds:
        options += ("--ro-bind", source, target)
    # Bubblewrap's root is a writable file system without a limit until it is made read-only.
    options += ("--remount-ro", "/dev", "--remount-ro", "/")
    for path in ("/proc/config.gz", "/proc/cmdline"):
        if proc and os.path.exists(path):
            options += ("--ro-bind", "/dev/null", path)
    options += ("--chdir", working_folder)
    for name, value in environment.items():
        options += ("--setenv", name, value)
    return options


def _system() -> Iterable[str]:
    yield from ("--ro-bind", "/usr", "/usr")
    for name in ("bin", "sbin", "lib", "lib32", "lib64"):
        path = f"/{name}"
        if os.path.islink(path):
            yield from ("--symlink", os.readlink(path), path)
        elif os.path.isdir(path):
            yield from ("--ro-bind", path, path)
    for path in HOST_FILES:
        if os.path.exists(path):
            yield from ("--ro-bind", path, path)


def limit_command(limits: Limits) -> list[str]:
    """The `prlimit` command that runs inside, as the bot's own user, just before the bot.

    Inside, so that the process limit counts the bot's processes alone and not all those of the user.
    """
    return [
        "/usr/bin/prlimit",
        f"--as={limits.address_space}",
        f"--cpu={limits.cpu_seconds}",
        f"--nofile={limits.open_files}",
        f"--fsize={limits.file_size}",
        f"--nproc={limits.processes}",
        "--core=0",
        "--memlock=65536",
        "--msgqueue=0",
    ]
