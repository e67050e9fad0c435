"""Files of a bot that mean harm to whoever reads them: a message names the bot, and nothing of ours dies or grows."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import os
import struct
import subprocess
import sys
import tarfile
import time
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from arena.bots.bot import load_bot
from arena.bots.folders import archive, parser
from arena.errors import ArenaError
from arena.game import BuiltinBot, load

pytestmark = pytest.mark.process

MOST_MEMORY = 256 * 1024 * 1024
"""The archives below are longer than this when they are unpacked."""
MOST_SECONDS = 5.0
NESTED = "(x" + " for x in x" * 100_000 + ")"
LEAGUE = """
[contest]
name = "Evil"
game = "saloon"
broken_bots = "refuse"
[[bots]]
path = "evil.py"
[[bots]]
path = "builtin:rowdy"
[[stages]]
format = "swiss"
rounds = 1
"""
LOAD = """
import json, re, resource, sys, time
from pathlib import Path
from arena.bots.bot import load_bot
from arena.bots.folders import archive
from arena.errors import ArenaError
from arena.game import BuiltinBot, load
peak = lambda: 1024 * int(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1])
resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30))
resource.setrlimit(resource.RLIMIT_CPU, (40, 40))
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
before, message, code = peak(), "", 0
try:
    load_bot(sys.argv[1], cache=Path(sys.argv[2]))
except ArenaError as error:
    message, code = error.message, error.exit_code
child = resource.getrusage(resource.RUSAGE_CHILDREN)
own = resource.getrusage(resource.RUSAGE_SELF)
seconds = own.ru_utime + own.ru_stime + child.ru_utime + child.ru_stime
print(json.dumps({"memory": peak() - before, "child": 1024 * child.ru_maxrss, "seconds": seconds,
                  "message": message, "code": code}))
