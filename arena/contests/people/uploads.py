"""Store uploads as new versions."""

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
"""Free bytes of the disk that uploads leave for the journal and the replays."""
_LONGEST_NAME = 80
FULL = ("The server has no room for the upload.", 507, "Tell the organizer, and try again later.")


class RefusedUploadError(ArenaError):
    status = 400

    def __init__(self, message: str, status: int = 400, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.status = status


class Uploads:
    def __init__(self, opened: OpenContest) -> None:
        self._opened = opened
        self._open: set[str] = set()
        self._refused = Limiter(opened.config.visible.refused_per_day, DAY)
        self._storing = threading.Lock()
        self._sizes: dict[str, int] = {}

    @contextmanager
    def reserved(self, team: str) -> Iterator[None]:
        """Reserve the place of one version of a team, until the upload has been stored or refused."""
        with self._opened.lock:
            self._check(team)
            self._open.add(team)
        try:
            yield
        except RefusedUploadError as error:
            if error.status < 500:
                self._refused.take(team)
            raise
        finally:
            with self._opened.lock:
                self._open.discard(team)

    def _check(self, team: str) -> None:
        config, state = self._opened.config.visible, self._opened.state
        if team in state.orders.disqualified:
            raise RefusedUploadError(f"The team {team} is disqualified.", 403)
        if team in self._open:
            raise RefusedUploadError(f"Another upload of {team} has not ended.", 429, "Try again after its end.")
        if not self._refused.is_open(team):
            text = f"{config.refused_per_day} uploads of {team} were refused in 24 hours."
            raise RefusedUploadError(text, 429, "Try tomorrow. Check bots with `arena bot check` before.")
        if sum(one.report is None for one in state.versions.get(team, ())) >= config.waiting:
            raise RefusedUploadError(
                f"{config.waiting} versions of {team} wait for their check.", 429, "Try again after their check."
            )
        if uploads_since(state, team, utc()) >= config.per_day:
            text = f"{team} has handed in {config.per_day} versions in 24 hours."
            raise RefusedUploadError(text, 429, "Try tomorrow.")
        if shutil.disk_usage(self._opened.folder).free < LEAST_FREE:
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
        late = self._opened.is_closed_at(at)
        shown = one_line(name.replace("\\", "/").rpartition("/")[2])[:_LONGEST_NAME] or "bot"
        size = upload.stat().st_size
        try:
            bot = self._read(upload, shown)
            left_out = left_out_in_words(left_out_of(bot.folder))
            with self._storing:
                versions = self._opened.state.versions.get(member.entrant, ())
                if known := next((one for one in versions if one.hash == bot.content_hash), None):
                    return known, False
                self._check_storage(member.entrant, versions, bot.folder)
                document = entries.Handed(
                    hash=bot.content_hash, path="", at=at.isoformat(timespec="milliseconds"), by=member.id, size=size,
                    late=late, at_once=at_once,
                )  # fmt: skip
                return self._store(member.entrant, bot, document, (shown, left_out)), True
        except OSError as error:
            if error.errno not in NO_ROOM:
                raise
            raise RefusedUploadError(*FULL) from error
        except ArenaError as error:
            raise self._refusal(error, upload.parent, shown) from error

    def _read(self, upload: Path, shown: str) -> Bot:
        suffix = archive_suffix(Path(shown)) or (".py" if shown.lower().endswith(".py") else "")
        if not suffix:
            raise RefusedUploadError(f"{shown} is not a bot: it is not a .zip, .tar.gz, .tgz or .py file.")
        renamed = upload.rename(upload.with_name(f"main{suffix}"))
        return load_bot(renamed, self._opened.game, cache=upload.parent / "unpacked")

    def _check_storage(self, team: str, versions: Sequence[Version], folder: Path) -> None:
        """Refuse an upload if the versions of a team, and what was built of them, would use too much of the disk."""
        used = size_on_disk(folder)
        for version in {one.hash: one for one in versions}.values():
            size = self._sizes.get(version.hash)
            if size is None:
                size = size_on_disk(self._opened.folder / copy_path(version.hash))
                if version.report is not None:  # nothing is built any more
                    self._sizes[version.hash] = size
            used += size
        needed, allowed = -(-used // MIB), self._opened.config.visible.storage_mib
        if needed > allowed:
            raise RefusedUploadError(
                f"The versions of {team} would use {needed} MiB on the server's disk. It allows {allowed} MiB.",
                413,
                "Hand in fewer or smaller files, or ask the organizer for a larger storage_mib.",
            )

    def _refusal(self, error: ArenaError, place: Path, shown: str) -> RefusedUploadError:
        """Return the refusal that tells the author about an error, without the names of the server's folders."""
        if isinstance(error, RefusedUploadError):
            return error
        if error.exit_code == ExitCode.CANNOT_WRITE:
            return RefusedUploadError(*FULL)
        message = error.message
        for name in (*(str(path) for path in place.glob("main.*")), str(place), str(self._opened.folder)):
            message = message.replace(name, shown)
        return RefusedUploadError(message, 400, "" if str(self._opened.folder) in error.hint else error.hint)

    def _store(self, team: str, bot: Bot, document: entries.Handed, names: tuple[str, str]) -> Version:
        opened = self._opened
        copy = opened.folder / copy_path(bot.content_hash)
        try:
            document = msgspec.structs.replace(document, path=move_bot(bot, opened.folder))
            _sync(copy)
            opened.handed_in[bot.content_hash] = replace(bot, folder=copy)
            with opened.lock:
                state = opened.state
                key = f"{state.id_of(team)}/{state.next_version(team)}"
                opened.write(entries.text(key, "file", names), (key, document))
                return state.versions[team][-1]
        finally:
            if bot.content_hash not in opened.state.by_hash:
                shutil.rmtree(copy, ignore_errors=True)


def _sync(folder: Path) -> None:
    with disk_errors(folder):
        for place, _, files in os.walk(folder):
            for name in files:
                with (Path(place) / name).open("rb") as stream:
                    os.fsync(stream.fileno())
            sync_folder(Path(place))
        sync_folder(folder.parent)
