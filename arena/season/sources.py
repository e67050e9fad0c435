"""Export the sources of all versions for a plagiarism checker, with the template of the game as base."""

import tempfile
import zipfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path, PurePosixPath

from arena.bots.folders.files import list_files
from arena.errors import ArenaError
from arena.journal.files import disk_errors
from arena.matches.copies import place_of_copy, wrong_with_copy
from arena.season.store import Season


def export_sources(season: Season, target: Path, base: Mapping[str, str]) -> int:
    """Write a zip archive: `base/` with the template, and `TEAM/VERSION/` with the files of each version.

    The archive also contains `versions.csv`. Its last column names the problem if files of a version are missing or
    were changed.

    Returns:
        The number of versions.
    """
    versions = [one for team in season.snapshot.state.versions.values() for one in team]
    with disk_errors(target), zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, strict_timestamps=False) as archive:
        for name, text in base.items():
            archive.writestr(f"base/{name}", text)
        lines = ["team,version,hash,at,by,late,problem"]
        for one in versions:
            folder = (season.folder / place_of_copy(one.hash)).resolve()
            problem = wrong_with_copy(folder, one.hash)
            for name, data in _files_of(folder).items():
                archive.writestr(str(PurePosixPath(one.team, str(one.number), name)), data)
            late = "late" if one.late else ""
            lines.append(f"{one.team},{one.number},{one.hash},{one.at},{one.by},{late},{problem}")
        archive.writestr("versions.csv", "\n".join(lines) + "\n")
    return len(versions)


def _files_of(folder: Path) -> dict[str, bytes]:
    """Return the files of a version; none if they cannot be read."""
    with suppress(OSError, ArenaError):
        return {name: (folder / name).read_bytes() for name in list_files(folder)}
    return {}


def bytes_of(season: Season, base: Mapping[str, str]) -> bytes:
    """Return the content of the archive that `export_sources` writes."""
    with tempfile.TemporaryDirectory(dir=season.folder) as folder:  # two organizers can do this at the same time
        target = Path(folder, "sources.zip")
        export_sources(season, target, base)
        return target.read_bytes()
