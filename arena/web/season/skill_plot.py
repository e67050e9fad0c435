"""Where everything is in the picture of the ratings. The macro `skills` in ``parts/drawings.html`` draws it."""

from collections.abc import Sequence
from dataclasses import dataclass

from arena.season.board import LadderRow

MOST = 12
_LEFT, _WIDTH, _LINE = 180.0, 440.0, 24.0


@dataclass(frozen=True, slots=True)
class PlottedSkill:
    """A team with the places of its rating and its skill, from which the rating is three uncertainties away."""

    row: LadderRow
    y: float
    rating_x: float
    skill_x: float


@dataclass(frozen=True, slots=True)
class SkillPlot:
    """The picture. The words "rating" and "skill" are at the ends of the widest line."""

    width: float
    height: float
    left: float
    rows: Sequence[PlottedSkill]
    widest: PlottedSkill


def skill_plot(table: Sequence[LadderRow]) -> SkillPlot | None:
    """Return the picture of the first rows of a table; None if the table is empty."""
    rows = table[:MOST]
    if not rows:
        return None
    low, high = min(row.rating for row in rows), max(row.skill for row in rows)
    span = max(high - low, 1.0)

    def place(value: float) -> float:
        return _LEFT + 60 + _WIDTH * (value - low) / span

    plotted = [
        PlottedSkill(row, _LINE * number + 18, place(row.rating), place(row.skill)) for number, row in enumerate(rows)
    ]
    widest = max(plotted, key=lambda one: one.skill_x - one.rating_x)
    return SkillPlot(_LEFT + _WIDTH + 110, _LINE * len(rows) + 14, _LEFT, plotted, widest)
