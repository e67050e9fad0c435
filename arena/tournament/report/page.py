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
MOST_ROWS = 500
"""The limit for the matches of a page, and for the encounters of a stage on the first page."""
_WITH_CROSS = ("round_robin", "swiss", "groups", "gauntlet", "free_for_all")


@dataclass(frozen=True, slots=True)
class StageParts:
    """What a page shows of a stage. There is no crosstable for some formats and for too many bots.

    Attributes:
        encounters: None if there are more than `MOST_ROWS`.
    """

    name: str
    format: str
    standings: Sheet
    encounters: Sheet | None
    bracket: Bracket | None
    cross: Sheet | None


def page_of(document: Document, links: Mapping[str, str]) -> str:
    content = tournament_content(document, lambda match_id: links.get(match_id, ""))
    if len(document["games"]) > MOST_ROWS:
        content["pages"] = page_addresses(len(document["games"]))
    return render_alone("tournament/export.html", title=document["tournament"], **content)


def match_pages(document: Document, links: Mapping[str, str]) -> dict[str, str]:
    """Return the pages of the matches by name, if there are too many for the first page."""
    games = document["games"]
    if len(games) <= MOST_ROWS:
        return {}
    pages = page_addresses(len(games))
    return {
        address: render_alone(
            "tournament/matches.html", title=f"{document['tournament']}: matches {first} to {last}", pages=pages,
            address=address, name=document["tournament"], sheet=matches_sheet(games[first - 1 : last]), links=links,
        )
        for address, first, last in pages
    }  # fmt: skip


def page_addresses(count: int) -> list[tuple[str, int, int]]:
    """Return address, first and last match of each page of matches."""
    starts = range(0, count, MOST_ROWS)
    return [(f"matches-{page}.html", at + 1, min(count, at + MOST_ROWS)) for page, at in enumerate(starts, 1)]


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
        "superiority": superiority_sheet(document) if len(document["ratings"]) <= _MOST_CROSS else None,
        "behaviour": statistics_sheet(document),
        "matches": matches_sheet(document["games"] if len(document["games"]) <= MOST_ROWS else []),
        "played": len(document["games"]),
        "pages": [],
    }


def first_three(document: Document) -> list[tuple[str, float | None]]:
    """Return the first three bots with their Elo; None for a bot without a rating."""
    ratings = {row["name"]: row["elo"] for row in document["ratings"]}
    return [(name, ratings.get(name)) for name in document["final"][:3]]


def stage_parts(stage: Document, link: Link) -> StageParts:
    crossed = 1 < len(stage["standings"]) <= _MOST_CROSS and stage["format"] in _WITH_CROSS
    return StageParts(
        stage["name"], stage["format"], standings_sheet(stage),
        bracket_sheet(stage) if len(stage["encounters"]) <= MOST_ROWS else None,
        bracket_of(stage, link), cross_sheet(stage) if crossed else None,
    )  # fmt: skip
