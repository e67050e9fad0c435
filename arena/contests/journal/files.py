"""The folder of a contest: lock, replays, and checks of its file system.

A replay comes to its place in steps, so that a crash at any moment leaves either a replay with a result or none:

1. A running match writes to `temporary_replay_path`. `sweep` removes what a killed process left there.
2. `stage_replay` moves it beside its place and synchronises it, before its entry is written into the journal.
3. The entry is written.
4. `unstage_replay` moves it to its place. If the process is killed before that, the next start does it.
"""

import errno
import hashlib
import json
import os
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from arena.bots.system.surroundings import socket_folder
from arena.errors import ArenaError, ExitCode
from arena_replays.files import replace_file

_NETWORK = frozenset(
    {"nfs", "nfs4", "lustre", "cifs", "smb3", "smbfs", "9p", "beegfs", "gpfs", "afs", "ceph", "fuse.sshfs"}
)
"""Types of file systems on which SQLite's write-ahead log does not work: it needs shared memory."""
_REASONS = {
    errno.ENOSPC: "the disk is full",
    errno.EDQUOT: "the quota is used up",
    errno.EROFS: "the file system is read-only",
    errno.EACCES: "there is no permission to write",
    errno.EPERM: "there is no permission to write",
    errno.ENOENT: "it does not exist any more",
    errno.EIO: "the disk reports an error",
}
_SAFE = "All results so far are safe. Fix the cause and run the same command again."
_STAGED = ".tmp.staged"
_ROOM = 256 * 1024
"""Free bytes that the disk must have. Most replays need less."""
UNFINISHED = ".new-"
"""The beginning of the names of unfinished copies of bots."""

ERASING = "erasing"
"""The name of the file that exists while an erasure is being carried out."""


class DiskError(ArenaError):
    """The disk or the journal has failed. All recorded results are safe."""

    exit_code = ExitCode.CANNOT_WRITE


@contextmanager
def disk_errors(path: Path, hint: str = _SAFE) -> Iterator[None]:
    """Turn an `OSError` into a `DiskError` that names the file of the error."""
    try:
        yield
    except OSError as error:
        reason = _REASONS.get(error.errno or 0, error.strerror or str(error))
        raise DiskError(f"{error.filename or path} cannot be used: {reason}.", hint=hint) from error


@contextmanager
def private_files() -> Iterator[None]:
    """Make new files of this process and its children readable by their owner only."""
    before = os.umask(0o077)
    try:
        yield
    finally:
        os.umask(before)


def make_private(folder: Path) -> None:
    """Remove the permissions of all users but the owner from a folder and its content.

    Files of other owners, and the targets of links, are not changed.
    """
    for path in (folder, *folder.rglob("*")):
        with suppress(FileNotFoundError, PermissionError):
            mode = path.lstat().st_mode
            if mode & 0o077 and not stat.S_ISLNK(mode):
                path.chmod(stat.S_IMODE(mode) & 0o700)


def refuse_links(folder: Path) -> None:
    """Refuse a folder in which a link leads out of it to what Arena writes: somebody else may have made the folder."""
    for inner in (folder, folder / "replays", folder / "bots"):
        with disk_errors(inner), suppress(FileNotFoundError, NotADirectoryError), os.scandir(inner) as entries:
            for entry in entries:
                if entry.is_symlink() and (entry.is_dir() or entry.name == "lock"):
                    raise ArenaError(
                        f"{entry.path} is a link. Nothing was changed.",
                        hint="Arena writes to this place. Remove the link, or move the whole folder: it may be a link.",
                        exit_code=ExitCode.CANNOT_WRITE,
                    )


class FolderLock:
    """A lock on the folder of a contest. Until `close` is called, no other process can run it."""

    def __init__(self, folder: Path) -> None:
        import fcntl  # not on Windows, which has no contests

        refuse_links(folder)
        self._path = folder / "lock"
        with disk_errors(self._path):
            self._descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            holder = os.pread(self._descriptor, 20, 0).decode(errors="replace").strip() or "unknown"
            os.close(self._descriptor)
            raise ArenaError(
                f"Another process (PID {holder}) is running the contest in {folder}.",
                hint="Stop it with Ctrl-C, use its pages, or watch it with `arena contest standings`.",
                exit_code=ExitCode.BUSY,
            ) from error
        with disk_errors(self._path):
            os.ftruncate(self._descriptor, 0)
            os.pwrite(self._descriptor, str(os.getpid()).encode(), 0)

    def close(self) -> None:
        os.close(self._descriptor)


