"""How each bot of a tournament is doing: its last results, its skill over time, and its move in the standings."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from arena.match.result import MatchResult
from arena.match.spec import MatchSpec
from arena.ratings.skill import MU, Skill, updated

_LAST: Final = 5
_POINTS: Final = 24
"""The most points of a line of skills: more are not visible in a small picture."""


@dataclass(slots=True)
class BotForm:
    """The course of one bot.

    Attributes:
        last: ``W``, ``D`` or ``L`` for each of the last results, newest last.
        history: The skill at the start and after each match that counts.
    """

    skill: Skill = field(default_factory=Skill)
    last: deque[str] = field(default_factory=lambda: deque(maxlen=_LAST))
    history: list[float] = field(default_factory=lambda: [MU])
    won: int = 0
    drawn: int = 0
    lost: int = 0

    @property
    def remark(self) -> str:
        """What to say in the place of a rating that results of one kind alone cannot bound; "" for most bots."""
        if self.won + self.drawn + self.lost == 0:
            return "no match yet"
        if not self.lost and not self.drawn:
            return "not lost yet"
        return "not won yet" if not self.won and not self.drawn else ""

    def points(self) -> list[float]:
        """Return the skill over time, thinned out for a small picture."""
        count = len(self.history)
        if count <= _POINTS:
            return list(self.history)
        return [self.history[round(at * (count - 1) / (_POINTS - 1))] for at in range(_POINTS)]


class Course:
    """The course of all bots. Matches are recorded in the order in which they ended."""

    def __init__(self) -> None:
        self.bots: dict[str, BotForm] = {}

    @classmethod
    def of(cls, played: Iterable[tuple[MatchSpec, MatchResult]]) -> Course:
        course = cls()
        for spec, result in played:
            course.record(spec, result)
        return course

    def record(self, spec: MatchSpec, result: MatchResult) -> None:
        """Take a match into account, unless it was void or was played together."""
        if not result.has_verdict or result.outcome.common is not None:
            return
        forms = [self.bots.setdefault(name, BotForm()) for name in spec.names]
        points = [result.points(seat) for seat in range(len(spec.names))]
        after = updated([form.skill for form in forms], points, result.outcome.teams)
        best, least = max(points), min(points)
        for form, skill, own in zip(forms, after, points, strict=True):
            form.skill = skill
            form.history.append(skill.mu)
            kind = "D" if best == least else "W" if own == best else "L"
            form.last.append(kind)
            form.won += kind == "W"
            form.drawn += kind == "D"
            form.lost += kind == "L"


def movement(stage: Mapping[str, Any]) -> dict[str, int]:
    """Return by how many places each entrant of a stage rose in the last round that is decided; empty before a second.

    The places before the round follow from the points alone, so equal points share a place.
    """
    decided = [one for one in stage["encounters"] if one.get("points") is not None and not one["column"]]
    rounds = sorted({one["round"] for one in decided})
    if len(rounds) < 2:
        return {}
    before, after = ({row["name"]: 0.0 for row in stage["standings"]} for _ in range(2))
    for encounter in decided:
        for name, points in zip(encounter["players"], encounter["points"], strict=True):
            after[name] = after.get(name, 0.0) + points
            if encounter["round"] != rounds[-1]:
                before[name] = before.get(name, 0.0) + points
    old, new = _places(before), _places(after)
    return {name: old[name] - new[name] for name in after if old[name] != new[name]}


def _places(points: Mapping[str, float]) -> dict[str, int]:
    """Return the place of each name: one more than the number of names with more points."""
    ordered = sorted(points.values(), reverse=True)
    first = {value: place for place, value in reversed(list(enumerate(ordered, 1)))}
    return {name: first[value] for name, value in points.items()}