"""


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))


def loaded(path: Path) -> dict[str, Any]:
    """Load a bot in a process of its own, and measure what it took."""
    command = [sys.executable, "-c", LOAD, str(path), str(path.parent / "cache")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, f"the organizer's process died: {done.returncode} {done.stderr[-600:]}"
    found: dict[str, Any] = json.loads(done.stdout)
    print(found)
    return found


def check_refused(path: Path, words: str = "") -> None:
    found = loaded(path)
    assert found["memory"] <= MOST_MEMORY
    assert found["child"] <= MOST_MEMORY
    assert found["seconds"] <= MOST_SECONDS + 1
    assert found["code"] == 5
    assert path.name in found["message"]
    assert words in found["message"]
    assert found["message"].replace("\n", "").isprintable()
    assert len(found["message"]) < 1000
    assert not list(path.parent.glob("cache/*"))


# --- sources

SOURCES: dict[str, Callable[[], str]] = {
    "nested generators": lambda: NESTED,
    "nested brackets": lambda: "[" * 5_000_000,
    "long sum": lambda: "x = " + "1+" * 2_000_000 + "1",
    "attributes": lambda: "x = a" + ".a" * 1_000_000,
    "minus signs": lambda: "x = " + "-" * 3_000_000 + "1",
    "many tuples": lambda: "x = [" + "()," * 2_500_000 + "]",
    "many lines": lambda: "y = 1 << 10\n" * 600_000,
    "large": lambda: "#" * (16 << 20),
}


@pytest.mark.parametrize("name", SOURCES)
@pytest.mark.promise("bot-files")
def test_a_hostile_source_is_refused(tmp_path: Path, name: str) -> None:
    path = tmp_path / "evil.py"
    path.write_text(SOURCES[name]())
    check_refused(path)


def test_a_hostile_source_in_a_folder_and_in_an_archive(tmp_path: Path) -> None:
    folder = tmp_path / "evil"
    folder.mkdir()
    (folder / "main.py").write_text(NESTED)
    check_refused(folder, "main.py")
    with zipfile.ZipFile(tmp_path / "evil.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("main.py", NESTED)
    found = loaded(tmp_path / "evil.zip")
    assert found["code"] == 5
    assert "evil.zip" in found["message"]


def test_a_module_beside_a_bot_may_be_hostile_too(tmp_path: Path) -> None:
    (tmp_path / "good.py").write_text("import evil\n")
    (tmp_path / "evil.py").write_text(NESTED)
    found = loaded(tmp_path / "good.py")
    assert found["code"] == 5
    assert "evil.py" in found["message"]


# --- bot.toml

MANIFESTS: dict[str, Callable[[], str]] = {
    "nested arrays": lambda: "name = " + "[" * 30_000 + "]" * 30_000,
    "nested tables": lambda: "name = " + "{a=" * 10_000,
    "dotted keys": lambda: ".".join(["a"] * 32_000) + " = 1",
    "many dotted keys": lambda: "\n".join(f"{'a.' * 100}k{at} = 1" for at in range(300)),
    "long number": lambda: "name = " + "9" * 65_000,
    "large": lambda: "#" * (1 << 20),
}


@pytest.mark.parametrize("name", MANIFESTS)
@pytest.mark.promise("bot-files")
def test_a_hostile_manifest_is_refused(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "evil"
    folder.mkdir()
    (folder / "main.py").write_text("pass")
    (folder / "bot.toml").write_text(MANIFESTS[name]())
    check_refused(folder, "bot.toml")


# --- archives


def tar_header(name: bytes, size: int, kind: bytes) -> bytes:
    header = bytearray(512)
    header[: len(name)] = name
    header[100:108], header[108:116], header[116:124] = b"0000644\0", b"0000000\0", b"0000000\0"
    header[124:136] = b"\x80" + size.to_bytes(11, "big") if size >= 8**11 else f"{size:011o}\0".encode()
    header[136:148], header[148:156], header[156:157], header[257:265] = b"0" * 11 + b"\0", b" " * 8, kind, b"ustar  \0"
    header[148:156] = f"{sum(header):06o}\0 ".encode()
    return bytes(header)


def gzipped(path: Path, *parts: tuple[bytes, int]) -> Path:
    """Write parts, each so many times, in a gzip file, without having all of it in memory."""
    with gzip.open(path, "wb", compresslevel=1) as stream:
        for part, times in parts:
            whole = part * min(times, max(1, (1 << 20) // len(part)))
            left = len(part) * times
            while left > 0:
                left -= stream.write(whole[:left])
    return path


def long_names(path: Path) -> None:
    names = 300 << 20
    gzipped(path, (tar_header(b"././@LongLink", names, b"L"), 1), (b"a", names), (tar_header(b"x", 0, b"0"), 1))


def chained_names(path: Path) -> None:
    gzipped(path, (tar_header(b"././@LongLink", 1, b"L") + b"a" + bytes(511), 200_000), (bytes(1024), 1))


def pax_headers(path: Path) -> None:
    size = 300 << 20
    gzipped(path, (tar_header(b"pax", size, b"x"), 1), (b"20 path=aaaaaaaaaaa\n", size // 20), (bytes(1024), 1))


def many_entries_tar(path: Path) -> None:
    gzipped(path, (tar_header(b"x", 0, b"5"), 600_000), (bytes(1024), 1))


def long_gzip_name(path: Path) -> None:
    path.write_bytes(b"\x1f\x8b\x08\x08" + bytes(6) + b"a" * (100 << 20))


def sparse(path: Path) -> None:
    gzipped(path, (tar_header(b"s", 1 << 40, b"S"), 1), (bytes(1024), 1))


def many_entries_zip(path: Path) -> None:
    local = struct.pack("<4sHHHHHIIIHH", b"PK\3\4", 20, 0, 0, 0, 0, 0, 0, 0, 1, 0) + b"x"
    entry = struct.pack("<4sHHHHHHIIIHHHHHII", b"PK\1\2", 20, 20, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0) + b"x"
    many = 2_000_000
    size = len(entry) * many
    end = struct.pack("<4sHHHHIIH", b"PK\5\6", 0, 0, many & 0xFFFF, many & 0xFFFF, size, len(local), 0)
    path.write_bytes(local + entry * many + end)


def packed_zip(path: Path, method: int, data: bytes, size: int) -> None:
    sums = struct.pack("<III", 0, len(data), size)
    local = struct.pack("<4sHHHHH", b"PK\3\4", 20, 0, method, 0, 0) + sums + struct.pack("<HH", 7, 0) + b"main.py"
    entry = struct.pack("<4sHHHHHH", b"PK\1\2", 20, 20, 0, method, 0, 0) + sums
    entry += struct.pack("<HHHHHII", 7, 0, 0, 0, 0, 0, 0) + b"main.py"
    end = struct.pack("<4sHHHHIIH", b"PK\5\6", 0, 0, 1, 1, len(entry), len(local) + len(data), 0)
    path.write_bytes(local + data + entry + end)


def bz2_zip(path: Path) -> None:
    packed_zip(path, zipfile.ZIP_BZIP2, bz2.compress(bytes(300 << 20)), (1 << 32) - 1)


def deflated_zip(path: Path) -> None:
    stream = zlib.compressobj(9, zlib.DEFLATED, -15)
    part = bytes(16 << 20)
    data = b"".join(stream.compress(part) for _ in range(20)) + stream.flush()
    packed_zip(path, zipfile.ZIP_DEFLATED, data, (1 << 32) - 1)


def source_zip(path: Path) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("main.py", "x = [" + "()," * 2_500_000 + "]")


ARCHIVES: dict[str, tuple[str, Callable[[Path], None]]] = {
    "GNU long name": ("evil.tar.gz", long_names),
    "chain of GNU long names": ("evil.tar.gz", chained_names),
    "pax header": ("evil.tar.gz", pax_headers),
    "600,000 entries in tar": ("evil.tar.gz", many_entries_tar),
    "2 million entries in zip": ("evil.zip", many_entries_zip),
    "endless name of gzip": ("evil.tgz", long_gzip_name),
    "sparse file": ("evil.tar.gz", sparse),
    "bzip2 in zip": ("evil.zip", bz2_zip),
    "zeros in zip": ("evil.zip", deflated_zip),
}


@pytest.mark.parametrize("name", ARCHIVES)
@pytest.mark.promise("bot-files")
def test_a_hostile_archive_is_refused(tmp_path: Path, name: str) -> None:
    file, make = ARCHIVES[name]
    make(tmp_path / file)
    check_refused(tmp_path / file)


def test_a_small_archive_of_a_large_source(tmp_path: Path) -> None:
    source_zip(tmp_path / "evil.zip")
    found = loaded(tmp_path / "evil.zip")
    assert (found["code"], "main.py" in found["message"]) == (5, True)
    assert max(found["memory"], found["child"]) <= MOST_MEMORY


def test_long_names_of_honest_archives_are_read(tmp_path: Path) -> None:
    """Python's own tarfile writes pax headers for names that are long or not ASCII, GNU tar its long names."""
    name = "bücher/" + "n" * 120 + ".txt"
    for number, layout in enumerate((tarfile.PAX_FORMAT, tarfile.GNU_FORMAT)):
        path = tmp_path / f"honest{number}.tar.gz"
        with tarfile.open(path, "w:gz", format=layout) as archive:
            for member, data in (("main.py", b"pass"), (name, b"1")):
                info = tarfile.TarInfo(member)
                info.size = len(data)
                archive.addfile(info, io.BytesIO(data))
        assert (load_bot(path, cache=tmp_path / "cache").folder / name).read_text() == "1"


