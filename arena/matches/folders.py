"""The folder of a contest, and its folder for temporary files."""

import hashlib
import json
import os
import shutil
import stat
from contextlib import suppress
from pathlib import Path
from typing import Any

from arena.bots.system.surroundings import socket_folder
from arena.errors import ArenaError
from arena.journal.files import disk_errors
from arena_replays.files import replace_file


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
    place = scratch_folder(folder)
    for path in place.iterdir():
        shutil.rmtree(path, ignore_errors=True)
    if gone:
        with suppress(OSError):
            place.rmdir()


def write_json(path: Path, document: Any) -> None:
    replace_file(path, f"{json.dumps(document, indent=2, ensure_ascii=False)}\n".encode(), sync=False)
