"""Let a bot's unprivileged user reach what only root may reach, in a mount namespace of its own.

The sandbox is set up by the seat's own user id and not by root, so that a fault in the set-up gives nothing
away. That user often cannot walk to the interpreter, the bot or the seat's socket: they lie in /root, in
somebody's home, or in a temporary folder of mode 0700. Loosening those would be wrong, so root binds just the
pieces that are needed below a small file system which exists in a private mount namespace only. The namespace
is handed on as a descriptor; the referee itself stays where it is, and nothing has to be cleaned up.
"""

from __future__ import annotations

import os
import shutil
import stat
import threading
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from arena.bots.system import syscalls
from arena.errors import ArenaError

PLACES = ("/mnt", "/media", "/srv", "/opt", "/tmp")


def reachable(path: str) -> bool:
    """Return whether every user of the machine may read this file or folder."""
    there = Path(path)
    try:
        mode = there.stat().st_mode
        needed = stat.S_IROTH | (stat.S_IXOTH if stat.S_ISDIR(mode) else 0)
        if mode & needed != needed:
            return False
    except OSError:
        return False
    return traversable(path)


def traversable(path: str) -> bool:
    """Return whether every user of the machine may walk to this place, whatever they may do there."""
    try:
        return all(parent.stat().st_mode & stat.S_IXOTH for parent in Path(path).parents)
    except OSError:
        return False


def readable_tree(paths: Iterable[Path]) -> bool:
    """Return whether every user may read these files, given that they may reach them."""
    return all(path.stat().st_mode & stat.S_IROTH for path in paths)


@dataclass(frozen=True, slots=True)
class Entry:
    """A file or folder that is to be put on the stage.

    Attributes:
        source: Where it is on the host.
        target: Where it is put.
        copy: Whether its modes forbid reading it, so that it must be copied.
        nameless: Whether the sandbox's list of mounts must not show `source`.
    """

    source: str
    target: str
    copy: bool
    nameless: bool

    def put(self) -> None:
        """Make the target in the present mount namespace.

        Raises:
            OSError: It cannot be made.
        """
        if self.copy or (self.nameless and os.path.isfile(self.source)):
            _copy(self.source, self.target)
        elif os.path.isdir(self.source):
            os.mkdir(self.target)
            if not (self.nameless and self._overlay()):
                _bind(self.source, self.target)
        else:
            os.close(os.open(self.target, os.O_CREAT | os.O_WRONLY, 0o644))
            _bind(self.source, self.target)

    def _overlay(self) -> bool:
        """Show a folder through an overlay, whose mount names the stage only; False where that is not possible."""
        source, empty = f"{self.target}.source", f"{self.target}.empty"
        os.mkdir(source)
        os.mkdir(empty)  # an overlay without a place for changes needs two layers
        _bind(self.source, source)
        try:
            syscalls.mount("arena", self.target, "overlay", syscalls.MS_RDONLY, f"lowerdir={source}:{empty}")
        except OSError:
            return False
        return True


class Stage:
    """Files and folders that are to be bound, or copied where their modes forbid reading them."""

    __slots__ = ("_entries", "_place")

    def __init__(self, sources: Iterable[str]) -> None:
        sources = list(sources)
        self._entries: list[Entry] = []
        free = (p for p in PLACES if os.path.isdir(p) and not any(s.startswith(p + "/") for s in sources))
        self._place = next(free, "/mnt")

    def add(self, source: str, *, copy: bool = False, nameless: bool = False) -> str:
        """Put a path on the stage and return where it is there; see `Entry`."""
        target = f"{self._place}/{len(self._entries)}"
        self._entries.append(Entry(source, target, copy, nameless))
        return target

    def __bool__(self) -> bool:
        return bool(self._entries)

    def build(self) -> int:
        """Make the namespace.

        Returns:
            Its descriptor; the caller closes it.

        Raises:
            ArenaError: This root may not mount.
        """
        result: list[int | BaseException] = []
        # A thread, because unshare(2) moves the calling thread only; it ends, and the namespace lives on in
        # the descriptor.
        thread = threading.Thread(target=self._build_here, args=(result,))
        thread.start()
        thread.join()
        outcome = result[0]
        if isinstance(outcome, BaseException):
            raise ArenaError(
                f"Root cannot make a mount namespace for the bots: {outcome}.",
                hint="Run as an ordinary user, or give this container CAP_SYS_ADMIN.",
            ) from outcome
        return outcome

    def _build_here(self, result: list[int | BaseException]) -> None:
        try:
            syscalls.unshare(syscalls.CLONE_NEWNS)
            syscalls.mount("none", "/", "", syscalls.MS_REC | syscalls.MS_SLAVE)
            flags = syscalls.MS_NOSUID | syscalls.MS_NODEV
            syscalls.mount("arena", self._place, "tmpfs", flags, "mode=0755")
            for entry in self._entries:
                entry.put()
            result.append(os.open("/proc/thread-self/ns/mnt", os.O_RDONLY | os.O_CLOEXEC))
        except BaseException as error:
            result.append(error)


def _bind(source: str, target: str) -> None:
    syscalls.mount(source, target, "", syscalls.MS_BIND | syscalls.MS_REC)


def _copy(source: str, target: str) -> None:
    if not os.path.isdir(source):
        shutil.copyfile(source, target)
        os.chmod(target, _open_mode(source))
        return
    os.mkdir(target, 0o755)
    os.chmod(target, 0o755)
    for entry in os.scandir(source):
        _copy(entry.path, f"{target}/{entry.name}")


def _open_mode(path: str) -> int:
    return 0o755 if os.stat(path).st_mode & stat.S_IXUSR else 0o644