def test_the_cache_does_not_keep_old_archives_for_ever(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "MAX_KEPT", 2)
    old = time.time() - archive.KEPT_SECONDS - 60
    for number in range(4):
        with zipfile.ZipFile(tmp_path / f"bot{number}.zip", "w") as packed:
            packed.writestr("main.py", f"x = {number}")
        load_bot(tmp_path / f"bot{number}.zip", cache=tmp_path / "cache")
    assert len(list((tmp_path / "cache").iterdir())) == 4, "what was used lately stays"
    for folder in (tmp_path / "cache").iterdir():
        os.utime(folder, (old, old))
    kept = load_bot(tmp_path / "bot0.zip", cache=tmp_path / "cache")
    (tmp_path / "new.zip").write_bytes((tmp_path / "bot1.zip").read_bytes() + b"\0")
    load_bot(tmp_path / "new.zip", cache=tmp_path / "cache")
    assert len(list((tmp_path / "cache").iterdir())) == 3
    assert (kept.folder / "main.py").is_file()


def test_the_cache_has_a_limit_in_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "MAX_BYTES", 10 << 20)
    cache, at = tmp_path / "cache", time.time() - archive.IN_USE_SECONDS - 60
    for number in range(6):
        with zipfile.ZipFile(tmp_path / f"bot{number}.zip", "w", zipfile.ZIP_DEFLATED) as packed:
            packed.writestr("main.py", f"x = {number}")
            packed.writestr("data", bytes(4 << 20))
        folder = load_bot(tmp_path / f"bot{number}.zip", cache=cache).folder.parent
        if number < 3:  # the others are in use, so they stay
            os.utime(folder, (at + number, at + number))
    left = cache / ".unpack-of-a-killed-process"
    left.mkdir()
    os.utime(left, (at, at))
    archive.remove_unused(cache)
    kept = {(one / "files" / "main.py").read_text() for one in cache.iterdir()}
    assert kept == {f"x = {number}" for number in (3, 4, 5)}
    monkeypatch.setattr(archive, "MAX_BYTES", 30 << 20)
    for folder in cache.iterdir():
        os.utime(folder, (at, at))
    archive.remove_unused(cache)
    assert len(list(cache.iterdir())) == 3


