"""Unpack a bot's archive, which is untrusted."""

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
from arena.bots.folders.files import DEEPEST, MOST_BYTES, MOST_FILES, NO_ROOM, cache_folder
from arena.bots.folders.parser import ChildFailedError, LimitedProcess
from arena.errors import ArenaError, ExitCode
from arena.text.printable import one_line

_LEFT_OUT = "left-out"
"""The name of a file beside the unpacked files, with what was left out."""
LARGEST_ARCHIVE = 128 * 1024 * 1024
MAX_KEPT = 100
KEPT_SECONDS = 7 * 24 * 3600
BLOCK = 4096
MAX_BYTES = 4 * 1024 * 1024 * 1024
IN_USE_SECONDS = 3600
"""Limits of the cache. It keeps the newest `MAX_KEPT` archives, and all that were used within `KEPT_SECONDS`. Beyond
`MAX_BYTES` it keeps only those that were used within `IN_USE_SECONDS`, since a match can be using them."""


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
    known = sorted(((one.stat().st_mtime, one) for one in cache.iterdir()), reverse=True)
    time_now, size = time.time(), 0
    for index, (used, folder) in enumerate(known):
        size += size_on_disk(folder)
        too_much = size > MAX_BYTES or folder.name.startswith(".")
        old = index >= MAX_KEPT and used < time_now - KEPT_SECONDS
        if old or (too_much and used < time_now - IN_USE_SECONDS):
            shutil.rmtree(folder, ignore_errors=True)


def size_on_disk(folder: Path) -> int:
    """Return the bytes that a folder takes on the disk. Each entry counts as a block at least."""
    places = [(place, name) for place, folders, files in os.walk(folder) for name in (*folders, *files)]
    size = 0
    for place, name in places:
        with contextlib.suppress(OSError):  # another process has removed it
            size += max(BLOCK, os.lstat(f"{place}/{name}").st_blocks * 512)
    return size


def left_out_of(folder: Path) -> tuple[str, ...]:
    """Return what was left out of the archive whose unpacked folder this is."""
    for place in (folder.parent, folder.parent.parent):  # an archive of one folder is that folder
        with contextlib.suppress(OSError):
            return tuple((place / _LEFT_OUT).read_text(encoding="utf-8").splitlines())
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
    entries = [one for one in files.iterdir() if one.is_file() or any(path.is_file() for path in one.rglob("*"))]
    return entries[0] if len(entries) == 1 and entries[0].is_dir() else files


def _members(path: Path, kind: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Let the limited process read an archive, and yield the frames that it sends."""
    with path.open("rb") as stream, LimitedProcess([stream.fileno()]) as process:
        process.ask(kind, str(stream.fileno()).encode())
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
    left_out: list[str] = []
    target.mkdir()
    kind_of_archive = child.OUTPUT if whole else child.ZIP if path.name.lower().endswith(".zip") else child.TAR
    count, room = 0, MOST_BYTES
    place = target
    for kind, data in _members(path, kind_of_archive):
        if kind == child.LEFT_OUT:
            left_out += [data.decode("utf-8", "replace")] if len(left_out) < MOST_FILES else []
            continue
        if kind == child.DATA:
            # The author of an archive can fake the sizes in it. Count the actual bytes.
            room -= len(data)
            if room < 0:
                raise ArenaError(f"{path} unpacks to more than {MOST_BYTES // (1024 * 1024)} MiB.")
            with place.open("ab") as out:
                out.write(data)
            continue
        count += 1
        if count > MOST_FILES:
            raise ArenaError(f"{path} holds more than {MOST_FILES} files.")
        place = _place(path, data.decode("utf-8", "surrogatepass"), target, is_file=kind != child.FOLDER)
        if kind == child.FOLDER:
            place.mkdir(parents=True, exist_ok=True)
        else:
            place.parent.mkdir(parents=True, exist_ok=True)
            place.touch(exist_ok=False)
            place.chmod(0o755 if kind == child.PROGRAM else 0o644)
    return left_out


def _place(path: Path, name: str, target: Path, *, is_file: bool) -> Path:
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
    place = target.joinpath(*parts)
    if place.is_file() or (is_file and place.exists()):
        raise ArenaError(f"{path}: {name[:80]!r} is in the archive twice.")
    if not place.parent.is_dir() and any(one.is_file() for one in place.parents[: len(parts)]):
        raise ArenaError(f"{path}: {name[:80]!r} leads through a file.")
    return place
