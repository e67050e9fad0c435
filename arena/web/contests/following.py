"""Read new entries of a tournament's journal, and store the data that the pages show."""

import contextlib
import json
import threading
from collections.abc import Callable, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from arena.analysis.deciding import Decision, known_decision
from arena.errors import ArenaError
from arena.journal.files import is_locked
from arena.journal.store import FILE, permanent
from arena.match.result import MatchResult
from arena.match.spec import MatchSpec
from arena.matches.data import Table
from arena.tournament.plan.config import Tournament
from arena.tournament.plan.legs import in_order, legs_of
from arena.tournament.plan.schedule import Schedule
from arena.contests.report.data import tournament_tables
from arena.contests.report.documents import (
    match_document,
    standings_document,
    statistics_document,
    tournament_document,
)
from arena.contests.report.drawings import Link
from arena.contests.report.form import Course
from arena.contests.report.titles import Titles
from arena.tournament.run.history import History
from arena.tournament.run.journal import Journal
from arena.tournament.run.organizer import Snapshot, read_snapshot
from arena.tournament.run.status import STATUS
from arena.web.public_replays import is_withheld
from arena.web.contests.fragments import bot_address, fragments, match_address, progress, still_address
from arena_replays import ReplayError

_RECENT = 20
Versus = Callable[[str, str], str]
Neighbour = tuple[str, str]
"""The id and the title of a match."""


