"""Parse and unpack the files of untrusted bots, in a process with little memory and time.

Some files crash compilers and unpackers, or expand without end. `LimitedProcess` in `child_process.py` starts this file
with `python -I -S`, so this file imports nothing of Arena. It reads requests from stdin and writes answers to stdout. A
frame has 4 bytes for the length, 1 byte for the type, and the data. A request is one frame. An answer is one frame, or
several for an archive.

An archive is read here and written by the parent: this process may write nothing, and the parent checks each name.
"""

from __future__ import annotations

import _ast
import sys
from collections.abc import Iterator
from typing import IO, TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from tarfile import TarFile
    from zipfile import ZipInfo

MEMORY = 256 * 1024 * 1024
SECONDS = 5
"""Limits of this process. Chosen, not measured: an honest file of the allowed size takes a small part of both."""
MOST_IMPORTS = 2000
LARGEST_HEADER = 64 * 1024
LARGEST_DIRECTORY = 4 * 1024 * 1024
LARGEST_CONTENT = 256 * 1024 * 1024
CHUNK = 256 * 1024
EDITION = b"2"
"""Answers are kept by the content of the file. Raise this number when the same file gets another answer."""
_UTF8 = 0x800
"""The flag of a zip archive's member that says that its name is UTF-8."""
_DOS_SYSTEMS = (0, 10, 14)
"""The systems of which zip archives can have names with backslashes: FAT, NTFS and VFAT."""
_DOS_FOLDER = 0x10

PYTHON, TOML, ZIP, TAR, OUTPUT = b"P", b"T", b"Z", b"G", b"O"
ANSWER, FAILURE, FOLDER, FILE, PROGRAM, DATA, LEFT_OUT, END = b"=", b"!", b"d", b"f", b"x", b"+", b"-", b"."
BUILT = ".arena-build"
"""The name of a folder in Arena's copies of bots. It has the sources and the finished output of the build."""
_TOOLS = frozenset(
    {"__pycache__", ".venv", "venv", ".git", ".hg", ".svn", ".vscode", ".idea", ".vs", ".settings", ".cache", BUILT}
    | {".mypy_cache", ".ruff_cache", ".pytest_cache", ".hypothesis", ".tox", ".nox", ".ipynb_checkpoints", ".coverage"}
)
_SYSTEMS = frozenset({"__MACOSX", ".DS_Store", "Thumbs.db", "desktop.ini", "Desktop.ini"})


def is_foreign(name: str, parent: str) -> bool:
    """Return whether a file or folder does not belong to a bot, at any depth of its folder.

    These are what tools and systems write beside a program, and what Arena's commands write into the folder in which
    they run. Of `replays` and `climb`, only Arena's own files do not belong to a bot, since students have folders of
    these names too.

    Args:
        parent: The name of the folder that it is in.
    """
    return name in _TOOLS or is_of_system(name) or _is_written(name, parent)


def is_of_system(name: str) -> bool:
    """Return whether an operating system writes files of this name. `._NAME` has what macOS knows about NAME."""
    return name in _SYSTEMS or name.startswith("._")


def _is_written(name: str, parent: str) -> bool:
    if name == "results.jsonl":  # of `arena climb`, in a folder named by the first 12 digits of the bot's hash
        return len(parent) == 12 and set(parent) <= set("0123456789abcdef")
    unfinished = name.startswith(".") and name.endswith(".part")
    tuning = name.startswith("tune-") and name.endswith(".json")
    return name.endswith(".arena") or unfinished or tuning


class RefusedFileError(Exception):
    """The file is refused. This process continues: the reason is an answer."""


def parse_python(data: bytes) -> bytes:
    """Compile source text. Return the line and the message of an error, then the imported modules, separated by NULs.

    Line and message are empty if the source compiles.
    """
    try:
        compile(data, "bot", "exec", dont_inherit=True)
        tree: Any = compile(data, "bot", "exec", _ast.PyCF_ONLY_AST, dont_inherit=True)
    except SyntaxError as error:
        return _joined(str(error.lineno or ""), str(error.msg))
    except (ValueError, RecursionError) as error:
        return _joined("", f"It does not compile: {error}.")
    except MemoryError:
        return _joined("", f"It does not compile: it is nested too deeply, or needs more than {MEMORY >> 20} MB.")
    return _joined("", "", *sorted(_imports(tree))[:MOST_IMPORTS])


