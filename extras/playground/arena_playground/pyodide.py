"""Pyodide, pinned by version and hash, as it comes from npm. The build of the wheel downloads it.

This module needs nothing but the standard library, because the build runs it before anything is installed.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import os
import re
import subprocess
import tarfile
import tempfile
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

VERSION = "314.0.7"
SHA256 = "66b7949e5a0cba2250b586d7e368bf12fb482800748d182c4618254b685ffaa0"
LIBRARY = "python_stdlib.zip"
FILES = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", LIBRARY, "pyodide-lock.json")
LICENSE = "https://github.com/pyodide/pyodide/blob/main/LICENSE (MPL-2.0)"
FOLDER = Path(__file__).parent / "vendor" / "pyodide"
COMPILER = Path(__file__).with_name("compile.mjs")
COMPILED = FOLDER / "compiled"
WHEELS = FOLDER.parent / "wheels"
"""Packages that this machine has added to the browser's Python, such as NumPy."""
PLATFORMS = ("none-any.whl", "wasm32.whl")


def packed(name: str) -> str:
    """Return the name of a file in the folder. A web server would treat the ending .gz in its own way."""
    return f"{name}.bin"


def is_there() -> bool:
    return (FOLDER / VERSION).exists()


def fetch() -> None:
    """Download Pyodide into `FOLDER`, compress its files, since plain web servers do not, and compile its library.

    The environment variable `NPM_CONFIG_REGISTRY` names another registry.

    Raises:
        OSError: It cannot be downloaded, or it is not the expected file.
    """
    if not is_there():
        _download()
    if not COMPILED.exists():
        _compile()


def _download() -> None:
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


def _compile() -> None:
    """Compile what Python loads at its start, which takes a browser seconds. Without Node.js, all stays source text."""
    with tempfile.TemporaryDirectory() as folder:
        for name in FILES:
            Path(folder, name).write_bytes(gzip.decompress((FOLDER / packed(name)).read_bytes()))
        Path(folder, COMPILER.name).write_bytes(COMPILER.read_bytes())
        unused = Path(folder, "node_modules", "ws")  # Pyodide imports this package in Node.js
        unused.mkdir(parents=True)
        (unused / "index.js").touch()
        try:
            subprocess.run(["node", COMPILER.name], cwd=folder, check=True, capture_output=True, timeout=300)
        except (OSError, subprocess.SubprocessError):
            return
        library = Path(folder, LIBRARY).read_bytes()
    (FOLDER / packed(LIBRARY)).write_bytes(gzip.compress(library, 9, mtime=0))
    COMPILED.touch()


def wheels() -> dict[str, Path]:
    """Return the added packages by their names."""
    return {wheel.name.split("-")[0].lower().replace("_", "-"): wheel for wheel in sorted(WHEELS.glob("*.whl"))}


def add(what: str) -> Path:
    """Add a package to the browser's Python: a wheel, or a name that Pyodide knows, which is downloaded from PyPI.

    Raises:
        OSError: The file cannot be read, does not fit, or is not on PyPI.
    """
    path = Path(what)
    data = path.read_bytes() if path.suffix == ".whl" else _from_pypi(what)
    name = path.name if path.suffix == ".whl" else _known(what)["file_name"]
    if not name.endswith(PLATFORMS):
        raise OSError(f"{name} is not for the browser: its name must end in {' or '.join(PLATFORMS)}.")
    _check(name, data)
    WHEELS.mkdir(parents=True, exist_ok=True)
    for old in WHEELS.glob(f"{name.split('-')[0]}-*.whl"):
        old.unlink()
    (WHEELS / name).write_bytes(data)
    return WHEELS / name


def _lock() -> dict[str, Any]:
    packages: dict[str, Any] = json.loads(gzip.decompress((FOLDER / packed("pyodide-lock.json")).read_bytes()))[
        "packages"
    ]
    return packages


def _known(name: str) -> dict[str, Any]:
    found: dict[str, Any] | None = _lock().get(re.sub(r"[-_.]+", "-", name).lower())
    if found is None:
        raise OSError(f"Pyodide {VERSION} knows no package {name}. Give the path of a wheel.")
    return found


def _from_pypi(name: str) -> bytes:
    found = _known(name)
    wanted = found["file_name"]
    try:
        with urllib.request.urlopen(f"https://pypi.org/pypi/{name}/{found['version']}/json", timeout=60) as answer:
            urls = {one["filename"]: one["url"] for one in json.load(answer)["urls"]}
    except urllib.error.HTTPError as error:
        if error.code != 404:
            raise
        urls = {}
    if wanted not in urls:
        raise OSError(f"PyPI does not have {wanted}. If you have this file from elsewhere, give its path.")
    with urllib.request.urlopen(urls[wanted], timeout=120) as answer:
        data: bytes = answer.read()
    return data


def _check(name: str, data: bytes) -> None:
    """Refuse a wheel that Pyodide knows, but with another content."""
    hashes = {one["file_name"]: one["sha256"] for one in _lock().values()}
    if hashes.get(name, found := hashlib.sha256(data).hexdigest()) != found:
        raise OSError(f"{name} is not the file that Pyodide {VERSION} names: its hash is another one.")
