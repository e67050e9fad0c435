"""How the bots of a contest are doing: results, skills, maps, seats and time; and their moves in the standings."""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from arena.contests.ratings.form import Form, result_letter
from arena.contests.ratings.skill import Skill, updated
from arena.contests.report.bot_statistics import BotStatistics
from arena.contests.stages.stage import StageRun
from arena.game import Outcome
from arena.game.outcome import FORFEIT
from arena.match.ending import ending_phrase, reason_in_words
from arena.match.result import MatchResult
from arena.match.spec import MatchSpec

Points = dict[tuple[str, str], tuple[float, int]]
"""The points and the number of matches of each bot on each map, or on each seat."""


class ContestHistory:
    """The course of a contest. Matches are recorded in the order in which they ended.

    Attributes:
        bots: The form of each bot that has played.
        maps: What each bot has reached on each map.
        seats: What each bot has reached on each seat, by the number of the seat from 1.
        scores: The sum of the scores of a bot against another one in matches of two, by stage, bot and opponent.
        endings: How matches ended, in words, and how often.
        statistics: The times of each bot, and the endings of its program.
    """

    def __init__(self) -> None:
        self.bots: dict[str, Form] = {}
        self.maps: Points = {}
        self.seats: Points = {}
        self.scores: dict[tuple[str, str, str], float] = {}
        self.endings: Counter[str] = Counter()
        self.statistics: dict[str, BotStatistics] = {}
        self._skills: dict[str, Skill] = {}

    @classmethod
    def of(cls, played: Iterable[tuple[MatchSpec, MatchResult]]) -> ContestHistory:
        course = cls()
        for spec, result in played:
            course.record(spec, result)
        return course

    def until_now(self) -> ContestHistory:
        """Return a copy that later matches do not change."""
        copied = copy.copy(self)
        copied.bots, copied.maps, copied.seats = {**self.bots}, {**self.maps}, {**self.seats}
        copied.scores, copied.endings = {**self.scores}, self.endings.copy()
        counts = self.statistics.items()
        copied.statistics = {name: replace(count, endings=count.endings.copy()) for name, count in counts}
        return copied

    def record(self, spec: MatchSpec, result: MatchResult) -> None:
        """Take a match into account. A match that is void or was played together only has an ending."""
        self.endings[how_it_ended(result)] += 1
        for name, player in zip(spec.names, result.players, strict=True):
            self.statistics.setdefault(name, BotStatistics()).add(spec.match_id, player, 0)
        if not result.has_verdict or result.outcome.common is not None:
            return
        if len(spec.names) == 2:
            for player, (name, opponent) in zip(result.players, (spec.names, spec.names[::-1]), strict=True):
                key = spec.stage, name, opponent
                self.scores[key] = self.scores.get(key, 0.0) + player.score
        points = [result.points(seat) for seat in range(len(spec.names))]
        # A skill without anchors and weights: it only draws the line of a bot, see `ladder.board` for ratings.
        skills = [self._skills.get(name, Skill()) for name in spec.names]
        after = updated(skills, points, result.outcome.teams)
        for seat, (name, skill, reached) in enumerate(zip(spec.names, after, points, strict=True), 1):
            self._skills[name] = skill
            self.bots[name] = self.bots.get(name, Form()).after(result_letter(reached, points), skill.mu)
            for table, column in ((self.maps, spec.map), (self.seats, str(seat))):
                before, matches = table.get((name, column), (0.0, 0))
                table[name, column] = before + reached, matches + 1


def how_it_ended(result: MatchResult) -> str:
    """Return how a match ended, in a few words."""
    if not result.has_verdict:
        return "void, does not count"
    if failed := sorted(ending_phrase(player.ending) for player in result.players if player.failed):
        return f"a program {failed[0]}"
    return decided_by(result.outcome, [player.score for player in result.players]) or "played to the end"


def decided_by(outcome: Outcome, scores: Sequence[float]) -> str:
    """Return what decided a match, in words; empty if its scores or a failure, which stands beside them, say it."""
    if not 0 < len(outcome.winners) < len(scores):
        return "draw"
    is_level = len(set(scores)) == 1 and outcome.reason != FORFEIT
    return reason_in_words(outcome.reason) if is_level else ""


def movement(run: StageRun) -> dict[str, int]:
    """Return by how many places each entrant of a stage rose in the last round; empty before a second round.

    While some have played the round and others have not, nobody has moved. The places before the round follow from the
    points alone, so equal points share a place.
    """
    of_rounds = [series for series in run.series if not series.encounter.column]
    decided = [series.result() for series in of_rounds if series.is_decided]
    rounds = sorted({result.encounter.round for result in decided})
    if len(rounds) < 2 or len(decided) < sum(series.encounter.round <= rounds[-1] for series in of_rounds):
        return {}
    before, after = (dict.fromkeys(run.names, 0.0) for _ in range(2))
    for result in decided:
        for name, points in zip(result.encounter.players, result.points, strict=True):
            after[name] = after.get(name, 0.0) + float(points)
            if result.encounter.round != rounds[-1]:
                before[name] = before.get(name, 0.0) + float(points)
    old, new = _places(before), _places(after)
    return {name: old[name] - new[name] for name in after if old[name] != new[name]}


def _places(points: Mapping[str, float]) -> dict[str, int]:
    """Return the place of each name: one more than the number of names with more points."""
    ordered = sorted(points.values(), reverse=True)
    first = {value: place for place, value in reversed(list(enumerate(ordered, 1)))}
    return {name: first[value] for name, value in points.items()}
