"""The pages of an exported contest, and the parts of a stage that served pages show too.

Exported pages need no network, and are complete without scripts.
"""

from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass, field

from markupsafe import Markup

from arena.contests.report import listings
from arena.contests.report.bracket import Bracket, Link, bracket_of
from arena.contests.report.columns import PublishedTable
from arena.contests.report.details import details_of
from arena.contests.report.views import (
    MOST_CROSS,
    HeatMap,
    StandingsView,
    heat_map,
    ladder_view,
    match_lines,
    podium,
    ratings_of,
    standings_of,
)
from arena.contests.report.visible_contest import VisibleContest
from arena.contests.stages.stage import StageRun
from arena.match.lookup import title_of
from arena.pages.pictures import in_place_of_signs
from arena.pages.render import render_alone, script
from arena_replays.page import Renderer, stills_imports

MOST_ROWS = 500
"""The limit for the matches of a page, and for the encounters of a stage on the first page. Chosen, not measured: a
page of them is short enough to be searched and drawn without a pause."""
_WITH_CROSS = ("round_robin", "swiss", "groups", "gauntlet", "free_for_all")


@dataclass(frozen=True, slots=True)
class StageParts:
    """What a page shows of a stage. There is no crosstable for some formats and for too many bots.

    Attributes:
        encounters: None if there are more than `MOST_ROWS`.
    """

    format: str
    standings: StandingsView
    encounters: PublishedTable | None
    bracket: Bracket | None
    cross: HeatMap | None


@dataclass(frozen=True, slots=True)
class Links:
    """What the pages of an export know about replays.

    Attributes:
        pages: The address of the page of each match, by match id.
        stills: The address of the last position of each match, by match id.
        renderer: The game's renderer, which draws the positions; None for the default one.
        rules: The address of the rules of the game; empty if they are not there.
    """

    pages: Mapping[str, str] = field(default_factory=dict)
    stills: Mapping[str, str] = field(default_factory=dict)
    renderer: Renderer | None = None
    rules: str = ""

    def scripts(self) -> list[tuple[str, str]]:
        """Return kind and text of the scripts that draw the positions."""
        drawn = [("importmap", stills_imports(self.renderer)), ("module", script("stills.js"))]
        return drawn if self.stills else []


def page_of(contest: VisibleContest, links: Links, *, private: bool = False) -> str:
    matches, name = contest.matches(), contest.state.settings.name
    few = len(matches) <= MOST_ROWS
    scripts = links.scripts() if few else []
    stages = [stage_parts(contest, run, links.pages.get) for run in reversed(contest.stages.values())]
    if any(stage.bracket for stage in stages):
        scripts.append(("module", script("bracket.js")))
    pictures = contest.state.public_pictures()
    signs = {team: f"data:image/png;base64,{b64encode(png).decode()}" for team, png in pictures.items()}
    first, tie = podium(contest)
    return render_alone(
        "contest/exported.html",
        scripts=scripts,
        title=name,
        pictures=Markup(in_place_of_signs(signs)),
        name=name,
        game=title_of(contest.state.settings.game),
        finished=contest.finished,
        link=links.pages.get,
        first=first,
        tie=tie,
        rules=links.rules,
        final=listings.final(contest),
        ladder=ladder_view(contest.state, contest.ladder) if contest.ladder else None,
        stages=stages,
        ratings=[*ratings_of(contest).values()],
        notes=listings.ratings(contest).notes,
        superiority=listings.superiority(contest) if 0 < len(contest.ratings) <= MOST_CROSS else None,
        behaviour=listings.behaviour(contest, private=private, named=True),
        details=details_of(contest),
        matches=match_lines(matches, contest.titles) if few else [],
        still=links.stills.get if few and links.stills else None,
        played=len(matches),
        pages=[] if few else page_addresses(len(matches)),
    )


def match_pages(contest: VisibleContest, links: Links) -> dict[str, str]:
    """Return the pages of the matches by name, if there are too many for the first page."""
    matches, name = contest.matches(), contest.state.settings.name
    if len(matches) <= MOST_ROWS:
        return {}
    pages, still = page_addresses(len(matches)), links.stills.get if links.stills else None
    return {
        address: render_alone(
            "contest/exported_matches.html",
            scripts=links.scripts(),
            title=f"{name}: matches {first} to {last}",
            pages=pages,
            address=address,
            name=name,
            link=links.pages.get,
            lines=match_lines(matches[first - 1 : last], contest.titles),
            still=still,
        )
        for address, first, last in pages
    }


def page_addresses(count: int) -> list[tuple[str, int, int]]:
    """Return address, first and last match of each page of matches."""
    starts = range(0, count, MOST_ROWS)
    return [(f"matches-{page}.html", start + 1, min(count, start + MOST_ROWS)) for page, start in enumerate(starts, 1)]


def stage_parts(contest: VisibleContest, run: StageRun, link: Link) -> StageParts:
    crossed = 1 < len(run.names) <= MOST_CROSS and run.config.format in _WITH_CROSS
    return StageParts(
        format=run.config.format,
        standings=standings_of(contest, run),
        encounters=listings.encounters(run) if len(run.series) <= MOST_ROWS else None,
        bracket=bracket_of(run, link),
        cross=heat_map(contest, run) if crossed else None,
    )
