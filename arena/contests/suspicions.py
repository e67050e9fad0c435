"""What an organizer should look at: teams that may lose to each other on purpose, and versions that are alike.

Nothing here is a verdict, and nothing follows from it: the desk shows it, and people look at replays and sources. The
results of improbable pairs count less in any case, see `ladder.collusion`.
"""

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
    pairs = [pair for pair in snapshot.pairs.improbable() if anchors.isdisjoint(pair[:2])]
    return sorted(pairs, key=lambda pair: -pair[2].deviations)


def twins(state: Contest, is_template: Callable[[Version], bool]) -> list[list[Version]]:
    """Return the groups of versions of different entrants with the same files. Templates are no suspicion."""
    groups: dict[str, list[Version]] = defaultdict(list)
    for version in state.by_player.values():
        groups[version.hash].append(version)
    shared = [group for group in groups.values() if len({version.entrant for version in group}) > 1]
    return [group for group in shared if not is_template(group[0])]


def alike(state: Contest, is_template: Callable[[Version], bool]) -> list[list[Version]]:
    """Return the groups of versions with different files that did the same in every turn of their first match.

    All first matches have the same seed and opponent. A group that plays like the template is no suspicion.
    """
    groups: dict[str, list[Version]] = defaultdict(list)
    for version in state.by_player.values():
        played = state.played.get(version.report.match) if version.report else None
        if played is None or played.result is None or played.is_void or not version.passed:
            continue
        if played.result.course:
            groups[played.result.course].append(version)
    different = [group for group in groups.values() if len({version.hash for version in group}) > 1]
    return [group for group in different if not any(map(is_template, group))]


# -- first matches ---------------------------------------------------------------------------------------

# Compare what two versions do in their first match. All first matches of a contest have the same seed and opponent.


def _without_times(entry: Entry | None) -> Entry | None:
    """Return an entry of the truth without the times that a turn took."""
    return entry[:3] if entry and entry[0] == "turn" else entry


@lru_cache(maxsize=64)
def first_turn_apart(replay: Path, second: Path) -> int | None:
    """Return the number of the turn in which two matches differ first; 0 if they are equal, None if unreadable."""
    try:
        reader = Reader(replay)
        turn = 0
        for entry, second_entry in zip_longest(reader.truth, Reader(second).truth):
            if _without_times(entry) != _without_times(second_entry):
                return reader.number_of(turn)
            turn += entry[0] == "turn"
    except (OSError, ReplayError):
        return None
    return 0


# -- sources for a plagiarism checker -------------------------------------------------------------------

# All versions that are still the template look alike. `is_template` finds them.

_CLASS = re.compile(r"\bclass \w+\(AI\)")


_NAMES = frozenset({"bot.toml", "README.md", "AGENTS.md"})
"""Files of a bot without code, which differ by its name or its language."""


def archive_of(contest: OpenContest, base: Mapping[str, str]) -> bytes:
    """Return a zip archive: `base/` with the template, and `TEAM/VERSION/` with the files of each version.

    The archive also contains `versions.csv`. Its last column names the problem if files of a version are missing or
    were changed.
    """
    state, content = contest.snapshot.state, io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED, strict_timestamps=False) as archive:
        for name, text in base.items():
            archive.writestr(f"base/{name}", text)
        lines = ["team,version,hash,at,by,late,problem"]
        for version in [version for versions in state.versions.values() for version in versions if version.path]:
            folder = (contest.folder / copy_path(version.hash)).resolve()
            problem = copy_defect(folder, version.hash)
            for name, data in _files_of(folder).items():
                archive.writestr(str(PurePosixPath(version.entrant, str(version.number), name)), data)
            author, late = state.ids.get(version.by, ""), "late" if version.late else ""
            columns = version.entrant, str(version.number), version.hash, version.at, author, late, problem
            lines.append(",".join(columns))
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
