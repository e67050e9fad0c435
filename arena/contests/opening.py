"""Open a season: lock its folder, open its journal, and compute the tables from the journal."""

import contextlib
import hmac
import secrets
import shutil
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from arena.bots.bot import Bot, load_bot
from arena.bots.probe import probe
from arena.errors import ArenaError, ExitCode
from arena.game import GameSpec
from arena.journal.chain import text_of
from arena.journal.files import FolderLock, disk_errors, make_private, private_files, sweep
from arena.journal.store import FILE, Written, now, permanent
from arena.match.isolation import KEYS
from arena.match.result import MatchResult
from arena.match.spec import MatchSpec, new_secret
from arena.matches.copies import copy_bot
from arena.matches.folders import empty_scratch, folder_of
from arena.matches.results import MatchJournal
from arena.season import checkpoint
from arena.contests.board import Board, LadderRow
from arena.contests.config import SeasonConfig, read_season
from arena.contests.released import released
from arena.contests.snapshot import Snapshot
from arena.contests.state import SeasonState
from arena.contests.values import time_of

BUILT_IN = " (built-in)"
"""Stands after the name of a built-in bot in tables."""
WORK = "work"
"""The folder for uploads and builds that are not finished. Each start removes its content."""


class Season:
    """A season that this process runs. All methods except `resume` can be called from any thread.

    Attributes:
        lock: Protects the state. Hold it to read values and then write what depends on them. It is held while the
            journal writes to the disk: only to show values, read `snapshot`.
        changed: Is notified after each change of the state.
        handed_in: Stored bots that wait for their check, by their hash, so that the check does not read them again. A
            restart forgets them.
    """

    def __init__(self, folder: Path, config: SeasonConfig, game: GameSpec, journal: MatchJournal[SeasonState]) -> None:
        self.folder = folder
        self.config = config
        self.game = game
        self.lock = threading.RLock()
        self.changed = threading.Condition(self.lock)
        self.handed_in: dict[str, Bot] = {}
        self.state = journal.history
        self._journal = journal
        self._board, self._public = Board(self.state), Board(self.state)
        self._snapshot: Snapshot | None = None

    def write(self, *entries: Written) -> int:
        """Write entries in one transaction, and return the number of the last one.

        If the process is killed after the return, no entry is lost.
        """
        with self.lock:
            self._journal.append(*entries)
            self._publish()
            if self._journal.back_up():
                self.save()
            self.changed.notify_all()
            return self.state.number

    def commit(self, spec: MatchSpec, result: MatchResult) -> None:
        """Record a result, with its replay. Only the first result of a match counts."""
        with self.lock:
            self._journal.commit(spec, result)
            self._publish()
            self.changed.notify_all()

    @property
    def snapshot(self) -> Snapshot:
        """The content of the season after the last entry. Only the first call can wait for a write."""
        return self._snapshot or self._first_snapshot()

    def _first_snapshot(self) -> Snapshot:
        with self.lock:
            known = self._snapshot = self._snapshot or self._new_snapshot(None)
            return known

    def _publish(self) -> None:
        if self._snapshot is not None:  # without pages, nobody needs one
            self._snapshot = self._new_snapshot(self._snapshot)

    def _new_snapshot(self, before: Snapshot | None) -> Snapshot:
        state = self.state.until_now(before.state if before else None)
        if before and (before.state.order, len(before.state.played)) == (state.order, len(state.played)):
            return replace(before, state=state)  # the ratings are the same
        whole = self.board(everything=True)
        rows = whole.table()
        public = rows if released(state).everything else self.board().table()
        return Snapshot(state, public, rows, whole.pairs.until_now())

    def result(self, match_id: str) -> tuple[MatchSpec, MatchResult] | None:
        """Read a match and its result from the file of the journal."""
        with contextlib.closing(MatchJournal(self.folder, SeasonState(self.folder / FILE), read_only=True)) as journal:
            return journal.match(match_id)

    def is_closed_at(self, at: datetime) -> bool:
        """Return whether a version that was handed in at this time is late: after the deadline or a freeze."""
        frozen = any(act.kind == "freeze" and time_of(act.at) <= at for act in self.snapshot.state.in_force())
        return frozen or self.config.is_late(at)

    @property
    def is_closed(self) -> bool:
        return self.is_closed_at(utc())

    def board(self, *, everything: bool = False) -> Board:
        """Return the ratings. Without `everything`, they do not use the results that are held back."""
        with self.lock:
            limit = released(self.state, everything=everything).limit
            board = self._board if limit is None else self._public
            board.advance(limit)
            return board

    def table(self, *, everything: bool = False) -> list[LadderRow]:
        """Return the table of the ladder. Without `everything`, it does not use the results that are held back."""
        return self.snapshot.table(everything=everything)

    def resume(self, known: checkpoint.Checkpoint) -> None:
        for board, ratings in zip((self._board, self._public), known.ratings, strict=True):
            board.resume(ratings)

    def save(self) -> None:
        with self.lock:
            self._board.advance()
            checkpoint.save(self.folder, self.state, [self._board, self._public])

    def back_up(self, target: Path) -> None:
        """Write a complete copy of the journal to one file."""
        with self.lock:
            self._journal.copy_to(target)


