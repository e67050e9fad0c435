"""Unpack a bot's archive, which is untrusted, into a cache.

The limited process (`child.py`) reads the archive and sends names and data; this module decides what is written. It
trusts neither the archive nor that process: names are checked, members and bytes are counted as they come, and the
files appear in the cache in one step, named by the hash of the archive.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from arena.bots.folders import child
from arena.bots.folders.child_process import ChildFailedError, LimitedProcess
from arena.bots.folders.files import DEEPEST, LARGEST_ARCHIVE, MOST_BYTES, MOST_FILES, NO_ROOM, cache_folder
from arena.errors import ArenaError, ExitCode
from arena.text.printable import one_line

_LEFT_OUT = "left-out"
"""The name of a file beside the unpacked files, with what was left out."""
MAX_KEPT = 100
KEPT_SECONDS = 7 * 24 * 3600
BLOCK = 4096
MAX_BYTES = 4 * 1024 * 1024 * 1024
IN_USE_SECONDS = 3600
"""Limits of the cache. It keeps the newest `MAX_KEPT` archives, and all that were used within `KEPT_SECONDS`. Beyond
`MAX_BYTES` it keeps only those that were used within `IN_USE_SECONDS`, since a match can be using them.

Chosen, not measured: a course of 100 fits in whole, and a contest's evening keeps what it plays with."""


def unpack_archive(path: Path, cache: Path | None = None) -> Path:
    """Unpack an archive into the cache, if the cache does not have its content yet, and return the bot's folder.

    If the archive contains one folder and nothing beside it, this folder is the bot's folder. A limited process reads
    the archive. The calling process checks the names and writes the files.
    """
    if path.stat().st_size > LARGEST_ARCHIVE:
        raise ArenaError(f"{path} is larger than {LARGEST_ARCHIVE // (1024 * 1024)} MiB.")
    with path.open("rb") as stream:
        digest = hashlib.file_digest(stream, "sha256").hexdigest()
    target = (cache or cache_folder() / "bots") / digest
    if not target.is_dir():
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            remove_unused(target.parent)
            _unpack_into(path, target)
        except OSError as error:
            raise ArenaError(
                f"{path} cannot be unpacked into {target.parent}: {(error.strerror or str(error)).lower()}.",
                hint="Set XDG_CACHE_HOME to another folder.",
                exit_code=ExitCode.CANNOT_WRITE if error.errno in NO_ROOM else ExitCode.BAD_BOT,
            ) from None
    with contextlib.suppress(OSError):
        os.utime(target)
    return _single_folder(target / "files")


def remove_unused(cache: Path) -> None:
    """Remove the entries of a cache that were not used lately, and unfinished entries of killed processes.

    The newest `MAX_KEPT` entries stay, and all that were used within `KEPT_SECONDS`. If the entries that stay are
    larger than `MAX_BYTES`, the oldest are removed, except those that were used within `IN_USE_SECONDS`.
    """
    newest_first = sorted(((folder.stat().st_mtime, folder) for folder in cache.iterdir()), reverse=True)
    now, size = time.time(), 0
    for index, (used, folder) in enumerate(newest_first):
        size += size_on_disk(folder)
        is_old = index >= MAX_KEPT and used < now - KEPT_SECONDS
        is_unwanted = size > MAX_BYTES or folder.name.startswith(".")
        if is_old or (is_unwanted and used < now - IN_USE_SECONDS):
            shutil.rmtree(folder, ignore_errors=True)


def size_on_disk(folder: Path) -> int:
    """Return the bytes that a folder takes on the disk. Each entry counts as a block at least."""
    size = 0
    for parent, folders, files in os.walk(folder):
        for name in (*folders, *files):
            with contextlib.suppress(OSError):  # another process has removed it
                size += max(BLOCK, os.lstat(f"{parent}/{name}").st_blocks * 512)
    return size


def left_out_of(folder: Path) -> tuple[str, ...]:
    """Return what was left out of the archive whose unpacked folder this is."""
    for parent in (folder.parent, folder.parent.parent):  # of an archive of one folder, `folder` is that one
        with contextlib.suppress(OSError):
            return tuple((parent / _LEFT_OUT).read_text(encoding="utf-8").splitlines())
    return ()


