"""Store uploads as new versions.

The order of the steps keeps a promise to the author: what was answered is on the disk and in the journal. An upload
first reserves the place of one version, is read in a limited process, is moved to its final folder and synced, and then
its entry is written. If anything fails before the entry, the files are removed, and nothing of the upload is left.

The time of the request decides whether a version is late, not the time when it was stored. A second upload of the same
files makes no new version: a client that did not get the answer sends them again.
"""

import os
import shutil
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import msgspec

from arena.bots.bot import Bot, archive_suffix, load_bot
from arena.bots.folders.archive import left_out_of, size_on_disk
from arena.bots.folders.files import NO_ROOM, left_out_in_words
from arena.contests import entries
from arena.contests.journal.files import disk_errors, sync_folder
from arena.contests.open_contest import OpenContest
from arena.contests.people.accounts import Limiter
from arena.contests.people.daily_limits import uploads_since
from arena.contests.queue.copies import copy_path, move_bot
from arena.contests.values import Member, Version, utc
from arena.errors import ArenaError, ExitCode
from arena.text.printable import one_line

DAY = 24 * 3600.0
MIB = 1024 * 1024
LEAST_FREE = 64 * MIB
"""Free bytes of the disk that uploads leave for the journal and the replays. A replay has some 10 KB, so the matches of
hours still have room when uploads are refused."""
_LONGEST_NAME = 80
"""The characters of the name of an upload that are kept. Pages show it on one line."""
FULL = ("The server has no room for the upload.", 507, "Tell the organizer, and try again later.")


