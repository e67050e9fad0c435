"""Unpacks a bot's archive, trusting nothing in it."""

from __future__ import annotations

import hashlib
import shutil
import stat
import tarfile
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO

from arena.bots.folders.files import DEEPEST, MOST_BYTES, MOST_FILES, cache_folder
from arena.errors import ArenaError

LARGEST_ARCHIVE = 128 * 1024 * 1024
CHUNK = 1024 * 1024


@dataclass(frozen=True, slots=True)
class _Member:
    name: str
    folder: bool
    executable: bool
    source: zipfile.ZipInfo | tarfile.TarInfo


def unpack_archive(path: Path, cache: Path | None = None) -> Path:
    """Unpacks an archive into the cache, once for each content, and returns the bot's folder.

    An archive that holds one folder and nothing beside it is that folder.

    Raises:
        ArenaError: It is no archive, is too large, or holds links, devices, absolute names or `..`; or the cache cannot
            be written.
    """
    if path.stat().st_size > LARGEST_ARCHIVE:
        raise ArenaError(f"{path} is larger than {LARGEST_ARCHIVE // (1024 * 1024)} MiB")
    with path.open("rb") as stream:
        digest = hashlib.file_digest(stream, "sha256").hexdigest()
    target = (cache or cache_folder() / "bots") / digest
    if not target.is_dir():
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            _unpack_into(path, target)
        except OSError as error:
            raise ArenaError(
                f"{path} cannot be unpacked into {target.parent}: {(error.strerror or str(error)).lower()}",
                hint="XDG_CACHE_HOME may name another folder.",
            ) from None
    return _single_folder(target / "files")


def _unpack_into(path: Path, target: Path) -> None:
    temporary = Path(tempfile.mkdtemp(prefix=".unpack-", dir=target.parent))
    try:
        with _open(path) as (archive, members):
            _extract(path, archive, members, temporary / "files")
        try:
            temporary.rename(target)
        except OSError:
            if not target.is_dir():
                raise
    except (zipfile.BadZipFile, tarfile.TarError, zlib.error, EOFError, NotImplementedError) as error:
        raise ArenaError(f"{path} cannot be unpacked: {error}") from None
    except RuntimeError as error:
        raise ArenaError(f"{path} cannot be unpacked: {error}") from None
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def _single_folder(files: Path) -> Path:
    entries = list(files.iterdir())
    return entries[0] if len(entries) == 1 and entries[0].is_dir() else files


@contextmanager
def _open(path: Path) -> Iterator[tuple[zipfile.ZipFile | tarfile.TarFile, list[_Member]]]:
    if path.name.lower().endswith(".zip"):
        with zipfile.ZipFile(path) as archive:
            yield archive, [_zip_member(path, info) for info in archive.infolist()]
    else:
        with tarfile.open(path, "r:gz") as tar:
            yield tar, list(_tar_members(path, tar))


def _tar_members(path: Path, tar: tarfile.TarFile) -> Iterator[_Member]:
    size = 0
    for count, info in enumerate(tar, 1):
        size += max(0, info.size)
        # Checked on the way: a bomb must not be read to its end only to be refused.
        if count > MOST_FILES or size > MOST_BYTES:
            raise ArenaError(f"{path} unpacks to more than is allowed")
        yield _tar_member(path, info)


def _zip_member(path: Path, info: zipfile.ZipInfo) -> _Member:
    mode = info.external_attr >> 16
    kind = stat.S_IFMT(mode)
    if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
        raise ArenaError(f"{path}: {info.filename!r} is a link or a device")
    return _Member(info.filename, info.is_dir(), bool(mode & stat.S_IXUSR), info)


def _tar_member(path: Path, info: tarfile.TarInfo) -> _Member:
    if not (info.isfile() or info.isdir()) or info.issparse():
        raise ArenaError(f"{path}: {info.name!r} is a link or a device")
    return _Member(info.name, info.isdir(), bool(info.mode & stat.S_IXUSR), info)


def _extract(path: Path, archive: zipfile.ZipFile | tarfile.TarFile, members: list[_Member], target: Path) -> None:
    if len(members) > MOST_FILES:
        raise ArenaError(f"{path} holds more than {MOST_FILES} files")
    target.mkdir()
    room = MOST_BYTES
    for member in members:
        place = target.joinpath(*_parts(path, member.name))
        if member.folder:
            place.mkdir(parents=True, exist_ok=True)
            continue
        place.parent.mkdir(parents=True, exist_ok=True)
        if place.exists():
            raise ArenaError(f"{path}: {member.name!r} is there twice")
        with _member_stream(archive, member) as stream:
            room -= _copy(path, stream, place, room)
        place.chmod(0o755 if member.executable else 0o644)


def _parts(path: Path, name: str) -> tuple[str, ...]:
    pure = PurePosixPath(name)
    parts = tuple(part for part in pure.parts if part != ".")
    if pure.is_absolute() or ".." in parts or "\\" in name or ":" in name:
        raise ArenaError(f"{path}: {name!r} leads out of the bot's folder")
    if not name.isprintable() or any(len(part.encode()) > 255 for part in parts):
        raise ArenaError(f"{path}: the file name {name[:80]!r} cannot be used")
    if len(parts) > DEEPEST:
        raise ArenaError(f"{path}: folders are nested deeper than {DEEPEST}")
    return parts


def _member_stream(archive: zipfile.ZipFile | tarfile.TarFile, member: _Member) -> IO[bytes]:
    if isinstance(archive, zipfile.ZipFile):
        assert isinstance(member.source, zipfile.ZipInfo)
        return archive.open(member.source)
    assert isinstance(member.source, tarfile.TarInfo)
    stream = archive.extractfile(member.source)
    assert stream is not None
    return stream


def _copy(path: Path, stream: IO[bytes], place: Path, room: int) -> int:
    # The sizes in an archive are its author's claims: what counts is what comes out.
    size = 0
    with place.open("xb") as out:
        while data := stream.read(CHUNK):
            size += len(data)
            if size > room:
                raise ArenaError(f"{path} unpacks to more than {MOST_BYTES // (1024 * 1024)} MiB")
            out.write(data)
    return size
