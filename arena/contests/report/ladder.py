"""The table of the ladder, for pages and for JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec import to_builtins

from arena.contests.board import LadderRow
from arena.contests.report.views import Rating, StandingLine, StandingsView
from arena.pages.pictures import interval, sparkline


def ladder_view(rows: Sequence[LadderRow]) -> StandingsView:
    """Return the table of the ladder: the rating of each entrant, the skill as a picture, and the last results."""
    least = min((row.rating for row in rows), default=0.0)
    most = max((row.skill + 3 * row.uncertainty for row in rows), default=0.0)
    return StandingsView(
        "Ladder", "ladder", [_ladder_line(row, least, most) for row in rows], (),
        ("Rating", "skill minus three times its uncertainty"),
        ("Skill and uncertainty", "the dot is the skill, the bar ends three uncertainties from it"), "Note",
    )  # fmt: skip


def _ladder_line(row: LadderRow, least: float, most: float) -> StandingLine:
    form, around = row.form, 3 * row.uncertainty
    words, span = f"{row.skill:z.2f}", "fixed" if row.is_anchor else f"± {row.uncertainty:.2f}"
    picture = interval(row.skill - around, row.skill, row.skill + around, least, most)
    return StandingLine(
        row.place, 0, row.team, f"{row.rating:z.2f}", row.matches, 0, f"{form.won} – {form.drawn} – {form.lost}",
        form.last, "" if row.is_anchor else sparkline(form.points()),
        Rating(row.team, words, "", span, f"{row.team}: {words} {span}", picture), (),
        "anchor, fixed skill" if row.is_anchor else "",
    )  # fmt: skip


def ladder_document(rows: Sequence[LadderRow]) -> list[dict[str, Any]]:
    """Return the rows as values for JSON, with the last results instead of the history of the skill."""
    found = []
    for row in rows:
        document: dict[str, Any] = to_builtins(row)
        form = document.pop("form")
        found.append(document | {name: form[name] for name in ("won", "drawn", "lost", "last")})
    return found
