"""The table of a season's ladder for pages: the rating of each team, its skill as a picture, and its last results."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from msgspec import to_builtins

from arena.pages.pictures import interval, sparkline
from arena.season.board import LadderRow
from arena.contests.report.views import Rating, StandingLine, StandingsView

_RATING: Final = ("Rating", "skill minus three times its uncertainty")
_SKILL: Final = ("Skill and uncertainty", "the dot is the skill, the bar ends three uncertainties from it")


def ladder_view(rows: Sequence[LadderRow]) -> StandingsView:
    least = min((row.rating for row in rows), default=0.0)
    most = max((row.skill + 3 * row.uncertainty for row in rows), default=0.0)
    return StandingsView(
        "Standings", "standings", [_line(row, least, most) for row in rows], (), _RATING, _SKILL, "Note"
    )


def _line(row: LadderRow, least: float, most: float) -> StandingLine:
    form, around = row.form, 3 * row.uncertainty
    words = f"{row.skill:z.2f}"
    span = "fixed" if row.is_anchor else f"± {row.uncertainty:.2f}"
    picture = interval(row.skill - around, row.skill, row.skill + around, least, most)
    return StandingLine(
        row.place, 0, row.team, f"{row.rating:z.2f}", row.matches, 0, f"{form.won} – {form.drawn} – {form.lost}",
        form.last, "" if row.is_anchor else sparkline(form.points()),
        Rating(row.team, words, "", span, f"{row.team}: {words} {span}", picture), (),
        "built-in bot, fixed skill" if row.is_anchor else "",
    )  # fmt: skip


def ladder_document(rows: Sequence[LadderRow]) -> list[dict[str, Any]]:
    """Return the rows as values for JSON, with the last results instead of the history of the skill."""
    found = []
    for row in rows:
        document: dict[str, Any] = to_builtins(row)
        form = document.pop("form")
        found.append(document | {name: form[name] for name in ("won", "drawn", "lost", "last")})
    return found
