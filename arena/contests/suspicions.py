"""What an organizer should look at: teams that may lose to each other on purpose, and versions that play alike."""

import io
import re
import zipfile
from collections import defaultdict
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import lru_cache
from itertools import zip_longest
from pathlib import Path, PurePosixPath

from arena.bots.folders.files import list_files
from arena.contests.ladder.collusion import Meetings
from arena.contests.open_contest import OpenContest, Snapshot
from arena.contests.queue.copies import copy_defect, copy_path
from arena.contests.state import Contest
from arena.contests.values import Version
from arena.errors import ArenaError
from arena.text.reading import text_of
from arena_replays import Reader, ReplayError
from arena_replays.documents import Entry


def improbable_pairs(snapshot: Snapshot) -> list[tuple[str, str, Meetings]]:
    """Return the pairs of teams whose results are hardly chance: winner, loser, and their meetings.

    The most improbable come first. Built-in bots lose to nobody on purpose.
    """
    anchors = snapshot.state.anchors.keys()
    found = [one for one in snapshot.pairs.improbable() if anchors.isdisjoint(one[:2])]
    return sorted(found, key=lambda one: -one[2].deviations)


def twins(state: Contest, is_template: Callable[[Version], bool]) -> list[tuple[Version, list[Version]]]:
    """Return the versions with the same files as versions of other entrants. Unchanged templates are no suspicion."""
    found = [(one, state.twins(one)) for one in state.by_player.values()]
    return [(one, others) for one, others in found if others and not is_template(one)]


def alike(state: Contest, is_template: Callable[[Version], bool]) -> list[list[Version]]:
    """Return the groups of versions with different files that did the same in every turn of their first match.

    All first matches have the same seed and opponent. A group that plays like the template is no suspicion.
    """
    groups: dict[str, list[Version]] = defaultdict(list)
    for version in state.by_player.values():
        played = state.played.get(version.report.match) if version.report else None
        if played and played.result and played.result.course and version.passed and not played.is_void:
            groups[played.result.course].append(version)
    different = [group for group in groups.values() if len({one.hash for one in group}) > 1]
    return [group for group in different if not any(map(is_template, group))]


# -- first matches ---------------------------------------------------------------------------------------

# Compare what two versions do in their first match. All first matches of a contest have the same seed and opponent.


def _played(entry: Entry | None) -> Entry | None:
    """Return an entry of the truth without the times that a turn took."""
    return entry[:3] if entry and entry[0] == "turn" else entry


@lru_cache(maxsize=64)
def first_turn_apart(one: Path, other: Path) -> int | None:
    """Return the number of the turn in which two matches differ first; 0 if they are equal, None if unreadable."""
    try:
        reader = Reader(one)
        turn = 0
        for mine, theirs in zip_longest(reader.truth, Reader(other).truth):
            if _played(mine) != _played(theirs):
                return reader.number_of(turn)
            turn += mine[0] == "turn"
    except (OSError, ReplayError):
        return None
    return 0


# -- sources for a plagiarism checker -------------------------------------------------------------------

# All versions that are still the template look alike. `is_template` finds them.

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
            folder = (opened.folder / copy_path(one.hash)).resolve()
            problem = copy_defect(folder, one.hash)
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