def test_large_results_of_the_parser_are_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    for number in range(3):
        lines = "".join(f"import {'m' * 200}{number}{line}\n" for line in range(1500))
        (tmp_path / f"bot{number}.py").write_text(lines)
        load_bot(tmp_path / f"bot{number}.py")
    sizes = [one.stat().st_size for one in (tmp_path / "cache").rglob("*") if one.is_file()]
    assert sum(sizes) < 3 * parser.LARGEST_REMEMBERED


# --- the commands


def arena(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    program = str(Path(sys.executable).with_name("arena"))
    return subprocess.run([program, *arguments], capture_output=True, text=True, timeout=120, cwd=folder, check=False)


def test_the_commands_name_the_bot(tmp_path: Path) -> None:
    (tmp_path / "evil.py").write_text(NESTED)
    (tmp_path / "contest.toml").write_text(LEAGUE)
    for command in (
        ("play", "saloon", "evil.py", "builtin:rowdy", "--replay", "none"),
        ("play", "saloon", "evil.py", "builtin:rowdy", "--replay", "none", "--debug"),
        ("compare", "saloon", "evil.py", "builtin:rowdy"),
        ("contest", "check", "contest.toml"),
    ):
        done = arena(tmp_path, *command)
        assert done.returncode == 5, (command, done.stdout, done.stderr)
        assert "evil.py" in done.stderr + done.stdout
        assert "Traceback" not in done.stderr


# --- what it costs


def children_of_loading(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, **options: Any) -> int:
    started: list[object] = []
    start = subprocess.Popen.__init__

    def counted(self: Any, *arguments: Any, **keywords: Any) -> None:
        started.append(self)
        start(self, *arguments, **keywords)

    with monkeypatch.context() as patch:
        patch.setattr(subprocess.Popen, "__init__", counted)
        load_bot(path, cache=tmp_path / "cache", **options)
    return len(started)


def test_one_child_for_a_new_bot_and_none_for_a_known_or_a_built_in_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "bot.py").write_text("import helper\n")
    (tmp_path / "helper.py").write_text("import other\n")
    (tmp_path / "other.py").write_text("")
    assert children_of_loading(tmp_path / "bot.py", tmp_path, monkeypatch) == 1
    assert children_of_loading(tmp_path / "bot.py", tmp_path, monkeypatch) == 0
    (tmp_path / "helper.py").write_text("import os\n")
    assert children_of_loading(tmp_path / "bot.py", tmp_path, monkeypatch) == 1
    (tmp_path / "own.py").write_text("import json\n")
    game = replace(load("saloon"), bots=(BuiltinBot("own", tmp_path / "own.py", "A bot."),))
    assert children_of_loading(Path("builtin:own"), tmp_path, monkeypatch, game=game) == 0


def test_what_was_refused_once_is_refused_again(tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text("x = 1\ndef broken(:\n")
    for _ in range(2):
        with pytest.raises(ArenaError, match=r"bot\.py, line 2"):
            load_bot(tmp_path / "bot.py")
