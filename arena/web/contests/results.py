"""What pages show of the stages: computed from copies, at most twice a second, and published as a value."""

from __future__ import annotations

import copy
import threading
import time
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

from arena.contests.open_contest import LoadedContest, Snapshot
from arena.contests.report.columns import PublishedTable
from arena.contests.report.history import ContestHistory
from arena.contests.report.rows import tables_of
from arena.contests.report.visible_contest import VisibleContest
from arena.contests.stages.stage import StageRun
from arena.contests.state import Contest
from arena.contests.visibility import Visibility, visibility_of

_EVERY = 0.5
"""Seconds after which results are computed again, or as long as it took the last time: so at most half of a processor
computes them. Chosen, not measured: nobody notices half a second."""
_QUICK = 0.1
"""If it takes longer to compute results, this is done in a thread of its own: a visitor does not notice a tenth."""


class Results(VisibleContest):
    """What a reader sees of a contest. All that follows from it is computed once, when it is needed."""

    def has_acts_of(self, state: Contest, visible: Visibility) -> bool:
        """Return whether these are results after the same acts that count for them."""
        return (self.visibility, self.state.generation) == (visible, state.generation)

    @cached_property
    def tables(self) -> Mapping[str, PublishedTable]:
        """The tables for programs, by name."""
        return {table.kind.name: table for table in tables_of(self)}

    @cached_property
    def _of_entrants(self) -> dict[str, dict[str, Any]]:
        return {}

    def of_entrant(self, name: str, compute: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        """Return what follows from all matches of an entrant, which can be thousands."""
        if name not in self._of_entrants:
            self._of_entrants[name] = compute()
        return self._of_entrants[name]


class Publisher:
    """Publishes the results that readers can see. No reader waits for a lock that is held while the journal writes."""

    def __init__(self, contest: LoadedContest) -> None:
        self._contest = contest
        self._kept: dict[bool, Results] = {}
        self._making = threading.Lock()
        self._until = self._seconds = 0.0
        self._generation = -1
        self._course = ContestHistory()
        self._recorded: dict[str, int] = {}

    def results(self, *, everything: bool) -> Results:
        """Return the newest results for everybody, or with `everything` for organizers.

        An act that changes what counts is in them at once. Other changes come half a second later, or later if the
        results are so many that it takes long to compute them. Nobody waits for that.
        """
        state, results = self._contest.snapshot.state, self._kept.get(everything)
        visible = visibility_of(state, everything=everything)
        if results is None or not results.has_acts_of(state, visible):
            return self._after_act(everything, state, visible)
        # While results are held back, a new page would show that a match has ended.
        has_new_results = visible.everything and results.state.number != state.number
        is_old = has_new_results or results.state.revision != state.revision
        if is_old and time.monotonic() >= self._until and self._making.acquire(blocking=False):
            if self._seconds < _QUICK:
                return self._renew(everything)
            threading.Thread(target=self._renew, args=(everything,), name="results", daemon=True).start()
        return results

    def _after_act(self, everything: bool, state: Contest, visible: Visibility) -> Results:
        """Return results that have the acts of a state. All who need them wait for one computation."""
        with self._making:
            results = self._kept.get(everything)
            if results is not None and results.has_acts_of(state, visible):  # another reader has waited for them
                return results
            return self._make(everything)

    def _renew(self, everything: bool) -> Results:
        try:
            return self._make(everything)
        finally:
            self._making.release()

    def _make(self, everything: bool) -> Results:
        begun = time.monotonic()
        snapshot, visible, stages = self._read(everything)
        state = copy.copy(snapshot.state)
        state.stages, state.config = stages, state.config or self._contest.config  # it may not have begun
        ladder = snapshot.table(everything=everything) if state.settings.ladder else []
        course = self._course_of(state, stages, visible)
        results = Results(state, stages, visible, ladder, everything, course)
        _ = results.titles, results.ratings, results.final_order()  # nobody who reads shall wait for them
        self._seconds = time.monotonic() - begun
        self._until = time.monotonic() + max(_EVERY, self._seconds)
        self._kept[everything] = results
        return results

    def _course_of(self, state: Contest, stages: dict[str, StageRun], visible: Visibility) -> ContestHistory:
        """Return the course of all matches of stages. Only the new ones are added to the one before."""
        if not visible.everything:
            return ContestHistory.of(match for run in stages.values() for match in run.matches())
        if self._generation != state.generation:
            self._generation, self._course, self._recorded = state.generation, ContestHistory(), {}
        for name, run in stages.items():
            matches = run.matches()
            for spec, result in matches[self._recorded.get(name, 0) :]:
                self._course.record(spec, result)
            self._recorded[name] = len(matches)
        return self._course.until_now()

    def _read(self, everything: bool) -> tuple[Snapshot, Visibility, dict[str, StageRun]]:
        """Return the newest snapshot, who sees what, and the stages: copies of those there are, or computed again."""
        if self._contest.lock.acquire(blocking=False):
            try:
                snapshot = self._contest.snapshot
                visible = visibility_of(snapshot.state, everything=everything)
                if visible.everything:
                    return (
                        snapshot,
                        visible,
                        {name: run.until_now() for name, run in self._contest.state.stages.items()},
                    )
            finally:
                self._contest.lock.release()
        snapshot = self._contest.snapshot
        visible = visibility_of(snapshot.state, everything=everything)
        return snapshot, visible, snapshot.state.stages_with(visible.shows)
