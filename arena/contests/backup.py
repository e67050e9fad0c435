"""Write a backup of a contest, even while the contest runs, and restore a backup."""

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
_END = 1024
"""Bytes of zeros at the end of an archive. Without them, it can have lost whole files."""
_FOLDER = re.compile(rf"{_COPY}(/.+)?")
"""The names of the files and folders that a backup can have. `restore` refuses every other name."""


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
        place = Path(stack.enter_context(tempfile.TemporaryDirectory(dir=target.parent, prefix=".backup-")))
        journal.copy_to(place / FILE)
        with contextlib.closing(ContestJournal(place, read_only=True)) as copy:
            results = {entry.key for entry in copy.entries() if entry.kind == RESULT}
        temporary = place / "backup.tar"
        # Write the content of each file, even of those with several names: a backup holds no links.
        with tarfile.open(temporary, "w", dereference=True) as archive:
            archive.add(contest, _TOML)
            archive.add(place / FILE, f"contest/{FILE}")
            for path, name in _kept(folder, results):
                archive.add(path, name)
            count = sum(member.isfile() for member in archive.getmembers())
        os.sync()
        temporary.rename(target)
    return count


def _kept(folder: Path, results: set[str]) -> Iterator[tuple[Path, str]]:
    """Yield the finished copies of bots, backups of the journal, and replays, with their names in the archive.

    Matches can end after the journal was copied. Their replays are left out.
    """
    for pattern in ("bots/*", "replays/*/*", "backups/*"):
        for path in sorted(folder.glob(pattern)):
            name = f"contest/{path.relative_to(folder).as_posix()}"
            new = path.suffix == ".arena" and path.stem not in results
            if (_FOLDER if path.is_dir() else _FILE).fullmatch(name) and not new:
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
            place = Path(new) / target.name
            _write(archive, members, place)
        except (tarfile.TarError, RefusedFileError, EOFError) as error:
            reason = str(error).rstrip(".")
            raise ArenaError(f"{source} is not a backup: {reason}.", exit_code=ExitCode.CANNOT_WRITE) from None
        try:
            _check_journal(folder_of(place / _TOML))
        except ArenaError as error:
            error.message = error.message.replace(str(place), str(source))  # the user does not know the folder
            raise
        place.rename(target)
    return target / _TOML


def _check_journal(folder: Path) -> None:
    with contextlib.closing(ContestJournal(folder, read_only=True)) as journal:
        journal.read()


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
        if below := next((str(one) for one in PurePosixPath(name).parents if str(one) in files), None):
            raise RefusedFileError(f"{below[:80]!r} is a file and a folder")
    for needed in (_TOML, f"contest/{FILE}"):
        if needed not in files:
            raise RefusedFileError(f"it has no {needed}")
    return members


def _is_expected(member: tarfile.TarInfo) -> bool:
    name = member.name
    wanted = _FILE if member.isfile() and not member.issparse() else _FOLDER if member.isdir() else None
    clean = name.isprintable() and all(0 < len(os.fsencode(part)) < 256 for part in name.split("/"))
    return wanted is not None and clean and not {".", ".."} & {*name.split("/")} and bool(wanted.fullmatch(name))


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
