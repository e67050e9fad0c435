"""A contest in memory: `OpenContest` in the one process that runs it, `LoadedContest` in every process that reads it.

Threads share it by two rules. Who reads values and then writes what depends on them holds `lock`, which is also held
while the journal writes to the disk. Who only shows values reads `snapshot`, which never changes and needs no lock, so
that no visitor of the pages waits for the disk.
"""

from __future__ import annotations

import contextlib
import shutil
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from arena.bots.bot import Bot
from arena.bots.probe import probe
from arena.contests.config import ContestConfig
from arena.contests.config_file import read_config_file
from arena.contests.contest_journal import ContestJournal, first_entry
from arena.contests.entries import Written
from arena.contests.journal.files import (
    FolderLock,
    disk_errors,
    empty_scratch,
    folder_of,
    make_private,
    private_files,
    sweep,
)
from arena.contests.journal.store import FILE, has_traces
from arena.contests.ladder.board import Board, LadderRow
from arena.contests.ladder.collusion import Pairs
from arena.contests.state import Contest
from arena.contests.values import time_of, utc
from arena.contests.visibility import visibility_of
from arena.errors import ArenaError, ExitCode
from arena.game import GameSpec
from arena.match.isolation import KEYS
from arena.match.result import MatchResult
from arena.match.spec import MatchSpec, new_secret

WORK = "work"
"""The folder for uploads and builds that are not finished. Each start removes its content."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The content of a contest up to an entry. It never changes, so that pages read it without a lock.

    Attributes:
        rows: The table of the ladder without the results that are held back.
        all_rows: The table of the ladder with all results.
        pairs: The results of pairs of teams, with those that are held back.
    """

    state: Contest
    rows: list[LadderRow]
    all_rows: list[LadderRow]
    pairs: Pairs

    def table(self, *, everything: bool = False) -> list[LadderRow]:
        return self.all_rows if everything else self.rows


class LoadedContest:
    """A contest that this process runs, or follows while another process runs it.

    All methods can be called from any thread.

    Attributes:
        lock: Protects the state. Hold it to read values and then write what depends on them. It is held while the
            journal writes to the disk: only to show values, read `snapshot`.
    """

    def __init__(self, folder: Path, config: ContestConfig, game: GameSpec, state: Contest) -> None:
        self.folder = folder
        self.config = config
        self.game = game
        self.state = state
        self.lock = threading.RLock()
        self._board, self._public = Board(state), Board(state)
        self._snapshot: Snapshot | None = None

    def take(self, state: Contest) -> None:
        """Go on with another state, if entries have changed the names or texts of earlier ones."""
        if state is not self.state:
            self.state = state
            self._board, self._public = Board(state), Board(state)

    @property
    def snapshot(self) -> Snapshot:
        """The content after the last entry. Only the first call can wait for a write."""
        return self._snapshot or self._first_snapshot()

    def _first_snapshot(self) -> Snapshot:
        with self.lock:
            self._snapshot = self._snapshot or self._new_snapshot(None)
            return self._snapshot

    def _publish(self) -> None:
        if self._snapshot is not None:  # without pages, nobody needs one
            self._snapshot = self._new_snapshot(self._snapshot)

    def _new_snapshot(self, before: Snapshot | None) -> Snapshot:
        state = self.state.until_now(before.state if before else None)
        if before and (before.state.revision, len(before.state.played)) == (state.revision, len(state.played)):
            return replace(before, state=state)  # the ratings are the same
        whole = self.board(everything=True)
        rows = whole.table()
        public = rows if visibility_of(state).everything else self.board().table()
        return Snapshot(state, public, rows, whole.pairs.until_now())

    def board(self, *, everything: bool = False) -> Board:
        """Return the ratings of the ladder. Without `everything`, they do not use the results that are held back."""
        with self.lock:
            visible = visibility_of(self.state, everything=everything)
            board = self._board if visible.everything else self._public
            board.advance(visible.ladder_limit(self.state))
            return board

    def is_closed_at(self, at: datetime) -> bool:
        """Return whether a version that was handed in at this time is late: after the deadline or a freeze."""
        frozen = any(act.kind == "freeze" and time_of(act.at) <= at for act in self.snapshot.state.in_force())
        return frozen or self.config.visible.is_late(at)

    @property
    def is_closed(self) -> bool:
        return self.is_closed_at(utc())