def _imports(tree: Any) -> set[str]:
    names: set[str] = set()
    pending = [tree]
    while pending:
        node = pending.pop()
        if isinstance(node, _ast.Import):
            names.update(alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, _ast.ImportFrom):
            names.update([node.module.partition(".")[0]] if node.module else [alias.name for alias in node.names])
        for block in ("body", "orelse", "finalbody", "handlers", "cases"):
            inside = getattr(node, block, ())
            pending.extend(inside if isinstance(inside, list) else ())
    return names


def parse_toml(data: bytes) -> bytes:
    """Return a TOML table as JSON. A manifest has no times, and JSON has none."""
    import json
    import tomllib

    try:
        table = tomllib.loads(data.decode())
    except (ValueError, RecursionError) as error:
        raise RefusedFileError(f"It is not valid TOML: {error}.") from None
    return json.dumps(table, default=_refuse_time).encode()


def _refuse_time(value: Any) -> None:
    raise RefusedFileError(f'The value {value.isoformat()} is a time. For a text, write "{value.isoformat()}".')


def unpack_zip(stream: IO[bytes]) -> Iterator[tuple[bytes, bytes]]:
    """Yield the members of a zip archive: the kind and the name of each, followed by its data."""
    import stat
    import zipfile

    _check_directory(stream)
    with zipfile.ZipFile(stream) as archive:
        for info in archive.infolist():
            info.filename = _zip_name(info)
        members = [info for info in archive.infolist() if not _foreign_path(info.filename)]
        foreign = dict.fromkeys(_foreign_path(info.filename) for info in archive.infolist())
        for path in filter(None, foreign):
            yield LEFT_OUT, _name(path)
        if sum(info.file_size for info in members) > LARGEST_CONTENT:
            raise RefusedFileError(f"It unpacks to more than {LARGEST_CONTENT >> 20} MiB.")
        for info in members:
            mode = info.external_attr >> 16
            if stat.S_IFMT(mode) not in (0, stat.S_IFREG, stat.S_IFDIR):
                raise _refused(info.filename, stat.S_ISLNK(mode))
            if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                raise RefusedFileError(f"{info.filename[:80]!r} has a compression other than zip's deflate.")
            is_folder = info.is_dir() or bool(info.external_attr & _DOS_FOLDER)
            yield _type_of(is_folder, mode), _name(info.filename)
            if not is_folder:
                with archive.open(info) as member:
                    yield from _data(member)


def _check_directory(stream: IO[bytes]) -> None:
    """Raise `RefusedFileError` if the archive has too many members, before zipfile reads them into memory."""
    # The end record is the last 22 bytes, with a comment of at most 0xFFFF bytes after it. Before it, an archive in the
    # format zip64 has two records of 56 and 20 bytes, and zipfile takes the size of the directory from them instead.
    size = stream.seek(0, 2)
    stream.seek(max(0, size - 0xFFFF - 22 - 76))
    before, mark, end = stream.read().rpartition(b"PK\x05\x06")
    directory = end[8:12]
    if before[-76:-72] == b"PK\x06\x06" and before[-20:-16] == b"PK\x06\x07":
        directory = before[-36:-28]
    if mark and int.from_bytes(directory, "little") > LARGEST_DIRECTORY:
        raise RefusedFileError("It holds too many files.")


def _zip_name(info: ZipInfo) -> str:
    """Return the name of a member with `/` between its parts.

    Many programs write UTF-8 without the mark that says so. Zipfile then decodes it as code page 437. Programs for
    Windows, such as PowerShell 5.1, write backslashes. In the archives of other systems a backslash is a character.
    """
    name = info.filename if info.flag_bits & _UTF8 else _decoded(info.filename)
    if info.create_system in _DOS_SYSTEMS and "/" not in name:
        name = name.replace("\\", "/")
    return name


def _decoded(name: str) -> str:
    try:
        return name.encode("cp437").decode("utf-8")
    except UnicodeError:
        return name


