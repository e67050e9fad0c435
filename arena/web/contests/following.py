"""Follow a contest that another process runs, or that has been played: read what is new in its journal."""

from __future__ import annotations

import contextlib
import threading
from pathlib import Path

from arena.contests.config_file import read_config_file
from arena.contests.contest_journal import ContestJournal
from arena.contests.journal.store import FILE, has_traces
from arena.contests.open_contest import LoadedContest
from arena.contests.state import Contest
from arena.contests.status_file import running_matches
from arena.errors import ArenaError
from arena.match.lookup import find_game
from arena.match.spec import MatchSpec

_EVERY = 0.5
"""Seconds between two looks at the journal. Results of a contest in this process are shown as late (`results`)."""


class Follower(LoadedContest):
    """A contest that this process only reads. Nobody can hand in or act on its pages.

    Before the contest has begun, its configuration is that of the file beside the folder.

    Attributes:
        running: The matches that are being played, and when each has begun.
    """

    def __init__(self, folder: Path) -> None:
        state, config = Contest(folder / FILE), None
        if has_traces(folder):
            state = _read(folder, state)
            config = state.config
        if config is None:
            config, game = read_config_file(folder.with_suffix(".toml"))
        else:
            game = find_game(config.game)
        super().__init__(folder, config, game, state)
        self.running: dict[str, tuple[MatchSpec, float]] = {}
        self._stopped = threading.Event()
        self._thread: threading.Thread | None = None

    def refresh(self) -> None:
        """Read the new entries of the journal, and what is being played."""
        if not has_traces(self.folder):
            return
        with self.lock:
            before = self.state.number
            self.take(_read(self.folder, self.state))
            if self.state.number != before:
                self.config = self.state.config or self.config
                self._publish()
            self.running = running_matches(self.folder, self.state)

    def start(self) -> None:
        """Follow the contest in a thread of its own, until `close`."""
        self._thread = threading.Thread(target=self._follow, name="following", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """End what `start` has begun."""
        self._stopped.set()
        if self._thread is not None:
            self._thread.join()

    def _follow(self) -> None:
        while not self._stopped.wait(_EVERY):
            with contextlib.suppress(ArenaError):  # if the journal cannot be read now, try again later
                self.refresh()


def _read(folder: Path, state: Contest) -> Contest:
    with contextlib.closing(ContestJournal(folder, read_only=True)) as journal:
        return journal.read(state)
