"""The pages of an exported contest: ladder, standings, brackets, ratings, matches.

They need no network, and are complete without scripts.
"""

from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from markupsafe import Markup

from arena.contests.report import listings
from arena.contests.report.details import details_of
from arena.contests.report.drawings import Bracket, Document, Link, bracket_of
from arena.contests.report.form import Course
from arena.contests.report.ladder import ladder_view
from arena.contests.report.shown import Shown
from arena.contests.report.tables import Table
from arena.contests.report.titles import Titles
from arena.contests.report.views import (
    MOST_CROSS,
    HeatMap,
    StandingsView,
    heat_map,
    match_lines,
    podium,
    ratings_of,
    standings_of,
)
from arena.match.lookup import title_of
from arena.pages.pictures import in_place_of_signs
from arena.pages.render import render_alone, script
from arena_replays.page import stills_imports

MOST_ROWS = 500
"""The limit for the matches of a page, and for the encounters of a stage on the first page."""
_WITH_CROSS = ("round_robin", "swiss", "groups", "gauntlet", "free_for_all")


@dataclass(frozen=True, slots=True)
class StageParts:
    """What a page shows of a stage. There is no crosstable for some formats and for too many bots.

    Attributes:
        encounters: None if there are more than `MOST_ROWS`.
    """

    format: str
    standings: StandingsView
    encounters: Table | None
    bracket: Bracket | None
    cross: HeatMap | None


@dataclass(frozen=True, slots=True)
class Links:
    """What the pages of an export know about replays.

    Attributes:
        pages: The address of the page of each match, by match id.
        stills: The address of the last position of each match, by match id.
        renderer: The source of the game's renderer, which draws the positions; None for the default one.
    """

    pages: Mapping[str, str] = field(default_factory=dict)
    stills: Mapping[str, str] = field(default_factory=dict)
    renderer: str | None = None

    def page(self, match_id: str) -> str:
        return self.pages.get(match_id, "")

    def still(self, match_id: str) -> str:
        return self.stills.get(match_id, "")

    def scripts(self) -> list[tuple[str, str]]:
        """Return kind and text of the scripts that draw the positions."""
        drawn = [("importmap", stills_imports(self.renderer)), ("module", script("stills.js"))]
        return drawn if self.stills else []


def page_of(shown: Shown, document: Document, links: Links, course: Course) -> str:
    content = contest_content(shown, document, links.page, course, data="data/")
    few = len(document["games"]) <= MOST_ROWS
    content["pages"] = [] if few else page_addresses(len(document["games"]))
    if few and links.stills:
        content["still"] = links.still
    scripts = links.scripts() if few else []
    if any(stage.bracket for stage in content["stages"]):
        scripts.append(("module", script("bracket.js")))
    signs = {
        team: f"data:image/png;base64,{b64encode(png).decode()}" for team, png in shown.state.shown_pictures().items()
    }
    return render_alone(
        "contest/exported.html", scripts=scripts, title=document["contest"], pictures=Markup(in_place_of_signs(signs)),
        **content,
    )  # fmt: skip


def match_pages(document: Document, links: Links) -> dict[str, str]:
    """Return the pages of the matches by name, if there are too many for the first page."""
    games = document["games"]
    if len(games) <= MOST_ROWS:
        return {}
    pages, titles = page_addresses(len(games)), Titles(document)
    return {
        address: render_alone(
            "contest/exported_matches.html", scripts=links.scripts(),
            title=f"{document['contest']}: matches {first} to {last}", pages=pages,
            address=address, name=document["contest"], link=links.page,
            lines=match_lines(games[first - 1 : last], titles),
            still=links.still if links.stills else None,
        )
        for address, first, last in pages
    }  # fmt: skip


def page_addresses(count: int) -> list[tuple[str, int, int]]:
    """Return address, first and last match of each page of matches."""
    starts = range(0, count, MOST_ROWS)
    return [(f"matches-{page}.html", at + 1, min(count, at + MOST_ROWS)) for page, at in enumerate(starts, 1)]


def contest_content(
    shown: Shown, document: Document, link: Link, course: Course, bot: Link = lambda _name: "", data: str = ""
) -> dict[str, Any]:
    """Return the values for the template ``contest/content.html``.

    Args:
        link: Returns the address of a match's replay for the match's id.
        data: The address of the folder with the tables for programs; empty if there is none.
    """
    games, titles = document["games"], Titles(document)
    first, tie = podium(document, course)
    return {
        "name": document["contest"],
        "game": title_of(document["game"]),
        "finished": document["finished"],
        "link": link,
        "bot_link": bot,
        "data": data,
        "first": first,
        "tie": tie,
        "final": listings.final(document),
        "ladder": ladder_view(shown.ladder) if shown.ladder else None,
        "stages": [stage_parts(stage, document, link, course) for stage in reversed(document["stages"])],
        "ratings": ratings_of(document, course),
        "notes": listings.ratings(document).notes,
        "superiority": listings.superiority(document) if 0 < len(document["ratings"]) <= MOST_CROSS else None,
        "behaviour": listings.behaviour(document, titles),
        "details": details_of(document, course),
        "matches": match_lines(games, titles) if len(games) <= MOST_ROWS else [],
        "still": None,
        "played": len(games),
        "pages": [],
    }


def stage_parts(stage: Document, document: Document, link: Link, course: Course) -> StageParts:
    crossed = 1 < len(stage["standings"]) <= MOST_CROSS and stage["format"] in _WITH_CROSS
    return StageParts(
        stage["format"], standings_of(stage, document, course),
        listings.encounters(stage) if len(stage["encounters"]) <= MOST_ROWS else None,
        bracket_of(stage, link), heat_map(stage, course) if crossed else None,
    )  # fmt: skip
