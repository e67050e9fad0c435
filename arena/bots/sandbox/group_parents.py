"""Where control groups of seats can be made on this machine, and how an ordinary user gets such a place from systemd.

A machine has one hierarchy of control groups (version 2), or one for each controller (version 1), or both at once. So
each capability that Arena needs can have a parent of its own: a folder in which a group for a seat can be made. Its
permissions do not tell whether that works, since delegation, containers and running processes all forbid it in ways of
their own. So `find_parents` makes a group there and removes it.

A group carries the random name of the process that made it, and a socket reserves this name while the process lives. So
`sweep` can remove the groups of dead processes, and never those of a referee that runs beside this one.
"""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from arena.bots.system.surroundings import reserve_name
from arena.match.isolation import Missing

PREFIX = "arena-"
REMEDY = "Run as root, or in a delegated scope: systemd-run --user --scope -p Delegate=yes arena ..."
CAPABILITIES = ("memory", "pids", "cpu", "freeze")
V1_CONTROLLERS = {"memory": "memory", "pids": "pids", "cpu": "cpuacct", "freeze": "freezer"}
PROOFS = {
    ("memory", 1): "memory.limit_in_bytes",
    ("pids", 1): "pids.max",
    ("cpu", 1): "cpuacct.usage",
    ("freeze", 1): "freezer.state",
    ("memory", 2): "memory.max",
    ("pids", 2): "pids.max",
    ("cpu", 2): "cpu.stat",
    ("freeze", 2): "cgroup.freeze",
}
"""For each capability and version: a file that a group has if the capability is available."""

# The versions to use, the better one first. Version 2 is better for freezing: in version 1, frozen processes do not die
# before they are thawed. Version 1 is better for the CPU clock: it counts nanoseconds, and version 2 microseconds.
PREFERRED = {"memory": (2, 1), "pids": (2, 1), "cpu": (1, 2), "freeze": (2, 1)}


@dataclass(frozen=True, slots=True)
class GroupParent:
    """A group in which groups for seats can be made, and the version of its hierarchy."""

    folder: Path
    version: int


@dataclass(frozen=True, slots=True)
class GroupParents:
    """The parent for each of `CAPABILITIES` that this machine provides, and the reasons why it lacks the others."""

    by_capability: dict[str, GroupParent] = field(default_factory=dict)
    missing: tuple[Missing, ...] = ()

    @property
    def complete(self) -> bool:
        """Whether all hard limits and the CPU clock are available."""
        return all(name in self.by_capability for name in ("memory", "pids", "cpu"))


@dataclass(frozen=True, slots=True)
class GroupOwner:
    """The identity of a process that makes groups: a random name. Bots can read it in the names of their groups.

    Attributes:
        lock: The descriptor of a socket that reserves the name until the process ends.
    """

    prefix: str
    lock: int

    @classmethod
    def new(cls) -> GroupOwner:
        """Choose a name that no other process has."""
        while True:
            prefix = f"{PREFIX}{secrets.token_hex(4)}-"
            lock = reserve_name(prefix)
            if lock is not None:
                return cls(prefix, lock.detach())


def group_owner() -> GroupOwner:
    return _owner_of(os.getpid())


@cache
def _owner_of(_process: int) -> GroupOwner:
    # A forked process inherits the cache. The process id is the key, so that the forked process gets its own owner.
    return GroupOwner.new()


def find_parents(
    mountinfo: str = "/proc/self/mountinfo", membership: str = "/proc/self/cgroup", name: str = ""
) -> GroupParents:
    """Find the folders where this process can make control groups. Test each folder by making a group there.

    Also remove empty groups of dead Arena processes.

    Args:
        membership: The list of this process's own groups.
    """
    hierarchies = _hierarchies(Path(mountinfo).read_text(), Path(membership).read_text())
    name = name or f"{group_owner().prefix}probe"
    swept: set[Path] = set()
    parents: dict[str, GroupParent] = {}
    missing = []
    for capability in CAPABILITIES:
        reasons = []
        names = [V1_CONTROLLERS[capability] if version == 1 else "" for version in PREFERRED[capability]]
        for parent in (parent for name in names for parent in hierarchies.get(name, ())):
            if parent.folder not in swept:
                sweep(parent.folder)
                swept.add(parent.folder)
            reason = _try(parent, capability, name)
            if not reason:
                parents[capability] = parent
                break
            reasons.append(reason)
        if capability not in parents:
            reason = "; ".join(reasons) or "no control groups are mounted"
            missing.append(Missing(f"cgroup {capability}", reason, REMEDY))
    return GroupParents(parents, tuple(missing))