def _unpack_into(path: Path, target: Path) -> None:
    temporary = Path(tempfile.mkdtemp(prefix=".unpack-", dir=target.parent))
    try:
        names = write_members(path, temporary / "files")
        (temporary / _LEFT_OUT).write_text("\n".join(map(one_line, names)), encoding="utf-8")
        try:
            temporary.rename(target)
        except OSError:
            if not target.is_dir():
                raise
    except ChildFailedError as error:
        raise ArenaError(f"{path} cannot be unpacked. {error}") from None
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def _single_folder(files: Path) -> Path:
    """Return the folder in `files` if it is all that has files there, otherwise `files`."""
    entries = [
        entry for entry in files.iterdir() if entry.is_file() or any(path.is_file() for path in entry.rglob("*"))
    ]
    return entries[0] if len(entries) == 1 and entries[0].is_dir() else files


def _frames(path: Path, request: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Let the limited process read an archive, and yield the frames that it sends."""
    with path.open("rb") as stream, LimitedProcess([stream.fileno()]) as process:
        process.ask(request, str(stream.fileno()).encode())
        while (frame := process.receive())[0] != child.END:
            yield frame


def write_members(path: Path, target: Path, *, whole: bool = False) -> list[str]:
    """Write the files of an archive into a new folder.

    Args:
        whole: Whether the archive is the output of a build, which is written as it is. Of the archive of a bot, what
            does not belong to a bot (see `child.is_foreign`) is left out.

    Returns:
        The first paths that were left out.
    """
    request = child.ZIP if path.name.lower().endswith(".zip") else child.TAR
    if whole:
        request = child.OUTPUT
    left_out: list[str] = []
    target.mkdir()
    count, room = 0, MOST_BYTES
    member = target
    for frame_type, data in _frames(path, request):
        if frame_type == child.LEFT_OUT:
            if len(left_out) < MOST_FILES:
                left_out.append(data.decode("utf-8", "replace"))
        elif frame_type == child.DATA:
            # The author of an archive can fake the sizes in it. Count the actual bytes.
            room -= len(data)
            if room < 0:
                raise ArenaError(f"{path} unpacks to more than {MOST_BYTES // (1024 * 1024)} MiB.")
            with member.open("ab") as out:
                out.write(data)
        else:
            count += 1
            if count > MOST_FILES:
                raise ArenaError(f"{path} holds more than {MOST_FILES} files.")
            is_file = frame_type != child.FOLDER
            member = _member_path(path, data.decode("utf-8", "surrogatepass"), target, is_file=is_file)
            if is_file:
                member.parent.mkdir(parents=True, exist_ok=True)
                member.touch(exist_ok=False)
                member.chmod(0o755 if frame_type == child.PROGRAM else 0o644)
            else:
                member.mkdir(parents=True, exist_ok=True)
    return left_out


def _member_path(path: Path, name: str, target: Path, *, is_file: bool) -> Path:
    """Return where a member is written. Raise `ArenaError` unless it is a folder, or a new file, inside of `target`."""
    pure = PurePosixPath(name)
    parts = tuple(part for part in pure.parts if part != ".")
    if pure.is_absolute() or ".." in parts:
        raise ArenaError(f"{path}: {name[:80]!r} leads out of the bot's folder.")
    if "\\" in name or ":" in name:  # a path of Windows; a character of a name in an archive of another system
        raise ArenaError(f"{path}: the file name {name[:80]!r} cannot be used, because it has a backslash or a colon.")
    if not name.isprintable() or any(len(part.encode()) > 255 for part in parts):
        raise ArenaError(f"{path}: the file name {name[:80]!r} cannot be used.")
    if len(parts) > DEEPEST:
        raise ArenaError(f"{path}: folders are nested deeper than {DEEPEST}.")
    member = target.joinpath(*parts)
    if member.is_file() or (is_file and member.exists()):
        raise ArenaError(f"{path}: {name[:80]!r} is in the archive twice.")
    if not member.parent.is_dir() and any(parent.is_file() for parent in member.parents[: len(parts)]):
        raise ArenaError(f"{path}: {name[:80]!r} leads through a file.")
    return member
