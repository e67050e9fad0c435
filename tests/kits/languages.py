"""How the programs for tests of each kit are built and run."""

from __future__ import annotations

import contextlib
import hashlib
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parents[2] / "tools"))  # for `python tests/kits/languages.py`

import wire_examples

from arena.sdk import languages as kits
from arena_player import sdk
from arena_player.schema import ARRAYS


class Programs(NamedTuple):
    """The commands that run the two programs: a bot for Stroll, and one that answers questions about vectors."""

    probe: tuple[str, ...]
    vectors: tuple[str, ...]


SHELF = {
    "game": "shelf",
    "title": "Shelf",
    "hash": "fedcba9876543210",
    "root": "Game",
    "grid": None,
    "classes": {
        "Game": {
            "doc": "A game with an array of each type.",
            "placed": False,
            "fields": {
                name: {"type": "array", "doc": "Some numbers.", "dtype": dtype, "shape": [None]}
                for name, dtype in [("cells", "int16"), *((f"{dtype}s", dtype) for dtype in ARRAYS)]
            },
            "actions": {},
        }
    },
}
"""A schema with arrays."""

NEEDED = {"cpp": ("g++",), "java": ("java", "javac"), "javascript": ("node",), "python": ()}
"""The programs that each language needs."""


def generated(language: str) -> dict[Path, str]:
    """Return the classes that are committed for tests of a kit: those of Stroll, and of a game with arrays."""
    name, folder = kits.SDKS[language].classes, kits.kit_folder(language) / "tests"
    return {
        folder / name.format(game=schema["game"], Game=schema["title"]): kits.classes(schema, language)
        for schema in (wire_examples.SCHEMA, SHELF)
    }


def build(language: str, folder: Path, cache: Path) -> Programs:
    """Build the programs for tests of a kit in an empty folder; those that are compiled, in the cache."""
    if language == "python":
        (folder / "stroll.py").write_text(sdk.generate(wire_examples.SCHEMA), encoding="utf-8")
        shutil.copy(Path(__file__).with_name("probe.py"), folder)
        return Programs((sys.executable, "-m", "arena_player", str(folder / "probe.py")), ())
    source = kits.kit_folder(language)
    if language == "javascript":
        for path in (*source.glob("*.js"), *source.glob("tests/*.js")):
            shutil.copy(path, folder)
        (folder / "package.json").write_text('{"type": "module"}', encoding="utf-8")
        return Programs(("node", str(folder / "probe.js")), ("node", str(folder / "vectors.js")))
    compiled = _compiled(language, source, cache)
    if language == "java":
        java = ("java", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp", str(compiled))
        return Programs((*java, "arena.Probe"), (*java, "arena.Vectors"))
    return Programs((str(compiled / "probe"),), (str(compiled / "vectors"),))


def _compiled(language: str, source: Path, cache: Path) -> Path:
    """Return the folder with the compiled programs. Compile them if no earlier run has compiled the same sources."""
    sources = sorted(path for kind in ("java", "cpp", "hpp", "h") for path in source.rglob(f"*.{kind}"))
    whole = hashlib.sha256(Path(__file__).read_bytes())
    for path in (*sources, *(Path(shutil.which(name) or "").resolve() for name in NEEDED[language])):
        status = path.stat()
        whole.update(path.read_bytes() if path in sources else f"{path} {status.st_size} {status.st_mtime_ns}".encode())
    found = cache / f"{language}-{whole.hexdigest()[:16]}"
    if not found.is_dir():
        with tempfile.TemporaryDirectory(dir=cache) as temporary:
            _compile(language, source, folder := Path(temporary) / "programs")
            with contextlib.suppress(OSError):  # another process was faster
                folder.rename(found)
    return found


def _compile(language: str, source: Path, folder: Path) -> None:
    folder.mkdir()
    if language == "java":
        sources = [*source.glob("arena/*.java"), *source.glob("tests/arena/*.java")]
        command = ("javac", "-encoding", "UTF-8", "-Xlint:all", "-Werror", "-d", folder, *sources)
        compiled = subprocess.run(command, capture_output=True, text=True, check=False)
        assert compiled.returncode == 0, compiled.stdout + compiled.stderr
        return
    warnings = ("-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Werror")
    running = [
        subprocess.Popen(
            ("g++", "-std=c++20", "-O0", *warnings, f"-I{source}", "-o", folder / name, source / f"tests/{name}.cpp"),
            stderr=subprocess.PIPE,
            text=True,
        )
        for name in ("probe", "vectors")
    ]
    for process in running:
        _, errors = process.communicate()
        assert process.returncode == 0, errors


if __name__ == "__main__":
    for one in kits.SDKS:
        for path, text in generated(one).items():
            path.write_text(text, encoding="utf-8")