def unpack_tar(stream: IO[bytes], *, whole: bool = False) -> Iterator[tuple[bytes, bytes]]:
    """Yield the members of a gzipped tar archive, in the same way as `unpack_zip`.

    Args:
        whole: Whether to leave nothing out.
    """
    left_out = set()
    with open_tar(stream, "r:gz") as archive:
        for info in archive:
            foreign = "" if whole else _foreign_path(info.name)
            if foreign:
                if foreign not in left_out:
                    left_out.add(foreign)
                    yield LEFT_OUT, _name(foreign)
                continue
            if not (info.isfile() or info.isdir()) or info.issparse():
                raise _refused(info.name, info.issym() or info.islnk())
            yield _type_of(info.isdir(), info.mode), _name(info.name)
            member = archive.extractfile(info)
            if member is not None:
                yield from _data(member)


def open_tar(stream: IO[bytes], mode: Literal["r:", "r:gz"]) -> TarFile:
    """Open a tar archive that raises `RefusedFileError` at a large header."""
    import tarfile

    class Info(tarfile.TarInfo):
        def _proc_member(self, tar: TarFile) -> Any:
            # A long name or a pax header is a separate member before the file. tarfile reads all of it into memory.
            if self.type in b"LKxgX" and self.size > LARGEST_HEADER:
                raise RefusedFileError(f"A header has {self.size} bytes, more than {LARGEST_HEADER}.")
            return super()._proc_member(tar)  # type: ignore[misc]

    return tarfile.open(fileobj=stream, mode=mode, tarinfo=Info)


def _foreign_path(name: str) -> str:
    """Return the path of the file or folder that does not belong to a bot and has this member; empty for none."""
    parts = name.split("/")
    for depth, (parent, part) in enumerate(zip(["", *parts], parts, strict=False), 1):
        if is_foreign(part, parent):
            return "/".join(parts[:depth])
    return ""


def _refused(name: str, link: bool) -> RefusedFileError:
    if not link:
        return RefusedFileError(f"{name[:80]!r} is neither a file nor a folder.")
    how = "zip -r bot.zip FILES, or tar -czf bot.tar.gz --dereference --hard-dereference FILES"
    return RefusedFileError(f"{name[:80]!r} is a link. Pack the file that it leads to: {how}.")


def _type_of(folder: bool, mode: int) -> bytes:
    if folder:
        return FOLDER
    return PROGRAM if mode & 0o100 else FILE


def _name(name: str) -> bytes:
    return name[:LARGEST_HEADER].encode("utf-8", "surrogatepass")


def _data(member: IO[bytes]) -> Iterator[tuple[bytes, bytes]]:
    while data := member.read(CHUNK):
        yield DATA, data


def _joined(*parts: str) -> bytes:
    return "\0".join(parts).encode("utf-8", "surrogatepass")


def answers(request: bytes, data: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Yield the frames that answer a request. The data of a request for an archive are the number of its descriptor."""
    if request == PYTHON:
        yield ANSWER, parse_python(data)
    elif request == TOML:
        yield ANSWER, parse_toml(data)
    else:
        with open(int(data), "rb") as stream:
            yield from unpack_zip(stream) if request == ZIP else unpack_tar(stream, whole=request == OUTPUT)
        yield END, b""


def respond(request: bytes, data: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Yield the frames that answer a request, as `answers` does. After a failure, the last frame is the reason."""
    try:
        yield from answers(request, data)
    except RefusedFileError as refusal:
        yield FAILURE, str(refusal).encode("utf-8", "replace")
    except MemoryError:
        yield FAILURE, f"It needs more than {MEMORY >> 20} MB.".encode()
    except Exception as error:
        # The unpackers raise many kinds of exceptions for invalid files.
        yield FAILURE, f"It cannot be read: {error or type(error).__name__}."[:500].encode("utf-8", "replace")


def limit_process() -> None:
    """Limit the memory and CPU time of this process, and forbid it to write files and to start processes."""
    import resource

    limits = {"AS": MEMORY, "CPU": SECONDS, "CORE": 0, "FSIZE": 0, "NPROC": 0, "MEMLOCK": 0}
    for name, value in limits.items():
        try:
            resource.setrlimit(getattr(resource, f"RLIMIT_{name}"), (value, value))
        except (ValueError, OSError, AttributeError):  # some systems do not have all limits
            continue


def main() -> None:
    requests, out = sys.stdin.buffer, sys.stdout.buffer
    limit_process()

    while head := requests.read(5):
        request = requests.read(int.from_bytes(head[:4], "big"))
        for frame_type, data in respond(head[4:], request):
            out.write(len(data).to_bytes(4, "big") + frame_type + data)
        out.flush()


if __name__ == "__main__":
    main()
