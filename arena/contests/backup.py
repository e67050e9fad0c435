"""Write a backup of a contest, even while the contest runs, and restore a backup.

The journal is copied first, at one moment; then the replays of its results, which do not change any more. So a backup
is a contest as it was at that moment. A backup that is restored is untrusted: only names that a contest has are
accepted, each once, and nothing is moved to its place before the journal was read.
"""

import contextlib
import os
import re
import shutil
import tarfile
import tempfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from arena.bots.folders.child import RefusedFileError, open_tar
from arena.contests.contest_journal import ContestJournal
from arena.contests.journal.chain import RESULT
from arena.contests.journal.files import disk_errors, folder_of, private_files
from arena.contests.journal.store import FILE
from arena.errors import ArenaError, ExitCode

_TOML = "contest.toml"
_COPY = r"contest/bots/[0-9a-f]{24}"
_FILE = re.compile(
    rf"contest\.toml|contest/{re.escape(FILE)}|contest/backups/journal-[0-9]+\.db"
    rf"|contest/replays/[0-9a-f]+/[0-9a-f]+\.arena|{_COPY}/.+"
)
_FOLDER = re.compile(rf"{_COPY}(/.+)?")
"""The names of the files and folders that a backup can have. `restore` refuses every other name."""
_END = 1024
"""Bytes of zeros at the end of an archive, by the format. Without them, it can have lost whole files."""
_LONGEST_PART = 255
"""The limit for the bytes of a name between two slashes, on the usual file systems."""


def back_up(contest: Path, target: Path) -> int:
    """Write an archive of contest.toml, the journal, and the folders of bots, replays and journal backups.

    Returns:
        The number of files in the archive.
    """
    if target.exists():
        raise ArenaError(f"{target} exists.", hint="Name a new file.", exit_code=ExitCode.CANNOT_WRITE)
    folder = folder_of(contest)
    with (
        private_files(),
        disk_errors(target, "Free some space, or name another file."),
        contextlib.ExitStack() as stack,
    ):
        journal = ContestJournal(folder, read_only=True)
        stack.callback(journal.close)
        new = Path(stack.enter_context(tempfile.TemporaryDirectory(dir=target.parent, prefix=".backup-")))
        journal.copy_to(new / FILE)
        with contextlib.closing(ContestJournal(new, read_only=True)) as copy:
            results = {entry.key for entry in copy.entries() if entry.kind == RESULT}
        temporary = new / "backup.tar"
        # Write the content of each file, even of those with several names: a backup holds no links.
        with tarfile.open(temporary, "w", dereference=True) as archive:
            archive.add(contest, _TOML)
            archive.add(new / FILE, f"contest/{FILE}")
            for path, name in _contents(folder, results):
                archive.add(path, name)
            count = sum(member.isfile() for member in archive.getmembers())
        os.sync()
        temporary.rename(target)
    return count


def _contents(folder: Path, results: set[str]) -> Iterator[tuple[Path, str]]:
    """Yield the finished copies of bots, backups of the journal, and replays, with their names in the archive.

    Matches can end after the journal was copied. Their replays are left out.
    """
    for pattern in ("bots/*", "replays/*/*", "backups/*"):
        for path in sorted(folder.glob(pattern)):
            name = f"contest/{path.relative_to(folder).as_posix()}"
            is_later = path.suffix == ".arena" and path.stem not in results
            expected = _FOLDER if path.is_dir() else _FILE
            if expected.fullmatch(name) and not is_later:
                yield path, name


def restore(source: Path, target: Path) -> Path:
    """Unpack a backup into a new folder, check its journal, and return the path of contest.toml.

    The backup is untrusted. If something in it is not part of a contest, nothing is written.
    """
    if os.path.lexists(target):
        raise ArenaError(f"{target} exists.", hint="Name a new folder.", exit_code=ExitCode.CANNOT_WRITE)
    with private_files(), disk_errors(target), contextlib.ExitStack() as stack:
        try:
            archive = stack.enter_context(open_tar(stack.enter_context(source.open("rb")), "r:"))
            members = _checked(archive)
            if source.stat().st_size < archive.offset + _END:
                raise EOFError("it is cut off")
            target.parent.mkdir(parents=True, exist_ok=True)
            new = stack.enter_context(tempfile.TemporaryDirectory(dir=target.parent, prefix=".restore-"))
            unpacked = Path(new) / target.name
            _write(archive, members, unpacked)
        except (tarfile.TarError, RefusedFileError, EOFError) as error:
            reason = str(error).rstrip(".")
            raise ArenaError(f"{source} is not a backup: {reason}.", exit_code=ExitCode.CANNOT_WRITE) from None
        try:
            with contextlib.closing(ContestJournal(folder_of(unpacked / _TOML), read_only=True)) as journal:
                journal.read()
        except ArenaError as error:
            error.message = error.message.replace(str(unpacked), str(source))  # the user does not know the folder
            raise
        unpacked.rename(target)
    return target / _TOML


def _checked(archive: tarfile.TarFile) -> dict[str, tarfile.TarInfo]:
    members: dict[str, tarfile.TarInfo] = {}
    files: set[str] = set()
    for member in archive:
        name = member.name
        if name in members:
            raise RefusedFileError(f"{name[:80]!r} is in it twice")
        if not _is_expected(member):
            raise RefusedFileError(f"{name[:80]!r} is not a file or folder of a contest")
        members[name] = member
        if member.isfile():
            files.add(name)
    for name in members:
        for parent in map(str, PurePosixPath(name).parents):
            if parent in files:
                raise RefusedFileError(f"{parent[:80]!r} is a file and a folder")
    for needed in (_TOML, f"contest/{FILE}"):
        if needed not in files:
            raise RefusedFileError(f"it has no {needed}")
    return members


def _is_expected(member: tarfile.TarInfo) -> bool:
    name, parts = member.name, member.name.split("/")
    if member.isdir():
        expected = _FOLDER
    elif member.isfile() and not member.issparse():
        expected = _FILE
    else:
        return False
    if not name.isprintable() or "." in parts or ".." in parts:
        return False
    if not all(0 < len(os.fsencode(part)) <= _LONGEST_PART for part in parts):
        return False
    return expected.fullmatch(name) is not None


def _write(archive: tarfile.TarFile, members: dict[str, tarfile.TarInfo], target: Path) -> None:
    for name, member in members.items():
        path = target / name
        if member.isdir():
            path.mkdir(parents=True, exist_ok=True)
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        data = archive.extractfile(member)
        assert data is not None
        with path.open("xb") as out:
            shutil.copyfileobj(data, out)
        path.chmod(0o700 if member.mode & 0o100 else 0o600)