def is_locked(folder: Path) -> bool:
    """Return whether a process is running the contest now."""
    import fcntl

    try:
        descriptor = os.open(folder / "lock", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False


def file_system_of(path: Path, mounts: str | None = None) -> str:
    if mounts is None:
        try:
            mounts = Path("/proc/self/mounts").read_text(errors="replace")
        except OSError:
            return ""
    best, kind = "", ""
    absolute = str(path.resolve())
    for line in mounts.splitlines():
        parts = line.split()
        if len(parts) < 3:
            continue
        point = parts[1].replace("\\040", " ")
        inside = absolute == point or absolute.startswith(point.rstrip("/") + "/")
        if inside and len(point) >= len(best):
            best, kind = point, parts[2]
    return kind


def is_network(kind: str) -> bool:
    """Return whether a type of file system is a network one, on which SQLite's write-ahead log does not work."""
    return kind in _NETWORK


def check_room(folder: Path) -> None:
    """Check that the contest's disk has space for one more replay."""
    probe = folder / "replays" / f"room.tmp.{os.getpid()}"
    with disk_errors(folder):
        try:
            probe.parent.mkdir(parents=True, exist_ok=True)
            probe.write_bytes(os.urandom(_ROOM))
        finally:
            probe.unlink(missing_ok=True)


def replay_path(folder: Path, match_id: str) -> Path:
    return folder / "replays" / match_id[:2] / f"{match_id}.arena"


def checked_replay_path(path: str, match_id: str) -> str:
    """Return the path of a replay in a journal, relative to the folder; empty if the match has no replay."""
    if path and (path != f"replays/{match_id[:2]}/{match_id}.arena" or "/" in match_id):  # as `replay_path`
        raise ValueError(f"{path!r} is not the replay of {match_id!r}")
    return path


def checked_copy_path(path: str, content: str) -> str:
    """Return the path of a bot's copy in a journal, relative to the folder; empty if the bot has no copy."""
    parts = path.split("/")
    if path and (parts[:2] != ["bots", content[:24]] or {"", ".", ".."} & {*parts}):
        raise ValueError(f"{path!r} is not the copy of a bot")
    return path


def temporary_replay_path(folder: Path, match_id: str) -> Path:
    """Return the path of a running match's replay. If this process is killed, the next start removes the file."""
    return folder / "replays" / match_id[:2] / f"{match_id}.tmp.{os.getpid()}"


def stage_replay(folder: Path, match_id: str, source: Path) -> str:
    """Move a finished replay beside its final path and sync it to the disk.

    Returns:
        The sha256 of the file, in hex.
    """
    staged = _staged_path(folder, match_id)
    with disk_errors(staged):
        staged.parent.mkdir(parents=True, exist_ok=True)
        with source.open("rb") as stream:
            digest = hashlib.file_digest(stream, "sha256").hexdigest()
            os.fsync(stream.fileno())
        os.replace(source, staged)
        sync_folder(staged.parent)
    return digest


def unstage_replay(folder: Path, match_id: str) -> None:
    """Move a staged replay to its final path. If the process is killed before that, the next start does it."""
    path = replay_path(folder, match_id)
    with disk_errors(path):
        os.replace(_staged_path(folder, match_id), path)


def staged_replays(folder: Path) -> list[str]:
    """Return the ids of the matches whose replays were staged by a process that was killed."""
    return [path.name.removesuffix(_STAGED) for path in folder.glob(f"replays/*/*{_STAGED}")]


def staged_digest(folder: Path, match_id: str) -> str:
    """Return the sha256 of a staged replay, in hex."""
    with _staged_path(folder, match_id).open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _staged_path(folder: Path, match_id: str) -> Path:
    return replay_path(folder, match_id).with_name(f"{match_id}{_STAGED}")


def replay_defect(path: Path, recorded: str) -> str:
    """Return what is wrong with a result's replay, such as "is not the recorded one"; "" if it is unchanged."""
    try:
        with path.open("rb") as stream:
            digest = hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        return f"cannot be read: {(error.strerror or str(error)).lower()}"
    return "" if digest == recorded else "is not the recorded one"


def sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sweep(folder: Path) -> None:
    """Remove what killed processes left: unfinished replays, and unfinished copies of bots."""
    with disk_errors(folder / "replays"):
        for path in list((folder / "replays").rglob("*.tmp.*")):
            path.unlink(missing_ok=True)
    for path in (folder / "bots").glob(f"{UNFINISHED}*"):
        shutil.rmtree(path, ignore_errors=True)


# The folder of a contest, and its folder for temporary files.


def folder_of(path: Path) -> Path:
    return path.with_suffix("")


def scratch_folder(folder: Path) -> Path:
    """Create and return the folder for temporary files of matches. The next run of a contest removes old files.

    It is not in the folder of the contest, because the path of a socket must be short.
    """
    name = hashlib.sha256(str(folder.resolve()).encode()).hexdigest()[:12]
    path = Path(socket_folder()) / f"arena-league-{name}"
    with disk_errors(path):
        path.mkdir(mode=0o700, exist_ok=True)
        status = path.lstat()
    if status.st_uid != os.getuid() or not stat.S_ISDIR(status.st_mode):
        raise ArenaError(f"{path} belongs to another user.", hint="Set TMPDIR to a folder of your own.")
    return path


def empty_scratch(folder: Path, *, gone: bool = False) -> None:
    """Remove the temporary files of all matches. With `gone`, remove their folder too.

    The caller must hold the lock of the contest.
    """
    scratch = scratch_folder(folder)
    for path in scratch.iterdir():
        shutil.rmtree(path, ignore_errors=True)
    if gone:
        with suppress(OSError):
            scratch.rmdir()


def write_json(path: Path, document: Any) -> None:
    replace_file(path, f"{json.dumps(document, indent=2, ensure_ascii=False)}\n".encode(), sync=False)
