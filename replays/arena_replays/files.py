"""Write a whole file in one step."""

from __future__ import annotations

import os
import shutil
import threading
from pathlib import Path
from typing import BinaryIO


def replace_file(path: Path, data: bytes | BinaryIO, *, sync: bool = True) -> None:
    """Put `data` at `path` in one step: readers see the old file or the new one. The permissions of an old file stay.

    Args:
        path: The path of the file.
        data: The whole content; an open file is copied from its position on.
        sync: Whether the new file must survive a power failure. Without it, a file that is empty can remain then.

    Raises:
        OSError: The file cannot be written. The old file is unchanged.
    """
    temporary = beside(path)
    try:
        with temporary.open("wb") as file:
            if isinstance(data, bytes):
                file.write(data)
            else:
                shutil.copyfileobj(data, file, 1 << 20)
            if path.exists():
                os.chmod(temporary, path.stat().st_mode & 0o777)
            file.flush()
            if sync:
                os.fsync(file.fileno())
        try:
            temporary.replace(path)
        except PermissionError:
            if os.name != "nt":
                raise
            shutil.copyfile(temporary, path)  # Windows replaces no file that somebody reads
            temporary.unlink()
    except OSError:
        temporary.unlink(missing_ok=True)
        raise


def beside(path: Path) -> Path:
    """Return the path of a temporary file in the same folder, which no other thread and no other process uses."""
    return path.with_name(f".{path.name}.{os.getpid()}.{threading.get_ident()}.part")
