"""What pages show of the stages: computed from copies, at most twice a second, and published as a value."""

from __future__ import annotations

import copy
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from arena.contests.opening import KnownContest, Snapshot
from arena.contests.released import Released, released
from arena.contests.report.data import tables_of
from arena.contests.report.documents import standings_document
from arena.contests.report.form import Course
from arena.contests.report.shown import Shown
from arena.contests.report.tables import Table
from arena.contests.report.titles import Titles
from arena.contests.stages.stage import StageRun
from arena.contests.state import Contest

_EVERY = 0.5


@dataclass(frozen=True)
class Results:
    """What a reader sees of a contest. All that follows from it is computed once, when it is needed."""

    shown: Shown

    def has_acts_of(self, state: Contest, limit: int | None) -> bool:
        """Return whether these are results after the same acts that count for them."""
        return (self.shown.released.limit, self.shown.state.generation) == (limit, state.generation)

    @cached_property
    def document(self) -> dict[str, Any]:
        """The standings, encounters and ratings of all stages (see `arena.contests.report.documents`)."""
        return standings_document(self.shown)

    @cached_property
    def course(self) -> Course:
        return Course.of(self.shown.of_stages)

    @cached_property
    def titles(self) -> Titles:
        return Titles(self.document)

    @cached_property
    def uncounted(self) -> frozenset[str]:
        """The matches that are decided by a suspension instead."""
        return frozenset(spec.match_id for spec in self.shown.uncounted())

    @cached_property
    def tables(self) -> Mapping[str, Table]:
        """The tables for programs, by name."""
        return {table.kind.name: table for table in tables_of(self.shown)}


class Publisher:
    """Publishes the results that readers can see. No reader waits for a lock that is held while the journal writes."""

    def __init__(self, contest: KnownContest) -> None:
        self._contest = contest
        self._kept: dict[bool, Results] = {}
        self._until = {True: 0.0, False: 0.0}
        self._making = threading.Lock()

    def results(self, *, everything: bool) -> Results:
        """Return the newest results for everybody, or with `everything` for organizers.

        An act of an organizer is in them at once, other changes half a second later. While they are computed, others
        get the results from before.
        """
        state, known = self._contest.snapshot.state, self._kept.get(everything)
        limit = released(state, everything=everything).limit
        if known is None or not known.has_acts_of(state, limit):
            with self._making:
                known = self._kept.get(everything)
                is_made = known is not None and known.has_acts_of(state, limit)  # for another reader meanwhile
                return known if known is not None and is_made else self._make(everything)
        is_old = limit is None and known.shown.state.number != state.number
        if is_old and time.monotonic() >= self._until[everything] and self._making.acquire(blocking=False):
            try:
                return self._make(everything)
            finally:
                self._making.release()
        return known

    def _make(self, everything: bool) -> Results:
        begun = time.monotonic()
        snapshot, limit, stages = self._read(everything)
        state = copy.copy(snapshot.state)
        state.stages, state.config = stages, state.config or self._contest.config  # it may not have begun
        made = Results(Shown(state, stages, Released(limit), snapshot.table(everything=everything), everything))
        _ = made.titles, made.course
        end = time.monotonic()
        self._until[everything] = end + max(_EVERY, end - begun)
        self._kept[everything] = made
        return made

    def _read(self, everything: bool) -> tuple[Snapshot, int | None, dict[str, StageRun]]:
        """Return the newest snapshot, its limit, and its stages: copies of those that are there, or computed again."""
        if self._contest.lock.acquire(blocking=False):
            try:
                snapshot = self._contest.snapshot
                if released(snapshot.state, everything=everything).everything:
                    return snapshot, None, {name: run.until_now() for name, run in self._contest.state.stages.items()}
            finally:
                self._contest.lock.release()
        snapshot = self._contest.snapshot
        limit = released(snapshot.state, everything=everything).limit
        return snapshot, limit, snapshot.state.stages_until(len(snapshot.state.played) if limit is None else limit)
