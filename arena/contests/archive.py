"""Read the archive of a contest: what may stay when the people are gone, in one file for later years.

A tar file with a static site, the public copies of the replays, the bots that may play in later contests, and an index.
`arena.contests.report.archived` writes it, and `arena.contests.verify` checks its replays. Here its bots become rungs
of another ladder. An archive is untrusted: only members that the index names are read, and their sizes are limited.
"""

from __future__ import annotations

import hashlib
import re
import tarfile
from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec

from arena.bots.folders.child import RefusedFileError, open_tar
from arena.bots.folders.files import LARGEST_ARCHIVE, cache_folder
from arena.contests.config import BotEntry
from arena.errors import ArenaError, ExitCode
from arena_replays.files import replace_file

SUFFIX = ".tar"
INDEX = "archive.json"
_LARGEST_INDEX = 16 * 1024 * 1024
"""Chosen, not measured: an index has about 150 bytes for each match."""


class ArchivedBot(msgspec.Struct, frozen=True, kw_only=True):
    """A bot of an archive, which can be an anchor of another ladder. The skill is null if it was never rated."""

    name: str
    file: str
    skill: float | None
    licence: str


class Index(msgspec.Struct, frozen=True, kw_only=True):
    """What an archive has: the game with the version of its rules, the digests of the replays, and the bots."""

    contest: str
    game: str
    version: str
    head: str
    replays: dict[str, str]
    bots: list[ArchivedBot]


def read_index(path: Path) -> Index:
    """Return what an archive has."""
    data = read_members(path, {INDEX: _LARGEST_INDEX}).get(INDEX)
    try:
        return msgspec.json.decode(data or b"", type=Index)
    except msgspec.MsgspecError as error:
        raise _no_archive(path, f"{INDEX} is missing or wrong ({error})") from None


def archived_bots(path: Path, groups: tuple[str, ...]) -> Iterator[tuple[Path, BotEntry]]:
    """Yield each bot of an archive as the entry of an anchor, with the path of its unpacked file in the user's cache.

    A bot without a skill is no anchor, but an ordinary bot.
    """
    bots = read_index(path).bots
    contents = read_members(path, {bot.file: LARGEST_ARCHIVE for bot in bots})
    for bot in bots:
        data = contents.get(bot.file)
        if data is None or not re.fullmatch(r"bots/\d+\.tar\.gz", bot.file):
            raise _no_archive(path, f"the bot {bot.name[:80]!r} is missing")
        file = cache_folder() / "archives" / f"{hashlib.sha256(data).hexdigest()[:24]}.tar.gz"
        file.parent.mkdir(parents=True, exist_ok=True)
        replace_file(file, data, sync=False)
        yield file, BotEntry(path=str(file), name=bot.name, skill=bot.skill, groups=groups)


def read_members(path: Path, limits: Mapping[str, int]) -> dict[str, bytes]:
    """Return the contents of members of an archive, by name. Members that are larger than their limit are an error."""
    found: dict[str, bytes] = {}
    try:
        with path.open("rb") as stream, open_tar(stream, "r:") as archive:
            for member in archive:
                if member.name not in limits or not member.isfile():
                    continue
                if member.size > limits[member.name]:
                    raise _no_archive(path, f"{member.name} is too large")
                data = archive.extractfile(member)
                assert data is not None
                found[member.name] = data.read()
                if len(found) == len(limits):
                    break
    except OSError as error:
        raise _no_archive(path, f"it cannot be read ({(error.strerror or str(error)).lower()})") from None
    except (tarfile.TarError, RefusedFileError, EOFError) as error:
        raise _no_archive(path, str(error)) from None
    return found


def _no_archive(path: Path, reason: str) -> ArenaError:
    return ArenaError(
        f"{path} is not the archive of a contest: {reason}.",
        hint="`arena contest archive` writes one.",
        exit_code=ExitCode.BAD_BOT,
    )
