"""Export the sources of all versions for a plagiarism checker, with the template of the game as base.

A version that is still the template looks like all others that are. `is_template` finds it.
"""

import io
import re
import zipfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path, PurePosixPath

from arena.bots.folders.files import list_files
from arena.contests.opening import OpenContest
from arena.errors import ArenaError
from arena.matches.copies import place_of_copy, wrong_with_copy
from arena.text.limited import text_of

_CLASS = re.compile(r"\bclass \w+\(AI\)")
_NAMES = frozenset({"bot.toml", "README.md"})
"""Files of a bot without code, which differ by its name."""


def archive_of(opened: OpenContest, base: Mapping[str, str]) -> bytes:
    """Return a zip archive: `base/` with the template, and `TEAM/VERSION/` with the files of each version.

    The archive also contains `versions.csv`. Its last column names the problem if files of a version are missing or
    were changed.
    """
    state, content = opened.snapshot.state, io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED, strict_timestamps=False) as archive:
        for name, text in base.items():
            archive.writestr(f"base/{name}", text)
        lines = ["team,version,hash,at,by,late,problem"]
        for one in [one for team in state.versions.values() for one in team if one.path]:
            folder = (opened.folder / place_of_copy(one.hash)).resolve()
            problem = wrong_with_copy(folder, one.hash)
            for name, data in _files_of(folder).items():
                archive.writestr(str(PurePosixPath(one.entrant, str(one.number), name)), data)
            by, late = state.ids.get(one.by, ""), "late" if one.late else ""
            lines.append(f"{one.entrant},{one.number},{one.hash},{one.at},{by},{late},{problem}")
        archive.writestr("versions.csv", "\n".join(lines) + "\n")
    return content.getvalue()


def is_template(folder: Path, base: Mapping[str, str]) -> bool:
    """Return whether a version has no code beside that of the template, in which only the name of the class differs."""
    with suppress(OSError, ArenaError):
        return all(
            name in base and _is_equal(folder / name, base[name]) for name in list_files(folder) if name not in _NAMES
        )
    return False


def _is_equal(file: Path, text: str) -> bool:
    if file.stat().st_size > 2 * len(text.encode()):  # with the line ends of Windows it has less
        return False
    return _CLASS.sub("class AI", text_of(file.read_bytes()).replace("\r\n", "\n")) == _CLASS.sub("class AI", text)


def _files_of(folder: Path) -> dict[str, bytes]:
    """Return the files of a version; none if they cannot be read."""
    with suppress(OSError, ArenaError):
        return {name: (folder / name).read_bytes() for name in list_files(folder)}
    return {}