class OpenContest(LoadedContest):
    """A contest that this process runs.

    Attributes:
        changed: Is notified after each change of the state.
        renamed: Is called with the lock held when entrants have got other names, with the new names by the old ones.
        handed_in: Stored bots that wait for their check, by their hash, so that the check does not read them again. A
            restart forgets them.
    """

    def __init__(self, path: Path, config: ContestConfig, game: GameSpec, journal: ContestJournal) -> None:
        super().__init__(journal.folder, config, game, journal.history)
        self.path = path
        self.changed = threading.Condition(self.lock)
        self.handed_in: dict[str, Bot] = {}
        self.renamed: Callable[[Mapping[str, str]], None] = lambda _names: None
        self._journal = journal

    def write(self, *written: Written, erased: Sequence[int] = ()) -> None:
        """Write entries in one transaction.

        If the process is killed after the return, no entry is lost.

        Args:
            erased: The numbers of the entries that lose their documents in the same transaction.
        """
        with self.lock:
            self._journal.append(*written, erased=erased)
            before = self.state
            if self._journal.history is not before:
                self.take(self._journal.history)
                self.renamed({name: self.state.ids[entrant.id] for name, entrant in before.entrants.items()})
            self._publish()
            self._journal.back_up()
            self.changed.notify_all()

    def texts(self) -> Iterator[tuple[int, str, Any]]:
        """Yield number, key and value of each text that was not erased."""
        with self.lock:
            yield from self._journal.texts()

    def scrub(self) -> None:
        """Remove erased texts from all free pages of the journal, and from its backups."""
        with self.lock:
            self._journal.scrub()

    def commit(self, spec: MatchSpec, result: MatchResult) -> bool:
        """Record a result, with its replay. Only the first result of a match counts: return whether this was it."""
        with self.lock:
            is_first = self._journal.commit(spec, result)
            self._publish()
            self.changed.notify_all()
            return is_first

    def back_up(self) -> None:
        """Make a backup of the journal now, such as after a change that a rebuild could not find in the replays."""
        with self.lock:
            self._journal.back_up(final=True)


def new_work_folder(folder: Path) -> Path:
    """Return a new folder for temporary files, on the disk of the contest. The caller removes it."""
    work = folder / WORK
    with disk_errors(work):
        work.mkdir(exist_ok=True)
        return Path(tempfile.mkdtemp(dir=work))


@contextlib.contextmanager
def open_contest(path: Path, *, isolated: bool = False) -> Iterator[OpenContest]:
    """Open a contest in the only process that may write to it.

    Args:
        isolated: Whether the machine must provide the isolation that the configuration requires.
    """
    config, game = read_config_file(path)
    if isolated and probe().level < config.least_isolation:
        raise ArenaError(
            f"This machine isolates bots at the level {KEYS[probe().level]}, and {path.name} requires "
            f"{config.isolation}.",
            hint="Run `arena doctor`. It shows what is missing.",
            exit_code=ExitCode.NO_ISOLATION,
        )
    folder = folder_of(path.resolve())
    if folder.exists() and not folder.is_dir():
        raise ArenaError(f"{folder} exists and is not a folder, but the folder of the contest must have this name.")
    with disk_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
        make_private(folder)
    with (
        private_files(),
        contextlib.closing(FolderLock(folder)),
        contextlib.closing(ContestJournal(folder)) as journal,
    ):
        sweep(folder)
        shutil.rmtree(folder / WORK, ignore_errors=True)
        empty_scratch(folder)
        contest = OpenContest(path, config, game, journal)
        _begin(contest)
        yield contest
        empty_scratch(folder, gone=True)
        with contest.lock:  # a thread may still write its last entry
            journal.back_up(final=True)


def _begin(contest: OpenContest) -> None:
    """Write the first entry of a new contest, and refuse a changed game or seed."""
    if contest.state.start is None:
        contest.write(("", first_entry(contest.config)))
    refuse_other(contest)


def refuse_other(contest: LoadedContest) -> None:
    """Refuse a file with another game, id or seed than those of the contest."""
    config, state, defect = contest.config, contest.state, ""
    if state.start is None:
        return
    if state.start.game != config.game:
        defect = f"plays {state.start.game}, not {config.game}"
    elif config.id and config.id != state.id:
        defect = "cannot change its id"
    elif config.visible.anonymous and not (state.config or config).visible.anonymous and any(state.teams):
        defect = "cannot make teams anonymous whose names are known"
    elif config.seed and new_secret(config.seed) != state.secret:
        defect = "cannot change its seed"
    if defect:
        raise ArenaError(
            f"The contest in {contest.folder} {defect}.",
            hint="Undo the change in the file, or start another contest with another file.",
            exit_code=ExitCode.CHANGED,
        )


def read_contest(folder: Path) -> Contest:
    """Read a contest without changing it. Another process can run it at the same time."""
    state = _read(folder)
    if state.config is None:
        raise ArenaError(f"The contest in {folder} has not been started.")
    return state


def load_contest(path: Path) -> LoadedContest:
    """Read the file of a contest, and its journal if there is one, without changing them."""
    config, game = read_config_file(path)
    folder = folder_of(path.resolve())
    contest = LoadedContest(folder, config, game, _read(folder) if has_traces(folder) else Contest(folder / FILE))
    refuse_other(contest)
    return contest


def _read(folder: Path) -> Contest:
    with contextlib.closing(ContestJournal(folder, read_only=True)) as journal:
        return journal.read()
