"""The content of a tournament's pages: sections as HTML, and the record of one bot. All text is escaped."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any
from urllib.parse import quote

from arena.match.ending import in_words
from arena.match.result import MatchResult
from arena.tournament.plan.config import TABLE_FORMATS
from arena.tournament.plan.ratings.skill import MU, Skill, updated
from arena.tournament.plan.values import MatchSpec
from arena.tournament.report.drawings import bracket_drawing, rating_drawing
from arena.tournament.report.page import crosstable, first_three, table
from arena.tournament.report.sheets import (
    bracket_sheet,
    final_sheet,
    matches_sheet,
    number,
    ratings_sheet,
    standings_sheet,
)

Document = Mapping[str, Any]


def progress(document: Document, running: Sequence[Document]) -> dict[str, str]:
    """Return the sections of the live page that depend on the running matches."""
    state = "finished" if document["finished"] else "running" if running else "waiting"
    return {
        "sub": escape(f"{document['game']}, {document['matches']} matches, {state}"),
        "running": "" if running else "No match is running.",
    }


def fragments(document: Document, recent: Sequence[Document]) -> dict[str, str]:
    """Return the sections of the live page that change with each result."""
    stages = list(reversed(document["stages"]))
    brackets = [stage for stage in stages if stage["format"].endswith("_elimination")]
    return {
        "standings": (_final(document) if document["finished"] else "")
        + "".join(f'<div class="stage"><h3>{escape(stage["name"])}</h3>{_standings(stage)}</div>' for stage in stages)
        + "".join(
            f'<p class="note">Excluded before the start: {escape(reason)}</p>' for reason in document["excluded"]
        ),
        "bracket": "".join(bracket_drawing(stage, match_address) for stage in brackets) or "There is none.",
        "recent": table(matches_sheet(recent), match_address) if recent else "None yet.",
        "ratings": rating_drawing(document) + table(ratings_sheet(document)),
    }


def match_address(match_id: str) -> str:
    """Return the address of a match's page."""
    return f"/match/{quote(match_id)}"


def bot_address(name: str) -> str:
    """Return the address of a bot's page."""
    return f"/bot/{quote(name, safe='')}"


def _final(document: Document) -> str:
    text = first_three(document, bot_address)
    if len(document["final"]) > 3:
        text += f"<details><summary>All places</summary>{table(final_sheet(document), bot_address)}</details>"
    return text


def _standings(stage: Document) -> str:
    text = table(standings_sheet(stage), bot_address) + crosstable(stage)
    if stage["format"] in TABLE_FORMATS:
        text += f"<details><summary>All tables</summary>{table(bracket_sheet(stage))}</details>"
    return text


def bot_record(
    name: str, document: Document, statistics: Document, played: Sequence[tuple[MatchSpec, MatchResult]]
) -> dict[str, Any]:
    """Return all public data about one bot, for its page."""
    return {
        "address": bot_address(name),
        "facts": statistics[name],
        "rating": next((row for row in document["ratings"] if row["name"] == name), None),
        "suspended": document["suspended"].get(name),
        "history": _drawing(rating_history(name, played)),
        "matches": [_row(spec, result, name) for spec, result in reversed(played)],
    }


def _row(spec: MatchSpec, result: MatchResult, name: str) -> dict[str, str]:
    seat = spec.names.index(name)
    return {
        "id": spec.match_id,
        "round": f"{spec.stage} {spec.round}",
        "others": ", ".join(other for other in spec.names if other != name),
        "scores": " : ".join(number(one.score) for one in result.players),
        "ending": in_words(result.players[seat].ending, result.place(seat)),
    }


def rating_history(name: str, played: Sequence[tuple[MatchSpec, MatchResult]]) -> list[float]:
    """Return a bot's rating at the start and after each of its matches that counts.

    The ratings come only from these matches. So each opponent starts with the rating of a new bot.
    """
    history = [MU]
    known: dict[str, Skill] = {}
    for spec, result in played:
        if not result.has_verdict:
            continue
        skills = [known.setdefault(other, Skill()) for other in spec.names]
        after = updated(skills, [result.points(seat) for seat in range(len(spec.names))], result.outcome.teams)
        known.update(zip(spec.names, after, strict=True))
        history.append(known[name].mu)
    return history


def _drawing(values: Sequence[float]) -> dict[str, Any] | None:
    """Return the points of a line chart in a box of 620 x 110, and the least and the greatest value.

    A line needs two values: return None for fewer.
    """
    if len(values) < 2:
        return None
    low, high = min(values), max(values)
    span = max(high - low, 1.0)
    points = " ".join(
        f"{620 * index / (len(values) - 1):.1f},{102 - 94 * (value - low) / span:.1f}"
        for index, value in enumerate(values)
    )
    return {"points": points, "low": low, "high": high}
