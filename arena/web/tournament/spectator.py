"""Follow a tournament's journal, whoever writes it, and keep what the pages show."""

import contextlib
import json
import threading
from pathlib import Path
from typing import Any

from arena.match.result import MatchResult
from arena.tournament.plan.config import Tournament
from arena.tournament.plan.legs import legs_of
from arena.tournament.plan.schedule import Schedule
from arena.tournament.plan.values import MatchSpec
from arena.tournament.report.documents import match_document, standings_document, statistics_document
from arena.tournament.run.journal.files import is_locked
from arena.tournament.run.journal.store import Journal
from arena.tournament.run.organizer import Snapshot, tournament_from_journal
from arena.tournament.run.status import STATUS


class Spectator:
    """The tournament as far as it has been read. All methods may be called from several threads.

    Args:
        folder: The tournament's folder.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.version = 0
        self.document: dict[str, Any] = {}
        self.statistics: dict[str, Any] = {}
        self._lock = threading.Lock()
        self._config = 0
        self._row = 0
        self._matches: dict[str, tuple[MatchSpec, MatchResult]] = {}
        self._order: list[str] = []
        self._schedule: Schedule | None = None
        self._tournament: Tournament | None = None

    @property
    def tournament(self) -> Tournament:
        """The tournament as it is configured now."""
        assert self._tournament is not None, "refresh comes first"
        return self._tournament

    def refresh(self) -> None:
        """Read the new rows of the journal.

        Raises:
            ArenaError: There is no tournament, or its journal cannot be read.
        """
        with self._lock, contextlib.closing(Journal(self.folder, read_only=True)) as journal:
            changed = self._read_config(journal)
            assert self._schedule is not None
            for row, spec, result in journal.matches_after(self._row):
                self._row = row
                self._matches[spec.match_id] = (spec, result)
                self._order.append(spec.match_id)
                self._schedule.record(spec, result)
                changed = True
            if changed:
                snapshot = Snapshot(self.tournament, self._schedule, journal.voids(), ())
                self.document = standings_document(snapshot)
                self.statistics = statistics_document(snapshot)
                self.version += 1

    def _read_config(self, journal: Journal) -> bool:
        version, _ = journal.configuration()
        if version == self._config:
            return False
        self._config = version
        self._tournament = tournament_from_journal(journal)
        self._schedule = Schedule(self._tournament)
        for spec, result in self._matches.values():
            self._schedule.record(spec, result)
        return True

    def match(self, match_id: str) -> tuple[MatchSpec, MatchResult] | None:
        """Return a match that is over, or None."""
        return self._matches.get(match_id)

    def legs(self, match_id: str) -> list[str]:
        """Return the matches that count as one with this one, in order, as far as they are over; or it alone."""
        with self._lock:
            found = legs_of(match_id, self._matches.values(), self.tournament.config.legs)
        return [spec.match_id for spec, _ in found] or [match_id]

    def recent(self, count: int) -> list[dict[str, Any]]:
        """Return the last matches, the newest first."""
        with self._lock:
            return [match_document(*self._matches[match_id]) for match_id in self._order[: -count - 1 : -1]]

    def of_bot(self, name: str) -> list[tuple[MatchSpec, MatchResult]]:
        """Return all matches of a bot, in order of their ends."""
        with self._lock:
            return [self._matches[one] for one in self._order if name in self._matches[one][0].names]

    def running(self) -> list[dict[str, Any]]:
        """Return the matches that are being played: id, stage, round, names, and the replay that is being written."""
        try:
            status = json.loads((self.folder / STATUS).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return []
        if not is_locked(self.folder):
            return []
        return [one for one in status["running"] if one["match_id"] not in self._matches]