class Spectator:
    """The state of a tournament at the last refresh. All methods are thread-safe.

    Args:
        match: Returns the address of a match's page for the match's id.
        bot: Returns the address of a bot's page for the bot's name.
        versus: Returns the address of the page of all matches of two bots; None if there is no such page.
    """

    def __init__(
        self, folder: Path, match: Link = match_address, bot: Link = bot_address, versus: Versus | None = None
    ) -> None:
        self.folder = folder
        self._versus = versus
        self._links = match, bot
        self.version = 0
        self.document: dict[str, Any] = {}
        self.fragments: dict[str, str] = {}
        """The sections of the page. Reading them does not wait for a refresh."""
        self._lock = threading.Lock()
        self._history = History(folder / FILE)
        self._matches: dict[str, tuple[MatchSpec, MatchResult]] = {}
        self._schedule: Schedule | None = None
        self._tournament: Tournament | None = None
        self._snapshot: Snapshot | None = None
        self._last: dict[str, Any] | None = None
        self._making = threading.Lock()
        self._tables: tuple[int, Sequence[Table]] = (0, ())
        self.course = Course()
        self.titles = Titles({"stages": []})

    @property
    def tournament(self) -> Tournament:
        assert self._tournament is not None, "refresh comes first"
        return self._tournament

    @property
    def has_begun(self) -> bool:
        return self._tournament is not None

    def refresh(self) -> None:
        with self._lock, permanent(self._history):
            before, configs = self._history.number, len(self._history.configs)
            with contextlib.closing(Journal(self.folder, read_only=True)) as journal:
                journal.read(self._history)
            if not self._history.configs:
                raise ArenaError(f"The tournament in {self.folder} has not been started.")
            if self._history.number == before:
                return
            self._tournament = self._history.tournament
            if len(self._history.configs) != configs:
                self._schedule = Schedule(self._tournament, self._history.past)
                self._matches.clear()
                self.course = Course()
            assert self._schedule is not None
            for slot in islice(self._history.results, len(self._matches), None):
                spec, result = self._history.specs[slot], self._history.results[slot]
                self._matches[spec.match_id] = (spec, result)
                self._schedule.record(spec, result)
                self.course.record(spec, result)
            self._snapshot = Snapshot(
                self.tournament, self._schedule, self._history.voids, (), tuple(self._history.excluded.values())
            )
            recent = [match_document(*played) for played in islice(reversed(self._matches.values()), _RECENT)]
            document = standings_document(self._snapshot)
            self.titles = Titles(document)
            self.fragments = fragments(
                document, recent, self.course, *self._links, self._versus, still_address if self._versus else None
            )
            self.document = document
            self._last = self._newest()
            self.version += 1

    def state(self, known: str, not_begun: str, *, may_watch: bool = True) -> dict[str, Any]:
        """Return the running matches, and the content of the page if it has changed since the browser's version.

        Args:
            known: The browser's version.
            not_begun: What the page says before the tournament begins.
            may_watch: Whether the page may show the boards of running matches.
        """
        if not self.has_begun:
            return {"version": "", "fragments": {"sub": not_begun}, "running": []}
        running = self.running()
        version = self._version(running)
        fresh = {} if known == version else self.fragments | progress(self.document, running)
        shown = [
            {**one, "board": may_watch and self._has_board(one["replay"]), "title": self.titles.of(one, one["names"])}
            for one in running
        ]
        last = None if running or not may_watch else self._last
        return {"version": version, "fragments": fresh, "running": shown, "last": last}

    def is_current(self, known: str) -> bool:
        """Return whether `state` gives this version now."""
        return self.has_begun and known == self._version(self.running())

    def _version(self, running: Sequence[Any]) -> str:
        return f"{self.version}-{bool(running)}"

    def _newest(self) -> dict[str, Any] | None:
        """Return the newest match if everybody can watch it, for the big screen."""
        spec, result = next(reversed(self._matches.values()), (None, None))
        if spec is None or result is None or not result.replay or not self._has_board(result.replay):
            return None
        return {"match_id": spec.match_id, "title": self._titled(spec)[1], "board": True}

    def _has_board(self, replay: str) -> bool:
        with contextlib.suppress(OSError, ReplayError):
            return not is_withheld(self.folder / replay)
        return False  # the match has not begun

    def tables(self) -> Sequence[Table]:
        """Return all tables for programs. They are made once for each state of the tournament.

        The journal is read once more for them: a refresh, and all other requests, do not wait for the tables.
        """
        with self._making:
            version = self.version
            if self.has_begun and self._tables[0] != version:
                snapshot = read_snapshot(self.folder)
                found = tournament_tables(snapshot, tournament_document(snapshot, games=False))
                self._tables = version, list(found)
            return self._tables[1]

    def statistics(self) -> dict[str, Any]:
        with self._lock:
            assert self._snapshot is not None, "refresh comes first"
            return statistics_document(self._snapshot)

    def match(self, match_id: str) -> tuple[MatchSpec, MatchResult] | None:
        return self._matches.get(match_id)

    def neighbours(self, match_id: str) -> tuple[str, Neighbour | None, Neighbour | None]:
        """Return the title of a match, and the matches before and after it; as neighbours, legs count as one match."""
        with self._lock:
            found = [played for played in self._matches.values() if played[1].replay]
        games = in_order(found, self.tournament.config)
        at = next((at for at, game in enumerate(games) if any(spec.match_id == match_id for spec, _ in game)), None)
        if at is None:
            return "", None, None
        beside = [self._titled(games[one][0][0]) if 0 <= one < len(games) else None for one in (at - 1, at + 1)]
        return self.titles.place(games[at][0][0].to_document()), beside[0], beside[1]

    def _titled(self, spec: MatchSpec) -> Neighbour:
        return spec.match_id, self.titles.of(spec.to_document(), spec.names)

    def title(self, match_id: str) -> str:
        """Return the name of a finished match."""
        found = self._matches.get(match_id)
        return self._titled(found[0])[1] if found else match_id

    def is_over(self, match_id: str) -> bool:
        with self._lock:
            found = self._matches.get(match_id)
            return found is not None and self._schedule is not None and self._schedule.seed_is_spent(found[0])

    def legs(self, match_id: str) -> list[str]:
        """Return the ids of all finished legs with a replay that belong to the same match as this leg, in order.

        If this leg is not finished or has no replay, return only its id.
        """
        with self._lock:
            found = legs_of(match_id, self._matches.values(), self.tournament.config.legs)
        return [spec.match_id for spec, _ in found] or [match_id]

    def of_bot(self, name: str) -> list[tuple[MatchSpec, MatchResult]]:
        """Return all finished matches of a bot, in order of their ends."""
        with self._lock:
            return [played for played in self._matches.values() if name in played[0].names]

    def decision(self, spec: MatchSpec, result: MatchResult, names: set[str]) -> Decision | None:
        """Return what decided a finished match between two of its players, if its files say so and may be shown."""
        replay = self.folder / result.replay
        seats = tuple(seat for seat, name in enumerate(spec.names) if name in names)
        with contextlib.suppress(OSError, ReplayError):
            if result.replay and result.has_verdict and not is_withheld(replay, over=self.is_over(spec.match_id)):
                return known_decision(replay, seats)
        return None

    def running(self) -> list[dict[str, Any]]:
        """Return the running matches: id, stage, round, names, and the growing replay."""
        try:
            status = json.loads((self.folder / STATUS).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return []
        if not is_locked(self.folder):
            return []
        return [one for one in status["running"] if one["match_id"] not in self._matches]