def new_work_folder(season: Season) -> Path:
    """Return a new folder for temporary files, on the disk of the season. The caller removes it."""
    place = season.folder / WORK
    with disk_errors(place):
        place.mkdir(exist_ok=True)
        return Path(tempfile.mkdtemp(dir=place))


@contextlib.contextmanager
def open_season(path: Path, *, isolated: bool = False) -> Iterator[Season]:
    """Open a season in the only process that may write to it.

    Args:
        isolated: Whether the machine must provide the isolation that the configuration requires.
    """
    config, game = read_season(path)
    if isolated and probe().level < config.least_isolation:
        raise ArenaError(
            f"This machine isolates bots at the level {KEYS[probe().level]}, and {path.name} requires "
            f"{config.isolation}.",
            hint="Run `arena doctor`. It shows what is missing.",
            exit_code=ExitCode.NO_ISOLATION,
        )
    folder = folder_of(path.resolve())
    with disk_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
        make_private(folder)
    state = SeasonState(folder / FILE)
    with (
        private_files(),
        contextlib.closing(FolderLock(folder, state.program)),
        contextlib.ExitStack() as stack,
    ):
        with permanent(state):
            if known := checkpoint.load(folder):
                state.expect(known.number, known.encounters, known.played)
            journal = stack.enter_context(contextlib.closing(MatchJournal(folder, state)))
            state.expect(state.number, [], [])
        season = Season(folder, config, game, journal)
        if known:
            season.resume(known)
        _configure(season)
        sweep(folder)
        shutil.rmtree(folder / WORK, ignore_errors=True)
        empty_scratch(folder)
        yield season
        empty_scratch(folder, gone=True)
        with season.lock:  # a thread may still write its last entry
            journal.back_up(final=True)
            if known is None or known.number != season.state.number:
                season.save()


def _configure(season: Season) -> None:
    config, state = season.config, season.state
    written: list[Written] = []
    if not state.facts:
        facts = {"id": secrets.token_hex(8), "secret": new_secret(secrets.token_hex(32)), "game": config.game}
        written.append(("start", "", facts | {"season": 1}))
    elif state.facts["game"] != config.game:
        raise ArenaError(
            f"The season in {season.folder} plays {state.facts['game']}, not {config.game}.",
            hint="Undo the change of game in season.toml, or start another season in another folder.",
            exit_code=ExitCode.CHANGED,
        )
    anchors = []
    for name, skill in config.anchors:
        bot = load_bot(f"builtin:{name}", season.game)
        anchors.append({"name": name + BUILT_IN, "hash": bot.content_hash, "path": copy_bot(bot, season.folder),
                        "skill": skill})  # fmt: skip
    document = {"config": config.to_document(), "anchors": anchors}
    known = {"config": state.config, "anchors": [
        {"name": name, "hash": content, "path": state.paths[content], "skill": skill}
        for (name, content), skill in state.anchors.items()
    ]}  # fmt: skip
    if text_of(document) != text_of(known):
        written.append(("config", "", document | {"at": now()}))
    if written:
        season.write(*written)


class Limiter:
    """Limits how often a client does something, for example fails to sign in.

    Args:
        limit: `is_open` returns false if a client has done it this often.
        seconds: The time after which it no longer counts.
    """

    def __init__(self, limit: int, seconds: float) -> None:
        self._limit = limit
        self._seconds = seconds
        self._done: dict[str, list[float]] = {}
        self._lock = threading.Lock()

    def is_open(self, key: str) -> bool:
        """Return whether the client `key` has not reached the limit."""
        with self._lock:
            return len(self._recent(key)) < self._limit

    def take(self, key: str) -> bool:
        """Count once more if the limit is not reached, and return whether it was not. No other thread comes between."""
        with self._lock:
            if len(recent := self._recent(key)) >= self._limit:
                return False
            if len(self._done) > 10_000:  # tries from many addresses must not fill the memory
                self._done.clear()
            self._done[key] = [*recent, time.monotonic()]
            return True

    def _recent(self, key: str) -> list[float]:
        return [at for at in self._done.get(key, []) if at > time.monotonic() - self._seconds]


def utc() -> datetime:
    return datetime.now(UTC)


def signed(secret: str, *parts: str) -> str:
    """Return a signature of `parts` that only the owner of the secret can make."""
    return hmac.new(secret.encode(), "\n".join(parts).encode(), "sha256").hexdigest()
