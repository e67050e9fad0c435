"""Give a bot's unprivileged user access to files that only root can reach, in a separate mount namespace.

The seat's unprivileged user sets up the sandbox, so that a defect in the set-up gives no root rights to a bot. This
user often cannot reach the interpreter, the bot or the seat's socket, for example in /root. So root binds these files
into a small file system in a private mount namespace. Bubblewrap gets a descriptor of the namespace. When the
descriptor is closed, the kernel removes the file system. The referee stays in its own namespace.
"""

from __future__ import annotations

import os
import shutil
import socket
import stat
import threading
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from arena.bots.system import syscalls
from arena.bots.system.surroundings import reserve_name
from arena.errors import ArenaError

MOUNT_POINTS = ("/mnt", "/media", "/srv", "/opt", "/tmp")
"""Folders that exist on every machine. The stage covers the first one that holds none of the files to be staged."""


def reachable(path: str) -> bool:
    """Return whether every user of the machine is allowed to reach and read this file or folder."""
    try:
        mode = os.stat(path).st_mode
        needed = stat.S_IROTH | (stat.S_IXOTH if stat.S_ISDIR(mode) else 0)
        if mode & needed != needed:
            return False
    except OSError:
        return False
    return traversable(path)


def traversable(path: str) -> bool:
    """Return whether every user of the machine is allowed to enter all folders on the way to this path."""
    folder = os.path.dirname(path)
    try:
        while folder != path:
            if not os.stat(folder or ".").st_mode & stat.S_IXOTH:
                return False
            path, folder = folder, os.path.dirname(folder)
    except OSError:
        return False
    return True


def readable_tree(folder: Path, files: Iterable[str]) -> bool:
    """Return whether every user who can reach a folder is also allowed to read these files in it."""
    paths = [folder / name for name in files]
    folders = {folder, *(parent for path in paths for parent in path.parents if parent.is_relative_to(folder))}
    if not all(parent.stat().st_mode & stat.S_IXOTH for parent in folders):
        return False
    return all(path.stat().st_mode & stat.S_IROTH for path in paths)


@dataclass(frozen=True, slots=True)
class StagedFile:
    """A file or folder to put on the stage, the small file system.

    Attributes:
        copy: Whether it must be copied, because its mode forbids the bot's user to read it.
        nameless: Whether the bot must not learn its path. The list of mounts shows the source of a bind, so a file is
            copied, and a folder becomes an overlay.
    """

    source: str
    target: str
    copy: bool
    nameless: bool

    def put(self) -> None:
        if self.copy or (self.nameless and os.path.isfile(self.source)):
            copy_readable(self.source, self.target)
        elif os.path.isdir(self.source):
            os.mkdir(self.target)
            if not (self.nameless and self._overlay()):
                _bind(self.source, self.target)
        else:
            os.close(os.open(self.target, os.O_CREAT | os.O_WRONLY, 0o644))
            _bind(self.source, self.target)

    def _overlay(self) -> bool:
        """Mount a folder as an overlay, so that the list of mounts shows no host path. Return whether it works."""
        source, empty = f"{self.target}.source", f"{self.target}.empty"
        os.mkdir(source)
        os.mkdir(empty)  # the kernel accepts a read-only overlay only with two layers
        _bind(self.source, source)
        try:
            syscalls.mount("arena", self.target, "overlay", syscalls.MS_RDONLY, f"lowerdir={source}:{empty}")
        except OSError:
            return False
        return True


class Stage:
    """A small file system with files of the host. Each file is bind-mounted or copied, see `StagedFile`."""

    __slots__ = ("_entries", "_mount_point")

    def __init__(self, sources: Iterable[str]) -> None:
        sources = tuple(sources)
        self._entries: list[StagedFile] = []
        existing = [path for path in MOUNT_POINTS if os.path.isdir(path)]
        unused = [path for path in existing if not any(source.startswith(f"{path}/") for source in sources)]
        self._mount_point = unused[0] if unused else MOUNT_POINTS[0]

    def add(self, source: str, *, copy: bool = False, nameless: bool = False) -> str:
        """Add a file or folder to the stage, and return its path there. The arguments are as for `StagedFile`."""
        target = f"{self._mount_point}/{len(self._entries)}"
        self._entries.append(StagedFile(source, target, copy, nameless))
        return target

    def __bool__(self) -> bool:
        return bool(self._entries)

    def build(self) -> int:
        """Make a mount namespace with the stage.

        Returns:
            The descriptor of the namespace. The caller closes it.
        """
        results: list[int | BaseException] = []
        # Use a thread, because unshare(2) changes only the calling thread. When the thread has ended, the descriptor
        # keeps the namespace alive.
        thread = threading.Thread(target=self._build_here, args=(results,))
        thread.start()
        thread.join()
        result = results[0]
        if isinstance(result, BaseException):
            raise ArenaError(
                f"Root cannot make a mount namespace for the bots: {result}.",
                hint="Run as an ordinary user, or give this container CAP_SYS_ADMIN.",
            ) from result
        return result

    def _build_here(self, results: list[int | BaseException]) -> None:
        try:
            syscalls.unshare(syscalls.CLONE_NEWNS)
            syscalls.mount("none", "/", "", syscalls.MS_REC | syscalls.MS_SLAVE)
            flags = syscalls.MS_NOSUID | syscalls.MS_NODEV
            syscalls.mount("arena", self._mount_point, "tmpfs", flags, "mode=0755")
            for entry in self._entries:
                entry.put()
            results.append(os.open("/proc/thread-self/ns/mnt", os.O_RDONLY | os.O_CLOEXEC))
        except BaseException as error:
            results.append(error)


def _bind(source: str, target: str) -> None:
    syscalls.mount(source, target, "", syscalls.MS_BIND | syscalls.MS_REC)


def copy_readable(source: str, target: str) -> None:
    """Copy a file or folder, so that every user who can reach the copy is allowed to read it."""
    if not os.path.isdir(source):
        shutil.copyfile(source, target)
        os.chmod(target, 0o755 if os.stat(source).st_mode & stat.S_IXUSR else 0o644)
        return
    os.mkdir(target, 0o755)
    os.chmod(target, 0o755)
    for entry in os.scandir(source):
        copy_readable(entry.path, f"{target}/{entry.name}")


# Lease a separate user id for each seat on the machine, if the referee runs as root.

FIRST = 60600
LAST = 61100
"""The user id after the last one for seats. No distribution and no part of systemd uses the ids 60578 to 61183."""


@dataclass(frozen=True, slots=True)
class UidLease:
    """A user id that no other seat on this machine uses until `release()`, or until this process ends.

    Attributes:
        uid: The user id, which is also the group id.
    """

    uid: int
    _lock: socket.socket

    def release(self) -> None:
        self._lock.close()


def lease_uid() -> UidLease:
    """Lease the first free id."""
    for uid in range(FIRST, LAST):
        lock = reserve_name(f"arena-seat-uid-{uid}")
        if lock:
            return UidLease(uid, lock)
    raise ArenaError(f"All {LAST - FIRST} user ids for seats are in use.", hint="Play fewer matches at once.")