def _try(parent: GroupParent, capability: str, name: str) -> str:
    folder = parent.folder / name
    try:
        if parent.version == 2 and capability in {"memory", "pids"}:  # the CPU clock and freezing need no controller
            _enable(parent.folder, capability)
        folder.mkdir(exist_ok=True)
    except OSError as error:
        return f"{error.filename}: {error.strerror}"
    try:
        proof = folder / PROOFS[capability, parent.version]
        if not proof.exists():
            return f"{parent.folder} has no {proof.name}"
        if not os.access(folder / "cgroup.procs", os.W_OK):
            return f"{parent.folder} is not delegated to this user"
    finally:
        with contextlib.suppress(OSError):
            folder.rmdir()
    return ""


def _enable(folder: Path, controller: str) -> None:
    control = folder / "cgroup.subtree_control"
    if controller in control.read_text().split():
        return
    if controller not in (folder / "cgroup.controllers").read_text().split():
        raise OSError(0, f"the controller {controller} is not delegated here", str(folder))
    _make_room(folder)
    control.write_text(f"+{controller}")


def _make_room(folder: Path) -> None:
    """Move the processes of our systemd scope into a subgroup. A group with controllers must not have processes."""
    if not re.fullmatch(rf"{PREFIX}[\w-]+\.scope", folder.name):
        return
    leaf = folder / "home"
    leaf.mkdir(exist_ok=True)
    for process in (folder / "cgroup.procs").read_text().split():
        with contextlib.suppress(ProcessLookupError):
            (leaf / "cgroup.procs").write_text(process)


def sweep(folder: Path) -> None:
    """Remove the empty groups of dead Arena processes."""
    with contextlib.suppress(OSError):
        for entry in os.listdir(folder):
            owner = re.fullmatch(rf"({PREFIX}[0-9a-f]{{8}}-)\w+", entry)
            lock = reserve_name(owner[1]) if owner else None
            if lock:
                with lock, contextlib.suppress(OSError):
                    (folder / entry).rmdir()


def _hierarchies(mountinfo: str, membership: str) -> dict[str, list[GroupParent]]:
    """Return the folders in which to try to make groups, by controller. The key for version 2 is the empty text.

    The first folder is the group of this process, or its systemd scope. Root also tries the top group of version 2,
    because a group that contains processes cannot enable controllers for its subgroups.
    """
    own: dict[str, str] = {}
    for line in membership.splitlines():
        _, controllers, path = line.split(":", 2)
        own.update(dict.fromkeys(controllers.split(","), path))
    parents: dict[str, list[GroupParent]] = {}
    for line in mountinfo.splitlines():
        before, _, after = line.partition(" - ")
        root, mount_point = before.split()[3:5]
        file_system, _, options = after.split()
        if file_system == "cgroup":
            for controller in V1_CONTROLLERS.values():
                if controller in options.split(",") and controller in own:
                    parents[controller] = [GroupParent(_own_folder(mount_point, root, own[controller]), 1)]
        elif file_system == "cgroup2" and "" in own:
            folders = [_home_or_scope(_own_folder(mount_point, root, own[""]))]
            if os.geteuid() == 0:
                folders.append(Path(mount_point))
            parents[""] = [GroupParent(folder, 2) for folder in dict.fromkeys(folders)]
    return parents


def _own_folder(mount_point: str, root: str, path: str) -> Path:
    if root != "/" and path.startswith(root):
        path = path[len(root) :]
    folder = Path(mount_point) / path.lstrip("/")
    # In a container, `path` can be a path on the host, of which the container sees only a part.
    return folder if folder.is_dir() else Path(mount_point)


def _home_or_scope(folder: Path) -> Path:
    return folder.parent if folder.name == "home" and folder.parent.name.startswith(PREFIX) else folder


# Delegation: systemd gives an ordinary user a control group only for a scope or service, so a command that runs matches
# restarts itself in a scope.

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
