"""The bubblewrap command line for a seat: what a bot sees, its limits, and the system calls that are refused.

docs/sandbox.md has the tables of what is visible. Everything is read-only except `TEMPORARY_FOLDERS`. What is not named
here does not exist inside.
"""

from __future__ import annotations

import os
import platform
import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from arena.bots.system.surroundings import within_hard_limit
from arena.match.limits import Limits

PRLIMIT = "/usr/bin/prlimit"
SEAT_SOCKET = "/run/seat.sock"
HOST_FILES = ("/etc/ld.so.cache", "/etc/alternatives", "/etc/localtime")
"""The visible files of /etc: the paths of libraries, the choice of programs such as `java`, and the time zone."""
RUNTIME_FOLDERS = ("java", "dotnet", "mono", "julia", "R", "perl", "php", "ghc")
"""Folders of /etc with the configuration of runtimes. The names can also have a version, as in `java-17-openjdk`."""
TEMPORARY_FOLDERS = ("/dev/shm", "/tmp")
"""The file systems in memory to which the bot can write."""
DEVICES = ("null", "zero", "full", "random", "urandom")
HIDDEN_FOLDERS = ("1", "pressure")
HIDDEN_FILES = ("config.gz", "cmdline", "locks")
"""Folders and files in /proc that are hidden, since they describe the host, other sandboxes, or the first process.

Through `/proc/1`, a bot could write to the memory of the first process, which has the bot's user id.
"""

FIRST_PROCESS = (
    "/bin/sh",
    "-c",
    """exec 3>&2 2>/dev/null
echo >&0 && read -r go || exit 1
(exec "$@" </dev/null 2>&3 3>&-)
exit $?""",
    "sh",
)
"""The command of the sandbox's first process, a shell. The bot's command follows as its arguments.

The standard input of the shell is a socket. The shell writes a line to the socket when the sandbox is ready, and waits
for an answer. If the answer is a line, the shell runs the bot and reaps orphans. If the stream ends, the shell exits.
Bubblewrap's own first process would start the bot even if the referee has died, and would not have the bot's limits.
"""


def sandbox_options(
    binds: Iterable[tuple[str, str]],
    environment: Mapping[str, str],
    limits: Limits,
    *,
    working_folder: str,
    proc: bool = True,
) -> list[str]:
    """Return the options for `bwrap --args`.

    Args:
        binds: Pairs of outside and inside paths, visible read-only.
    """
    size = str(limits.temporary_space)
    # Bubblewrap mounts in the order of its options: a read-only mark must follow what is made below it.
    options = [
        *("--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-net"),
        *("--unshare-cgroup-try", "--disable-userns", "--die-with-parent", "--new-session", "--as-pid-1"),
        *("--cap-drop", "ALL", "--clearenv", "--uid", "1000", "--gid", "1000", "--hostname", "bot"),
        *_system(),
        *("--proc" if proc else "--dir", "/proc"),
    ]
    # Do not use `--dev`: it would add pseudo-terminals, and no limit counts their kernel memory.
    for name in DEVICES:
        options += ("--dev-bind", f"/dev/{name}", f"/dev/{name}")
    for folder in TEMPORARY_FOLDERS:
        options += ("--size", size, "--tmpfs", folder)
    for source, target in binds:
        options += ("--ro-bind", source, target)
    # Make bubblewrap's root read-only. Otherwise it would be a writable file system without a size limit.
    options += ("--remount-ro", "/")
    if proc:
        # Read-only too: a bot must not change its weight (`autogroup`), so that it waits for others without end.
        options += (*_hide(), "--remount-ro", "/proc")
    options += ("--chdir", working_folder)
    for name, value in environment.items():
        options += ("--setenv", name, value)
    return options


def _hide() -> Iterable[str]:
    for path in (f"/proc/{name}" for name in HIDDEN_FOLDERS):
        if os.path.exists(path):
            yield from ("--tmpfs", path, "--remount-ro", path)
    for path in (f"/proc/{name}" for name in HIDDEN_FILES):
        if os.path.exists(path):
            yield from ("--ro-bind", "/dev/null", path)


def _system() -> Iterable[str]:
    yield from ("--ro-bind", "/usr", "/usr")
    for name in ("bin", "sbin", "lib", "lib32", "lib64"):
        path = f"/{name}"
        if os.path.islink(path):
            yield from ("--symlink", os.readlink(path), path)
        elif os.path.isdir(path):
            yield from ("--ro-bind", path, path)
    for path in host_files():
        yield from ("--ro-bind", path, path)


def host_files() -> list[str]:
    folders = (
        f"/etc/{name}"
        for name in os.listdir("/etc")
        if name.startswith(RUNTIME_FOLDERS) and re.split(r"[-.\d]", name, maxsplit=1)[0] in RUNTIME_FOLDERS
    )
    return [path for path in (*HOST_FILES, *folders) if os.path.exists(path)]


def limit_command(limits: Limits) -> list[str]:
    """Return the `prlimit` command that sets the limits inside the sandbox, and then becomes the first process.

    Inside, the process limit counts only the bot's processes, not all processes of the user. All processes of the
    sandbox inherit the limits of the first process. A limit of our own that is lower holds.
    """
    resources = {
        "as": limits.address_space,
        "data": limits.private_memory,
        "cpu": limits.cpu_seconds,
        "nofile": limits.open_files,
        "fsize": limits.file_size,
        "nproc": limits.processes,
        "core": 0,
        "memlock": 65536,
        "msgqueue": 0,
    }
    lowest = {name: within_hard_limit(f"RLIMIT_{name.upper()}", value) for name, value in resources.items()}
    return [PRLIMIT, *(f"--{name}={value}" for name, value in lowest.items())]


# Seccomp: committed bytes for each processor architecture, made by `tools/seccomp_programs.py`.

SECCOMP_FOLDER = Path(__file__).with_name("seccomp")


def program_name(machine: str, *, memory_limited: bool) -> str:
    return f"{machine}{'' if memory_limited else '-no-memfd'}.bpf"


def seccomp_program(*, memory_limited: bool) -> bytes:
    """Return the seccomp program for this machine as bytes; empty if there is none for its processor architecture.

    Args:
        memory_limited: Whether a control group limits the bot's memory. Without one, `memfd_create` is refused too,
            since the monitor of `system/memory.py` cannot count the memory of nameless files.
    """
    file = SECCOMP_FOLDER / program_name(platform.machine(), memory_limited=memory_limited)
    return file.read_bytes() if file.is_file() else b""
