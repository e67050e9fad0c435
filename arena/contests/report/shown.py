"""What a reader may see of a contest: its stages, its ladder and its results, without those that are held back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Self

from arena.contests.board import Board, LadderRow
from arena.contests.deciding import is_over
from arena.contests.released import Released, held_encounters, released
from arena.contests.stages.stage import StageRun
from arena.contests.state import Contest
from arena.contests.values import KINDS, Played
from arena.match.result import MatchResult
from arena.match.spec import MatchSpec

Match = tuple[MatchSpec, MatchResult]


@dataclass(frozen=True)
class Shown:
    """A contest as one reader sees it. All documents and tables are made of it.

    If the state changes meanwhile, give a copy (see `Contest.until_now`) and its stages.

    Attributes:
        stages: The stages that have begun, with the results that the reader sees.
        ladder: The table of the ladder; empty without one.
        everything: Whether the reader is an organizer, who also sees challenges and the matches of reports.
    """

    state: Contest
    stages: Mapping[str, StageRun]
    released: Released
    ladder: list[LadderRow] = field(default_factory=list)
    everything: bool = False

    @classmethod
    def of(cls, state: Contest, *, everything: bool = False) -> Self:
        """Return what everybody may see; with `everything`, what an organizer sees."""
        visible = released(state, everything=everything)
        board = Board(state)
        board.advance(visible.limit)
        has_ladder = state.settings.ladder is not None
        return cls(state, state.stages_until(visible.limit), visible, board.table() if has_ladder else [], everything)

    @property
    def finished(self) -> bool:
        """Whether all stages are over, as far as the reader may know."""
        limit = self.released.limit
        return (limit is None or limit >= len(self.state.played)) and is_over(self.state)

    @cached_property
    def results(self) -> list[Played]:
        """All matches that the reader sees, in the order in which they ended."""
        played = self.state.played.values()
        return [one for one in played if self.released.shows(one) and (self.everything or one.is_public)]

    @cached_property
    def of_stages(self) -> list[Match]:
        """The matches of the stages, in schedule order, with the results that count."""
        return [match for run in self.stages.values() for match in run.matches()]

    @cached_property
    def of_ladder(self) -> list[Match]:
        """The matches of the ladder in the order in which they ended, with the results that count."""
        return [
            (one.spec, self.state.orders.of(one.id, one.result)) for one in self.results if one.is_rated and one.result
        ]

    def matches(self) -> list[Match]:
        return [*self.of_stages, *self.of_ladder]

    def uncounted(self) -> list[MatchSpec]:
        """Return the matches that were played, and are decided by a suspension instead."""
        return [spec for run in self.stages.values() for spec in run.uncounted()]

    @property
    def suspended(self) -> dict[str, str]:
        """Why entrants are suspended, by name."""
        return {name: reason for run in self.stages.values() for name, reason in run.suspended.items()}

    def final_order(self) -> list[str]:
        """Return all entrants who have had a bot that plays, best first.

        Entrants of a later stage come before those who only played earlier stages; the ladder comes before all stages.
        """
        order: dict[str, None] = {}
        for run in reversed([*self.stages.values()]):
            order |= dict.fromkeys(row.name for row in run.rank())
        order |= dict.fromkeys(row.team for row in self.ladder if not row.is_anchor)
        state = self.state
        others = [name for name in state.contenders() if state.last_activated(name)]
        return list(order | dict.fromkeys(others))

    @cached_property
    def _held(self) -> frozenset[tuple[str, int]]:
        return held_encounters(self.state, self.released)

    def seed_is_spent(self, spec: MatchSpec) -> bool:
        """Return whether the reader knows all matches with the seed of this match, so that it is no secret.

        A stage that does not count could count again.
        """
        if spec.stage in KINDS:
            return spec.round not in self.state.open and (spec.stage, spec.round) not in self._held
        run = self.stages.get(spec.stage)
        return run is not None and run.seed_is_spent(spec)

    def is_over(self, run: StageRun) -> bool:
        return self.state.is_over(run)
