"""Pyodide, pinned by version and hash, as it comes from npm. The build of the wheel downloads it.

This module needs nothing but the standard library, because the build runs it before anything is installed.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import tarfile
import urllib.request
from pathlib import Path

VERSION = "314.0.7"
SHA256 = "66b7949e5a0cba2250b586d7e368bf12fb482800748d182c4618254b685ffaa0"
FILES = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json")
LICENSE = "https://github.com/pyodide/pyodide/blob/main/LICENSE (MPL-2.0)"
FOLDER = Path(__file__).parent / "vendor" / "pyodide"


def packed(name: str) -> str:
    """Return the name of a file in the folder. A web server would treat the ending .gz in its own way."""
    return f"{name}.bin"


def is_there() -> bool:
    return (FOLDER / VERSION).exists()


def fetch() -> None:
    """Download Pyodide into `FOLDER`, and compress its files, since plain web servers do not.

    The environment variable `NPM_CONFIG_REGISTRY` names another registry.

    Raises:
        OSError: It cannot be downloaded, or it is not the expected file.
    """
    if is_there():
        return
    registry = os.environ.get("NPM_CONFIG_REGISTRY", "https://registry.npmjs.org").rstrip("/")
    url = f"{registry}/pyodide/-/pyodide-{VERSION}.tgz"
    with urllib.request.urlopen(url, timeout=120) as answer:
        data = answer.read()
    if hashlib.sha256(data).hexdigest() != SHA256:
        raise OSError(f"{url} is not the file that Arena was built with: its hash is another one.")
    FOLDER.mkdir(parents=True, exist_ok=True)
    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        for name in FILES:
            file = archive.extractfile(f"package/{name}")
            if file is None:
                raise OSError(f"{url} has no file {name}.")
            (FOLDER / packed(name)).write_bytes(gzip.compress(file.read(), 9, mtime=0))
    (FOLDER / VERSION).write_text(f"Pyodide {VERSION}, {LICENSE}\n", encoding="utf-8")
