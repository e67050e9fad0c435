"""A bot's files: which files of its folder belong to it, whether they are safe, and their hash.

A file belongs to a bot unless tools, systems or Arena's commands have written it (`child.is_foreign`). The listing is
what is hashed, copied and uploaded; the sandbox shows the same files (`own_entries`), as few mounts as possible.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import re
import stat
from collections.abc import Iterable, Sequence
from pathlib import Path

from arena.bots.folders import child
from arena.errors import ArenaError
from arena.text.printable import one_line

MOST_FILES = 2000
MOST_BYTES = child.LARGEST_CONTENT
LARGEST_ARCHIVE = 128 * 1024 * 1024
"""The limit for the size of a bot's archive, in bytes: half of what its folder may have unpacked, since programs
compress to a half or less."""
DEEPEST = 12
"""Limits of a bot's folder. Chosen, not measured: far above what students hand in, and far below what a disk, a listing
or the paths of a system can bear."""
NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT})
"""The errors of a full disk. They are never the fault of a bot."""
BUILT = child.BUILT
_EXPECTED = frozenset({".vscode", "replays", "climb"})
"""Folders that `arena new`, `arena play` and `arena climb` make. Nobody expects that they belong to a bot."""
_MOST_NAMED = 5
COPY = re.compile("[0-9a-f]{24}")
"""Matches the names of the folders of Arena's copies: the beginning of the content hash."""


def cache_folder() -> Path:
    """Return the folder for everything that can be made again. Only its owner may enter it: bots are in it."""
    base = os.environ.get("XDG_CACHE_HOME", "")
    folder = (Path(base) if base.startswith("/") else Path.home() / ".cache") / "arena"
    with contextlib.suppress(OSError):  # whoever writes there says what is wrong; another user can share theirs
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if folder.stat().st_mode & 0o077:
            folder.chmod(0o700)
    return folder


def list_files(folder: Path, only: Iterable[str] = ()) -> tuple[str, ...]:
    """Return the bot's files, relative to its folder, sorted, with `/` between the parts."""
    files: list[str] = []
    size = 0
    starts = [folder / name for name in only] or [folder]
    pending = [(start, 0) for start in starts]
    while pending:
        path, depth = pending.pop()
        if file_kind(path, folder) == "folder":
            if depth > DEEPEST:
                raise ArenaError(f"{folder}: folders are nested deeper than {DEEPEST}.")
            with os.scandir(path) as entries:
                for entry in entries:
                    if not _is_skipped(folder, path, entry.name, depth):
                        pending.append((path / entry.name, depth + 1))
                    if len(pending) > MOST_FILES:
                        raise ArenaError(f"{folder} has more than {MOST_FILES} files.")
            continue
        files.append(path.relative_to(folder).as_posix())
        size += path.stat().st_size
        if len(files) > MOST_FILES:
            raise ArenaError(f"{folder} has more than {MOST_FILES} files.")
        if size > MOST_BYTES:
            raise ArenaError(f"{folder} has more than {MOST_BYTES // (1024 * 1024)} MiB.")
    return tuple(sorted(files))


def file_kind(path: Path, folder: Path) -> str:
    """Return `file` or `folder` for an entry of a bot's folder. A link to a file inside the bot's folder is a file."""
    name = path.relative_to(folder).as_posix()
    if not name.isprintable():
        raise ArenaError(f"{folder}: the file name {name!r} has characters that cannot be printed.")
    mode = path.lstat().st_mode
    if stat.S_ISLNK(mode):
        target = Path(os.path.realpath(path))
        if not target.is_relative_to(folder):
            raise ArenaError(f"{folder}: the link {name} leaves the bot's folder.")
        if not target.is_file():
            raise ArenaError(f"{folder}: the link {name} does not lead to a file.")
        return "file"
    if stat.S_ISDIR(mode):
        return "folder"
    if not stat.S_ISREG(mode):
        raise ArenaError(f"{folder}: {name} is neither a file nor a folder.")
    return "file"


def left_out(folder: Path) -> tuple[str, ...]:
    """Return the files and folders in a bot's folder that do not belong to the bot, sorted."""
    paths = []
    for parent, folders, files in os.walk(folder):
        skipped = {name for name in (*folders, *files) if child.is_foreign(name, os.path.basename(parent))}
        paths += [Path(parent, name).relative_to(folder).as_posix() for name in skipped]
        folders[:] = [name for name in folders if name not in skipped]
    return tuple(sorted(paths))


def left_out_in_words(names: Sequence[str]) -> str:
    """Return what was left out of a bot, such as "__pycache__, .git, and 3 more".

    What Arena's commands and operating systems write is not named: a message at each upload would hide the rest.
    """
    surprising = [name for name in names if not _is_expected(name.split("/"))]
    more = f", and {len(surprising) - _MOST_NAMED} more" if len(surprising) > _MOST_NAMED else ""
    return one_line(", ".join(surprising[:_MOST_NAMED]) + more)


def _is_expected(parts: Sequence[str]) -> bool:
    return not _EXPECTED.isdisjoint(parts) or child.is_of_system(parts[-1])


def _is_skipped(folder: Path, path: Path, name: str, depth: int) -> bool:
    """Return whether an entry of the folder `path` does not belong to the bot in `folder`.

    In the folder `BUILT` nothing is skipped, since the output of a build can have any names. In Arena's own copies of
    bots, entries are skipped at the top level only, so that the hash shows any file that is added in a subfolder.
    """
    if folder.name == BUILT or (depth and COPY.fullmatch(folder.name)):
        return False
    return child.is_foreign(name, path.name)


def own_entries(folder: Path, only: Iterable[str] = ()) -> tuple[str, ...]:
    """Return the files and folders that make up the bot, as few as possible. Call `list_files` first as a check.

    A folder that contains what does not belong to the bot is replaced by its other entries.

    Returns:
        The paths relative to the folder, with `/` between the parts; an empty tuple if the whole folder belongs to the
        bot.
    """
    entries = [entry for name in tuple(only) or ("",) for entry in _own_entries(folder, name, 0)]
    return () if entries == [""] else tuple(entries)


def _own_entries(folder: Path, name: str, depth: int) -> list[str]:
    path = folder / name
    if path.is_symlink() or not path.is_dir():
        return [name]
    everything = [f"{name}/{entry}".lstrip("/") for entry in sorted(os.listdir(path))]
    own: list[str] = []
    for entry in everything:
        if not _is_skipped(folder, path, os.path.basename(entry), depth):
            own += _own_entries(folder, entry, depth + 1)
    return [name] if own == everything else own


def content_hash(folder: Path, files: Iterable[str]) -> str:
    """Return a hash of names, executable bits and bytes of the files."""
    bot_hash = hashlib.sha256()
    for name in files:
        path = folder / name
        with path.open("rb") as stream:
            digest = hashlib.file_digest(stream, "sha256").hexdigest()
        executable = "x" if path.stat().st_mode & stat.S_IXUSR else "-"
        bot_hash.update(f"{name}\0{executable}\0{digest}\n".encode())
    return bot_hash.hexdigest()
