"""Write a backup of a season, even while the season runs, and restore a backup."""

import contextlib
import os
import tarfile
import tempfile
from pathlib import Path

from arena.errors import ArenaError, ExitCode
from arena.season.state import SeasonState
from arena.tournament.run.journal.chain import LOG, Log
from arena.tournament.run.journal.files import disk_errors, private_files
from arena.tournament.run.journal.store import FILE, EntryJournal
from arena.tournament.run.league import folder_of

_KEPT = ("bots", "replays", "backups")
_TOML = "season.toml"


def back_up(season: Path, target: Path) -> int:
    """Write an archive of season.toml, the journal, journal.log, and the folders of bots, replays and journal backups.

    Returns:
        The number of files in the archive.

    Raises:
        ArenaError: The target exists or cannot be written, or the season cannot be read.
    """
    if target.exists():
        raise ArenaError(f"{target} exists.", hint="Name a new file.", exit_code=ExitCode.CANNOT_WRITE)
    folder = folder_of(season)
    with (
        private_files(),
        disk_errors(target, "Free some space, or name another file."),
        contextlib.ExitStack() as stack,
    ):
        journal = EntryJournal(folder, SeasonState(folder / FILE), read_only=True)
        stack.callback(journal.close)
        place = Path(stack.enter_context(tempfile.TemporaryDirectory(dir=target.parent, prefix=".backup-")))
        journal.copy_to(place / FILE)
        copy = EntryJournal(place, SeasonState(place / FILE), read_only=True)
        stack.callback(copy.close)
        Log(place / LOG).replace(copy.entries())
        temporary = place / "backup.tar"
        with tarfile.open(temporary, "w") as archive:
            archive.add(season, _TOML)
            for name in (FILE, LOG):
                archive.add(place / name, f"season/{name}")
            for name in _KEPT:
                if (folder / name).is_dir():
                    archive.add(folder / name, f"season/{name}", filter=_finished)
            count = sum(member.isfile() for member in archive.getmembers())
        os.sync()
        temporary.rename(target)
    return count


def _finished(member: tarfile.TarInfo) -> tarfile.TarInfo | None:
    """Return the archive member, or None for a file that is still being written."""
    name = member.name.rpartition("/")[2]
    return None if ".tmp." in name or (name.startswith(".") and not name.startswith(".arena-build")) else member


def restore(source: Path, target: Path) -> Path:
    """Unpack a backup into a new folder, check its journal, and return the path of season.toml.

    Raises:
        ArenaError: The target exists, the file is not a backup, or its journal is missing or damaged.
    """
    if target.exists():
        raise ArenaError(f"{target} exists.", hint="Name a new folder.", exit_code=ExitCode.CANNOT_WRITE)
    with private_files(), disk_errors(target):
        try:
            with tarfile.open(source) as archive:
                archive.extractall(target, filter="data")
        except tarfile.TarError as error:
            raise ArenaError(f"{source} is not a backup: {error}.", exit_code=ExitCode.CANNOT_WRITE) from None
    folder = folder_of(target / _TOML)
    with contextlib.closing(EntryJournal(folder, SeasonState(folder / FILE), read_only=True)) as journal:
        journal.read()
    return target / _TOML
