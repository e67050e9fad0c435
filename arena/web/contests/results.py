"""What pages show of the stages: computed from copies, at most twice a second, and published as a value."""

from __future__ import annotations

import copy
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from arena.contests.opening import KnownContest
from arena.contests.released import Released, released
from arena.contests.report.data import tables_of
from arena.contests.report.documents import standings_document
from arena.contests.report.form import Course
from arena.contests.report.shown import Shown
from arena.contests.report.tables import Table
from arena.contests.report.titles import Titles
from arena.contests.state import Contest

_EVERY = 0.5


@dataclass(frozen=True)
class Results:
    """What a reader sees of a contest. All that follows from it is computed once, when it is needed."""

    shown: Shown

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


def _kept(known: Results) -> tuple[int | None, int]:
    return known.shown.released.limit, known.shown.state.generation


class Publisher:
    """Publishes the results that readers can see. No reader waits for a lock that is held while the journal writes."""

    def __init__(self, contest: KnownContest) -> None:
        self._contest = contest
        self._kept: dict[bool, Results] = {}
        self._until = 0.0
        self._making = threading.Lock()

    def results(self, *, everything: bool) -> Results:
        """Return the newest results for everybody, or with `everything` for organizers.

        An act of an organizer is in them at once, other changes half a second later. While they are computed, others
        get the results from before.
        """
        state = self._contest.snapshot.state
        limit = released(state, everything=everything).limit
        known = self._kept.get(limit is None)
        if known is None or _kept(known) != (limit, state.generation):
            with self._making:
                return self._make(state, limit)
        is_new = limit is not None or known.shown.state.number == state.number or time.monotonic() < self._until
        if not is_new and self._making.acquire(blocking=False):
            try:
                known = self._make(state, limit)
            finally:
                self._making.release()
        return known

    def _make(self, state: Contest, limit: int | None) -> Results:
        known = self._kept.get(limit is None)
        if known and (known.shown.released.limit, known.shown.state.number) == (limit, state.number):
            return known  # another reader has waited for the same
        begun = time.monotonic()
        snapshot = self._contest.snapshot
        if limit is None and self._contest.lock.acquire(blocking=False):
            try:
                snapshot = self._contest.snapshot
                stages = {name: run.until_now() for name, run in self._contest.state.stages.items()}
            finally:
                self._contest.lock.release()
        else:
            stages = snapshot.state.stages_until(len(snapshot.state.played) if limit is None else limit)
        state = copy.copy(snapshot.state)
        state.stages = stages
        everything = limit is None
        made = Results(Shown(state, stages, Released(limit), snapshot.table(everything=everything)))
        _ = made.titles, made.course
        end = time.monotonic()
        self._until = end + max(_EVERY, end - begun)
        self._kept[limit is None] = made
        return made