class RefusedUploadError(ArenaError):
    """An upload is not accepted. `status` is that of the HTTP answer: from 500 on, the author is not the cause."""

    def __init__(self, message: str, status: int = 400, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.status = status


class Uploads:
    """The uploads of a contest. A team has one at a time."""

    def __init__(self, contest: OpenContest) -> None:
        self._contest = contest
        self._open: set[str] = set()
        self._refused = Limiter(contest.config.visible.refused_per_day, DAY)
        self._storing = threading.Lock()
        self._sizes: dict[str, int] = {}

    @contextmanager
    def reserved(self, team: str) -> Iterator[None]:
        """Reserve the place of one version of a team, until the upload has been stored or refused."""
        with self._contest.lock:
            self._check(team)
            self._open.add(team)
        try:
            yield
        except RefusedUploadError as error:
            if error.status < 500:
                self._refused.take(team)
            raise
        finally:
            with self._contest.lock:
                self._open.discard(team)

    def _check(self, team: str) -> None:
        config, state = self._contest.config.visible, self._contest.state
        if team in state.orders.disqualified:
            raise RefusedUploadError(f"The team {team} is disqualified.", 403)
        if team in self._open:
            raise RefusedUploadError(f"Another upload of {team} has not ended.", 429, "Try again after its end.")
        if not self._refused.is_open(team):
            text = f"{config.refused_per_day} uploads of {team} were refused in 24 hours."
            raise RefusedUploadError(text, 429, "Try tomorrow. Check bots with `arena bot check` before.")
        if sum(version.report is None for version in state.versions.get(team, ())) >= config.waiting:
            raise RefusedUploadError(
                f"{config.waiting} versions of {team} wait for their check.", 429, "Try again after their check."
            )
        if uploads_since(state, team, utc()) >= config.per_day:
            text = f"{team} has handed in {config.per_day} versions in 24 hours."
            raise RefusedUploadError(text, 429, "Try tomorrow.")
        if shutil.disk_usage(self._contest.folder).free < LEAST_FREE:
            raise RefusedUploadError(*FULL)

    def take(
        self, member: Member, upload: Path, name: str, at: datetime, *, at_once: bool = False
    ) -> tuple[Version, bool]:
        """Store an upload as a new version. When this returns, the version is on the disk and in the journal.

        A client that did not get the answer can send the same files again. A second upload of the same files
        makes no new version.

        Args:
            upload: The uploaded file, in a folder without other files. The caller removes the folder.
            name: The file name that the author gave. Its suffix decides how the file is read.
            at_once: Whether the version becomes active as soon as it passes its check.

        Returns:
            The version, and whether it is new.
        """
        late = self._contest.is_closed_at(at)
        file_name = name.replace("\\", "/").rpartition("/")[2]
        shown_name = one_line(file_name)[:_LONGEST_NAME] or "bot"
        size = upload.stat().st_size
        try:
            bot = self._read(upload, shown_name)
            left_out = left_out_in_words(left_out_of(bot.folder))
            with self._storing:
                versions = self._contest.state.versions.get(member.entrant, ())
                for version in versions:
                    if version.hash == bot.content_hash:
                        return version, False
                self._check_storage(member.entrant, versions, bot.folder)
                document = entries.Handed(
                    hash=bot.content_hash,
                    path="",
                    at=at.isoformat(timespec="milliseconds"),
                    by=member.id,
                    size=size,
                    late=late,
                    at_once=at_once,
                )
                return self._store(member.entrant, bot, document, (shown_name, left_out)), True
        except OSError as error:
            if error.errno not in NO_ROOM:
                raise
            raise RefusedUploadError(*FULL) from error
        except ArenaError as error:
            raise self._refusal(error, upload.parent, shown_name) from error

    def _read(self, upload: Path, name: str) -> Bot:
        suffix = archive_suffix(Path(name)) or (".py" if name.lower().endswith(".py") else "")
        if not suffix:
            raise RefusedUploadError(f"{name} is not a bot: it is not a .zip, .tar.gz, .tgz or .py file.")
        renamed = upload.rename(upload.with_name(f"main{suffix}"))
        return load_bot(renamed, self._contest.game, cache=upload.parent / "unpacked")

    def _check_storage(self, team: str, versions: Sequence[Version], folder: Path) -> None:
        """Refuse an upload if the versions of a team, and what was built of them, would use too much of the disk."""
        used = size_on_disk(folder)
        for version in {version.hash: version for version in versions}.values():
            size = self._sizes.get(version.hash)
            if size is None:
                size = size_on_disk(self._contest.folder / copy_path(version.hash))
                if version.report is not None:  # nothing is built any more
                    self._sizes[version.hash] = size
            used += size
        needed, allowed = -(-used // MIB), self._contest.config.visible.storage_mib
        if needed > allowed:
            raise RefusedUploadError(
                f"The versions of {team} would use {needed} MiB on the server's disk. It allows {allowed} MiB.",
                413,
                "Hand in fewer or smaller files, or ask the organizer for a larger storage_mib.",
            )

    def _refusal(self, error: ArenaError, folder: Path, shown_name: str) -> RefusedUploadError:
        """Return the refusal that tells the author about an error, without the names of the server's folders."""
        if isinstance(error, RefusedUploadError):
            return error
        if error.exit_code == ExitCode.CANNOT_WRITE:
            return RefusedUploadError(*FULL)
        message = error.message
        # A file comes first: its path begins with the folder's.
        for path in (*folder.glob("main.*"), folder, self._contest.folder):
            message = message.replace(str(path), shown_name)
        return RefusedUploadError(message, 400, "" if str(self._contest.folder) in error.hint else error.hint)

    def _store(self, team: str, bot: Bot, document: entries.Handed, names: tuple[str, str]) -> Version:
        contest = self._contest
        copy = contest.folder / copy_path(bot.content_hash)
        try:
            document = msgspec.structs.replace(document, path=move_bot(bot, contest.folder))
            _sync(copy)
            contest.handed_in[bot.content_hash] = replace(bot, folder=copy)
            with contest.lock:
                state = contest.state
                key = f"{state.id_of(team)}/{state.next_version(team)}"
                contest.write(entries.text(key, "file", names), (key, document))
                return state.versions[team][-1]
        finally:
            if bot.content_hash not in contest.state.by_hash:
                shutil.rmtree(copy, ignore_errors=True)


def _sync(folder: Path) -> None:
    """Write all files of a folder to the disk, each before the folder that names it."""
    with disk_errors(folder):
        for inner, _, names in os.walk(folder):
            for name in names:
                with (Path(inner) / name).open("rb") as stream:
                    os.fsync(stream.fileno())
            sync_folder(Path(inner))
        sync_folder(folder.parent)
