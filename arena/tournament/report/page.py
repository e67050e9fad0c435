"""One self-contained page of a tournament: tables, brackets, ratings, links to replays. No script, no network."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from arena.pages.render import render_alone
from arena.tournament.report.drawings import Bracket, Document, Link, bracket_of, ratings_of
from arena.tournament.report.sheets import (
    Sheet,
    bracket_sheet,
    cross_sheet,
    final_sheet,
    matches_sheet,
    ratings_sheet,
    standings_sheet,
    statistics_sheet,
    superiority_sheet,
)

_MOST_CROSS = 40
_WITH_CROSS = ("round_robin", "swiss", "groups", "gauntlet", "free_for_all")


@dataclass(frozen=True, slots=True)
class StageParts:
    """What a page shows of a stage. There is no crosstable for some formats and for too many bots."""

    name: str
    format: str
    standings: Sheet
    encounters: Sheet
    bracket: Bracket | None
    cross: Sheet | None


def page_of(document: Document, links: Mapping[str, str]) -> str:
    content = tournament_content(document, lambda match_id: links.get(match_id, ""))
    return render_alone("tournament/export.html", title=document["tournament"], **content)


def tournament_content(document: Document, link: Link, bot: Link = lambda _name: "") -> dict[str, Any]:
    """Return the values for the template ``tournament/content.html``.

    Args:
        link: Returns the address of a match's replay for the match's id.
    """
    return {
        "name": document["tournament"],
        "game": document["game"],
        "finished": document["finished"],
        "link": link,
        "bot": bot,
        "first": first_three(document),
        "final": final_sheet(document),
        "stages": [stage_parts(stage, link) for stage in reversed(document["stages"])],
        "rating_plot": ratings_of(document),
        "rated": ratings_sheet(document),
        "superiority": superiority_sheet(document),
        "behaviour": statistics_sheet(document),
        "matches": matches_sheet(document["games"]),
    }


def first_three(document: Document) -> list[tuple[str, float | None]]:
    """Return the first three bots with their Elo; None for a bot without a rating."""
    ratings = {row["name"]: row["elo"] for row in document["ratings"]}
    return [(name, ratings.get(name)) for name in document["final"][:3]]


def stage_parts(stage: Document, link: Link) -> StageParts:
    crossed = 1 < len(stage["standings"]) <= _MOST_CROSS and stage["format"] in _WITH_CROSS
    return StageParts(
        stage["name"], stage["format"], standings_sheet(stage), bracket_sheet(stage),
        bracket_of(stage, link), cross_sheet(stage) if crossed else None,
    )  # fmt: skip
