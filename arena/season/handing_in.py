"""Store uploads as new versions, and check each version in a separate process."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from arena.bots.bot import archive_suffix, load_bot
from arena.errors import ArenaError
from arena.match.isolation import KEYS
from arena.season.store import Season, utc
from arena.season.values import Member, Version
from arena.text.printable import one_line
from arena.tournament.run.bots import copy_bot, place_of_copy
from arena.tournament.run.journal.files import disk_errors, private_files, sync_folder
from arena.tournament.run.journal.store import now

LONGEST_CHECK = 300.0
"""The limit for a check, in seconds. It does not apply to the trial match, which follows."""
_LONGEST_NAME = 80


class RefusedUploadError(ArenaError):
    """The season refuses an upload.

    Attributes:
        status: The HTTP status.
    """

    status = 400

    def __init__(self, message: str, status: int = 400, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.status = status


def check_quota(season: Season, team: str) -> None:
    """Check that a team is allowed to hand in another version now.

    Raises:
        RefusedUploadError: The team is disqualified, or has reached a limit.
    """
    config, state = season.config, season.state
    if team in state.orders.teams:
        raise RefusedUploadError(f"The team {team} is disqualified.", 403)
    if sum(one.report is None for one in state.versions.get(team, [])) >= config.waiting:
        raise RefusedUploadError(
            f"{config.waiting} versions of {team} wait for their check.", 429, "Try again after their check."
        )
    if state.uploads_since(team, utc()) >= config.per_day:
        raise RefusedUploadError(f"{team} has handed in {config.per_day} versions in 24 hours.", 429, "Try tomorrow.")


def take_upload(season: Season, member: Member, upload: Path, name: str) -> tuple[Version, bool]:
    """Store an upload as a new version. When this returns, the version is on the disk and in the journal.

    A client that did not get the answer can send the same files again. A second upload of the same files
    makes no new version.

    Args:
        season: The season.
        member: The author.
        upload: The uploaded file, in a folder without other files.
        name: The file name that the author gave. Its suffix decides how the file is read.

    Returns:
        The version, and whether it is new.

    Raises:
        ArenaError: The file is not a bot or not safe, or the team is not allowed to hand in another version now.
    """
    shown = one_line(name.replace("\\", "/").rpartition("/")[2])[:_LONGEST_NAME] or "bot"
    suffix = archive_suffix(Path(shown)) or (".py" if shown.lower().endswith(".py") else "")
    if not suffix:
        raise RefusedUploadError(f"{shown} is not a bot: it is not a .zip, .tar.gz, .tgz or .py file.")
    size = upload.stat().st_size
    named = upload.rename(upload.with_name(f"main{suffix}"))
    try:
        bot = load_bot(named, cache=season.folder / "cache")
        if bot.game and bot.game != season.config.game:
            raise ArenaError(f"It is a bot for {bot.game}, not for {season.config.game}.")
        path = copy_bot(bot, season.folder)
    except ArenaError as error:  # hide the server's folders from the author
        message = error.message
        for place in (str(named), str(named.parent), str(season.folder)):
            message = message.replace(place, shown)
        raise RefusedUploadError(message, 400, "" if str(season.folder) in error.hint else error.hint) from None
    _sync(season.folder / place_of_copy(bot.content_hash))
    with season.lock:
        versions = season.state.versions.get(member.team, [])
        if known := next((one for one in versions if one.hash == bot.content_hash), None):
            return known, False
        check_quota(season, member.team)
        late = season.state.orders.frozen or season.config.is_late(utc())
        version = Version(member.team, len(versions) + 1, bot.content_hash, path, member.name, now(), size, shown, late)
        names = ("team", "number", "hash", "path", "by", "at", "size", "file", "late")
        season.write(("version", version.key, {name: getattr(version, name) for name in names}))
        return season.state.versions[member.team][-1], True


def _sync(folder: Path) -> None:
    """Sync the files of a bot's copy to the disk."""
    with disk_errors(folder):
        for place, _, files in os.walk(folder):
            for name in files:
                with (Path(place) / name).open("rb") as stream:
                    os.fsync(stream.fileno())
            sync_folder(Path(place))
        sync_folder(folder.parent)


def new_upload_folder(season: Season) -> Path:
    """Return a new folder for one upload."""
    place = season.folder / "uploads"
    with private_files(), disk_errors(place):
        place.mkdir(exist_ok=True)
        return Path(tempfile.mkdtemp(dir=place))


def clear_uploads(season: Season) -> None:
    """Remove the unfinished uploads that an earlier, killed process left."""
    shutil.rmtree(season.folder / "uploads", ignore_errors=True)


class UploadCheck:
    """A separate process that checks one version: it builds the bot, and plays short matches with unusual events.

    Args:
        season: The season.
        version: The version.
        progress: Called with each document that the process prints before the result: a check that starts, or a line
            of the report.
    """

    def __init__(self, season: Season, version: Version, progress: Callable[[dict[str, Any]], None]) -> None:
        self._progress = progress
        job = {
            "bot": str(season.folder / version.path),
            "copy": str(season.folder / place_of_copy(version.hash)),
            "game": season.config.game,
            "options": dict(season.config.options),
            "limits": dict(season.config.limits),
            "require": KEYS.index(season.config.isolation),
        }
        # The process ends itself when its standard input closes, and so does not outlive a killed server.
        self._process = subprocess.Popen(
            [sys.executable, "-m", "arena.season.check", json.dumps(job)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=season.folder,
            start_new_session=True,
        )  # fmt: skip

    def wait(self) -> str:
        """Wait for the end of the check, and return why the version fails it; "" if it passes."""
        assert self._process.stdout is not None
        problem = "the check ended without a result"
        with self._process:
            for line in self._process.stdout:
                document = json.loads(line)
                if "problem" in document:
                    problem = str(document["problem"])
                else:
                    self._progress(document)
        return problem

    def kill(self) -> None:
        """Kill the process of the check."""
        self._process.kill()
