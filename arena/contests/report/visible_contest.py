"""What a reader may see of a contest: its stages, its ladder and its results, without those that are held back.

Everything that is slow is a cached property: a page that needs no ratings computes none. So a `VisibleContest` must be
of a state that does not change.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Self

from arena.contests.ladder.board import Board, LadderRow
from arena.contests.ratings.plackett_luce import plackett_luce, units
from arena.contests.report.history import ContestHistory
from arena.contests.report.titles import Titles, stage_title
from arena.contests.scheduler import is_over
from arena.contests.stages.series import Match
from arena.contests.stages.stage import StageRun
from arena.contests.stages.standings import Row
from arena.contests.state import Contest
from arena.contests.values import KINDS, Played
from arena.contests.visibility import Visibility, held_encounters, visibility_of
from arena.match.result import different_games
from arena.match.spec import MatchSpec
from arena.text.reading import rounded


@dataclass(frozen=True, slots=True)
class RatingRow:
    """One line of the ratings, in Elo points.

    Attributes:
        low: The lower end of the interval of 95 %.
        high: The upper end of it.
        superiority: The likelihood that the bot is really stronger than another one, by the other's name.
    """

    place: int
    name: str
    elo: float
    low: float
    high: float
    superiority: Mapping[str, float] = field(default_factory=dict)


def note_of(state: Contest, name: str) -> str:
    """Return what tables say of an entrant who plays for no prize."""
    return "" if state.wins_prizes(name) else "no prize"


@dataclass(frozen=True)
class VisibleContest:
    """A contest as one reader sees it. All pages and tables are made of it.

    If the state changes meanwhile, give a copy (see `Contest.until_now`) and its stages.

    Attributes:
        stages: The stages that have begun, with the results that the reader sees.
        ladder: The table of the ladder; empty without one.
        everything: Whether the reader is an organizer, who also sees challenges and the matches of reports.
        recorded: The course, if it is known already.
    """

    state: Contest
    stages: dict[str, StageRun]
    visibility: Visibility
    ladder: list[LadderRow] = field(default_factory=list)
    everything: bool = False
    recorded: ContestHistory | None = None

    @classmethod
    def of(cls, state: Contest, *, everything: bool = False) -> Self:
        """Return what everybody may see; with `everything`, what an organizer sees."""
        visible = visibility_of(state, everything=everything)
        board = Board(state)
        board.advance(visible.ladder_limit(state))
        has_ladder = state.settings.ladder is not None
        stages = state.stages if visible.everything else state.stages_with(visible.shows)
        return cls(state, stages, visible, board.table() if has_ladder else [], everything)

    @property
    def finished(self) -> bool:
        """Whether all stages are over, as far as the reader may know."""
        return all(map(self.visibility.shows, self.state.played.values())) and is_over(self.state)

    @cached_property
    def results(self) -> list[Played]:
        """All matches that the reader sees, in the order in which they ended."""
        played = self.state.played.values()
        return [match for match in played if self.visibility.shows(match) and (self.everything or match.is_public)]

    @cached_property
    def of_stages(self) -> list[Match]:
        """The matches of the stages, in schedule order, with the results that count."""
        return [match for run in self.stages.values() for match in run.matches()]

    @cached_property
    def counting(self) -> list[Match]:
        """The same matches as `results`, with the results that count."""
        counted = self.state.orders.counted
        return [(played.spec, counted(played.id, played.result)) for played in self.results if played.result]

    def matches(self) -> list[Match]:
        """Return the matches of the stages, and then those of the ladder in the order in which they ended."""
        pairs = zip(self.results, self.counting, strict=True)
        return [*self.of_stages, *(match for played, match in pairs if played.is_rated)]

    @cached_property
    def early(self) -> list[Match]:
        """The matches of the stages that were played, and count when earlier ones have a result."""
        return [match for run in self.stages.values() for match in run.early()]

    @cached_property
    def uncounted(self) -> list[str]:
        """The ids of the matches that were played, and are decided by a suspension instead."""
        return [spec.match_id for run in self.stages.values() for spec in run.uncounted()]

    @cached_property
    def course(self) -> ContestHistory:
        """How the bots are doing."""
        return self.recorded or ContestHistory.of(self.matches())

    @cached_property
    def different(self) -> list[Match]:
        """The games of stages, without those that only repeat another one."""
        return different_games(self.of_stages)

    @cached_property
    def ratings(self) -> list[RatingRow]:
        """The ratings of all who have played in a stage, the strongest one first."""
        independent = units(self.different)
        players = {name for unit in independent for name in unit.wins}
        fitted = plackett_luce([name for name in self.state.entrants if name in players], independent)
        names, elo = fitted.names, [rounded(rating, 2) for rating in fitted.elo]
        order = sorted(range(len(names)), key=lambda index: (-elo[index], index))
        rows = []
        for place, index in enumerate(order, 1):
            low, high = (rounded(end, 2) for end in fitted.interval(index))
            rivals = [rival for rival in order if rival != index]
            superiority = {names[rival]: round(fitted.superiority(index, rival), 4) for rival in rivals}
            rows.append(RatingRow(place, names[index], elo[index], low, high, superiority))
        return rows

    @cached_property
    def titles(self) -> Titles:
        """The names of the matches."""
        return Titles(self.stages.values())

    def title_of(self, run: StageRun) -> str:
        """Return the heading of a stage."""
        return stage_title(run.config, is_over=self.state.is_over(run))

    @property
    def suspended(self) -> dict[str, str]:
        """Why entrants are suspended, by name."""
        return {name: reason for run in self.stages.values() for name, reason in run.suspended.items()}

    def why(self, row: Row) -> str:
        """Return what decided a place in a stage. A disqualified entrant keeps the place."""
        out = "disqualified" if row.name in self.state.orders.disqualified else ""
        return "; ".join(filter(None, (row.explained, out, note_of(self.state, row.name))))

    @property
    def stages_of_all(self) -> list[StageRun]:
        """The stages that say who is best: they are not limited to a group, and no exhibitions."""
        return [run for run in self.stages.values() if not (run.config.only or run.config.exhibition)]

    def final_order(self) -> list[str]:
        """Return all entrants who have had a bot that plays, best first, and the disqualified ones at the end.

        Entrants of a later stage come before those who only played earlier stages; the ladder comes before all stages.
        The stage of a group says nothing about the others, so such stages come last.
        """
        of_groups = [run for run in self.stages.values() if run.config.only and not run.config.exhibition]
        order = dict.fromkeys(row.name for run in reversed(self.stages_of_all) for row in run.rank())
        order |= dict.fromkeys(row.team for row in self.ladder if not row.is_anchor)
        order |= dict.fromkeys(row.name for run in reversed(of_groups) for row in run.rank())
        state = self.state
        order |= dict.fromkeys(name for name in state.contenders() if state.last_activated(name))
        return sorted(order, key=state.orders.disqualified.__contains__)

    @cached_property
    def _held(self) -> frozenset[tuple[str, int]]:
        return held_encounters(self.state, self.visibility)

    def seed_is_spent(self, spec: MatchSpec) -> bool:
        """Return whether the reader knows all matches with the seed of this match, so that it is no secret.

        A stage that does not count could count again.
        """
        if spec.stage in KINDS:
            return spec.round not in self.state.matches_left and (spec.stage, spec.round) not in self._held
        run = self.stages.get(spec.stage)
        return run is not None and run.seed_is_spent(spec)
