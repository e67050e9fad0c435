"""Pages that another installed distribution serves in a contest, such as `arena-show`.

An entry point of the group `GROUP` names a function that gets a `ServedContest`, and returns its `ServedPages`. Such
pages see the contest through a `ContestReading`: what everybody sees now, or what organizers see. What they say of a
result must come from the first, until a step that they write releases it. Steps are entries of the journal, so that a
backup, a rebuild and a kill keep them. Files that need no server are simpler: see `arena.web.contests.site`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from importlib import metadata
from itertools import islice
from pathlib import Path
from statistics import median
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import Response

from arena.contests import entries
from arena.contests.journal.store import now
from arena.contests.open_contest import OpenContest
from arena.contests.people.accounts import Limiter, SignedIn, signed
from arena.contests.people.organizer_acts import act
from arena.contests.report.bracket import Bracket, bracket_of
from arena.contests.report.titles import round_title
from arena.contests.report.views import StandingLine, ladder_view, standings_of
from arena.contests.stages.stage import StageRun
from arena.contests.values import Member, Played, ShowEntry
from arena.pages.pictures import Sign, sign
from arena.study.coach.page import advantage
from arena.web.contests.entrants import versus_record
from arena.web.contests.matches import MatchRow, Views
from arena.web.contests.public import match_links
from arena.web.contests.requests import PostedForm, fields_of, picture_address
from arena.web.contests.site import Site
from arena.web.growing import WAIT
from arena.web.match_pages import own_notes
from arena.web.pages import Endpoint, assets, json_page, viewer_page
from arena.web.public_replays import GrownReplay, grown, is_withheld, public_bytes
from arena.web.server import address_for_others
from arena_replays import Reader, ReplayError
from arena_replays import page as viewer

__all__ = [
    "ContestReading",
    "EncounterRow",
    "GrownReplay",
    "Limiter",
    "MatchRow",
    "PostedForm",
    "ServedContest",
    "ServedPages",
    "StageRow",
    "address_for_others",
    "assets",
    "fields_of",
    "json_page",
]
GROUP: Final = "arena.served_pages"
_EVERYTHING: Final = SignedIn(Member("", "", "", "organizer"), "", "")
"""Who reads for the organizers, in the process that serves."""


@dataclass(frozen=True, slots=True)
class ServedPages:
    """What a distribution adds to the pages of a contest.

    Attributes:
        routes: The endpoints of pages by path. Each finds out who reads, for example with `ServedContest.reader`.
        forms: The endpoints of what browsers send by POST, by path.
        links: The words of links in the bar of all pages, by address.
        before_opening: The addresses that visitors get before the contest opens; one with a slash at its end stands for
            all that begin with it. These pages say themselves that it has not, and nothing of the game.
    """

    routes: Mapping[str, Endpoint]
    forms: Mapping[str, Endpoint] = field(default_factory=dict)
    links: Mapping[str, str] = field(default_factory=dict)
    before_opening: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class EncounterRow:
    """An encounter of a stage.

    Attributes:
        key: Its name in the stage, which stays the same: round and number, such as ``2.1``.
        title: The name of its round, such as ``Semi-final``.
        column: The column of a bracket, from 1; 0 outside of brackets.
        section: The part of a bracket: ``W``, ``L``, ``F`` or ``third``.
        matches: The ids of its matches that have a result, in the order of the schedule.
        decided: Whether the winner is known, or that there is none.
        winner: Who has won; empty without a winner.
    """

    key: str
    round: int
    title: str
    column: int
    section: str
    players: tuple[str, ...]
    matches: tuple[str, ...]
    decided: bool
    winner: str


@dataclass(frozen=True, slots=True)
class StageRow:
    """A stage that has begun.

    Attributes:
        title: Its heading.
        over: Whether no further match will be played in it.
        last: Whether no later stage takes its entrants from it: its first places are those of the contest.
        encounters: Its encounters in the order of the schedule, without byes.
        order: The names of its entrants, best first.
    """

    name: str
    title: str
    over: bool
    last: bool
    encounters: tuple[EncounterRow, ...]
    order: tuple[str, ...]


class ContestReading:
    """What a reader sees of a contest at one moment: everybody, or the organizers. All its values belong together."""

    def __init__(self, views: Views, *, everything: bool) -> None:
        self._views = views
        self._everything = everything

    @cached_property
    def stages(self) -> tuple[StageRow, ...]:
        """The stages that have begun, in their order."""
        return tuple(self._stage(run) for run in self._views.results.stages.values())

    @property
    def number(self) -> int:
        """The number of the newest entry of the journal that its stages follow from."""
        return self._views.results.state.number

    @property
    def announcements(self) -> list[str]:
        """What organizers have announced, the newest first."""
        return [announced.reason for announced in self._views.state.orders.announcements]

    @property
    def suspended(self) -> Mapping[str, str]:
        """Why entrants are suspended, by name."""
        return self._views.results.suspended

    def match(self, match_id: str) -> MatchRow | None:
        """Return a match that was played or is being played; None if the reader does not see its result."""
        played = self._views.find(match_id)
        return self._views.row(played) if played and played.is_public and self._views.may_see(played) else None

    def sees(self, match_id: str) -> bool:
        """Return whether the reader sees the result of a match."""
        return self.match(match_id) is not None

    def running(self) -> list[MatchRow]:
        """Return the matches that are being played."""
        return self._views.running()

    def recent(self) -> Iterator[MatchRow]:
        """Yield the matches with a result, the newest first."""
        return self._views.listed()

    def bracket(self, stage: str) -> Bracket | None:
        """Return the drawing of a stage's bracket; None for a format without one."""
        run = self._views.results.stages.get(stage)
        return bracket_of(run, match_links(self._views)) if run else None

    def table(self, stage: str) -> Sequence[StandingLine]:
        """Return the standings of a stage, best first; those of the ladder for an empty name."""
        results = self._views.results
        if not stage:
            return ladder_view(results.state, results.ladder).lines
        return standings_of(results, results.stages[stage]).lines

    def record(self, name: str) -> tuple[int, int, int]:
        """Return how often an entrant has won, drawn and lost in matches of stages, else on the ladder."""
        results = self._views.results
        on_ladder = next((row.form for row in results.ladder if row.team == name), None)
        form = results.course.bots.get(name) or on_ladder
        return (form.won, form.drawn, form.lost) if form else (0, 0, 0)

    def between(self, first: str, second: str) -> tuple[int, int]:
        """Return how often each of two entrants has won against the other."""
        versus = versus_record(self._views, first, second)
        return versus["won"], versus["lost"]

    def actions(self, name: str, most: int = 5, least: int = 1) -> Mapping[str, float]:
        """Return how often an entrant did each kind of action in a match, as the mean of its last matches.

        Args:
            most: The number of matches. Only those are read that everybody may watch.
            least: With fewer matches, nothing is returned: they do not say much.
        """
        newest = (played for played in self._views.state.newest(name) if self.may_be_watched(played.id))
        counts, matches = Counter[str](), list(islice(newest, most))
        if len(matches) < least:
            return {}
        for played in matches:
            with suppress(OSError, ReplayError):
                counts.update(_kinds_of_actions(self._path(played), played.names.index(name)))
        return {kind: count / len(matches) for kind, count in counts.items()}

    def turns(self, most: int = 50) -> float:
        """Return the usual number of turns of a match: the median of the last ones that the reader sees; 0 without."""
        played = islice(filter(self._views.may_see, self._views.state.newest()), most)
        turns = [match.result.turns for match in played if match.is_public and match.result]
        return median(turns) if turns else 0.0

    def ratings(self) -> Mapping[str, float]:
        """Return the ratings of the entrants in Elo points, by name."""
        return {row.name: row.elo for row in self._views.results.ratings}

    def before(self, stage: str) -> list[str]:
        """Return the ids of the matches from whose results the beginning of a stage follows."""
        return [played.id for played in self._views.state.before(stage)]

    def id_of(self, name: str) -> str:
        """Return the id of an entrant, which stays the same when a name changes."""
        return self._views.state.id_of(name)

    def name_of(self, key: str) -> str:
        """Return the name of an entrant by its id."""
        return self._views.state.ids.get(key, "")

    # -- replays ---------------------------------------------------------------------------------------

    def since(self, number: int) -> list[str]:
        """Return the ids of the matches of stages and of the ladder whose results came after so many others."""
        return [played.id for played in self._views.state.played.values()[number:] if played.is_public]

    def may_be_watched(self, match_id: str) -> bool:
        """Return whether the reader sees the result of a match, and everybody who does may watch it."""
        views, played = self._views, self._views.state.played.get(match_id)
        visible = views.contest.config.visible
        if played is None or not played.replay or not visible.public_replays or not self.sees(match_id):
            return False
        with suppress(OSError, ReplayError):
            is_secret = is_withheld(self._path(played), over=views.is_over(played))
            return not is_secret and views.state.has_public_replay(played.spec)
        return False

    def growing(self, match_id: str) -> GrownReplay:
        """Return the public copy of a finished match as it grew while the match was played, turn by turn."""
        played = self._views.state.played[match_id]
        return grown(self._path(played), self._views.programs(played))

    def copy(self, match_id: str) -> bytes:
        """Return the public copy of a finished match."""
        played = self._views.state.played[match_id]
        return public_bytes(self._path(played), self._views.programs(played), over=self._views.is_over(played))

    def advantage(self, match_id: str) -> list[list[float]] | None:
        """Return the game's estimates for a finished match: for each player before each turn, and at the end."""
        return advantage(self._path(self._views.state.played[match_id]))

    def logged(self, match_id: str, seat: int) -> Iterator[str]:
        """Yield the lines that a bot logged in a match: ``turn NUMBER, log: TEXT``. They are secrets of its team."""
        return own_notes(self._path(self._views.state.played[match_id]), seat)

    def _path(self, played: Played) -> Path:
        return self._views.contest.folder / played.replay

    def _stage(self, run: StageRun) -> StageRow:
        played = {match_id for match_id in run.results if self._views.may_see(self._views.state.played[match_id])}
        rows = []
        for series in run.series:
            encounter, result = series.encounter, series.result() if series.is_decided else None
            if encounter.is_bye:
                continue
            row = EncounterRow(
                key=f"{encounter.round}.{encounter.index + 1}",
                round=encounter.round,
                title=round_title(run, encounter),
                column=encounter.column,
                section=encounter.section,
                players=encounter.players,
                matches=tuple(game.spec.match_id for game in series.games if game.spec.match_id in played),
                decided=result is not None,
                winner=(result.winner_name or "") if result else "",
            )
            rows.append(row)
        state, results = self._views.results.state, self._views.results
        return StageRow(
            name=run.config.name,
            title=results.title_of(run),
            over=state.is_over(run),
            last=run.config.exhibition or run is state.last_stage(),
            encounters=tuple(rows),
            order=tuple(row.name for row in run.rank()),
        )


class ServedContest:
    """A contest whose pages are served, for the pages of another distribution.

    Attributes:
        wait: For how many seconds a request can wait for news.
    """

    wait: Final = WAIT

    def __init__(self, site: Site) -> None:
        self._site = site
        self._contest = site.contest

    # -- reading ---------------------------------------------------------------------------------------

    @property
    def name(self) -> str:
        """The name of the contest."""
        return self._contest.config.name

    @property
    def game(self) -> str:
        """The title of the game."""
        return self._contest.game.title

    @property
    def number(self) -> int:
        """The number of the newest entry of the journal. Only organizers may know it: it grows with hidden results."""
        return self._contest.snapshot.state.number

    @property
    def has_opened(self) -> bool:
        """Whether everybody may know the game."""
        return self._site.has_opened

    @property
    def opens(self) -> str:
        """When the contest opens, in its time zone; empty if no time is set."""
        visible = self._contest.config.visible
        return visible.shown_time(visible.opens) if visible.opens else ""

    @property
    def holds(self) -> bool:
        """Whether new results are held back from everybody but organizers."""
        return self._contest.snapshot.state.orders.limit is not None

    @property
    def results(self) -> int:
        """The number of results that everybody sees, if none was released out of order."""
        state = self._contest.snapshot.state
        return len(state.played) if state.orders.limit is None else state.orders.limit

    def public(self) -> ContestReading:
        """Return what everybody sees now."""
        return ContestReading(self._site.views(None), everything=False)

    def whole(self) -> ContestReading:
        """Return what organizers see now."""
        return ContestReading(self._site.views(_EVERYTHING), everything=True)

    def steps(self) -> list[ShowEntry]:
        """Return the steps that were written so far."""
        return self._contest.snapshot.state.shows.values()

    def picture(self, name: str) -> str:
        """Return the address of the picture of a team; empty without one."""
        png = self._contest.snapshot.state.public_pictures().get(name)
        return picture_address(name, png) if png else ""

    def sign(self, name: str) -> Sign:
        """Return the sign of an entrant, which stands in place of a picture."""
        return sign(name)

    def beside(self, *names: str) -> Path | None:
        """Return the first of these files that lies beside the contest's file, in the process that runs the contest."""
        folder = self._contest.path.parent if isinstance(self._contest, OpenContest) else None
        return next((folder / name for name in names if (folder / name).is_file()), None) if folder else None

    # -- writing ---------------------------------------------------------------------------------------

    @property
    def writable(self) -> bool:
        """Whether this process runs the contest. Otherwise it can only show what another one writes."""
        return isinstance(self._contest, OpenContest)

    def hold(self, session: SignedIn | None, reason: str) -> None:
        """Hold back new results, in the name of an organizer; None for a command. Do nothing if they are already."""
        if isinstance(self._contest, OpenContest) and not self.holds:
            act(self._contest, session.member if session else None, "hold", {"reason": reason})

    def write(self, document: Mapping[str, Any], released: Sequence[str] = (), about: str = "", text: str = "") -> None:
        """Write a step into the journal. It is there when this returns, also after a kill.

        Args:
            document: What the step says, as values for JSON, without names of people and entrants, and without texts
                that people have written: these could not be erased.
            released: The ids of the matches whose results everybody sees from now on.
            about: The id of what the step is about (see `ContestReading.id_of`); empty for the whole contest.
            text: A text that a person has written.
        """
        assert isinstance(self._contest, OpenContest), "another process runs the contest"
        shown = entries.Shown(at=now(), released=list(released), document=dict(document))
        texts = [entries.text(about, "show", text)] if text else []
        self._contest.write(*texts, (about, shown))

    # -- requests --------------------------------------------------------------------------------------

    def reader(self, request: Request) -> SignedIn | None:
        """Return who reads a public page; None for somebody who has not signed in.

        Raises:
            HTTPException: The contest is not public, and nobody has signed in.
        """
        return self._site.visitors.reader(request)

    def session(self, request: Request) -> SignedIn | None:
        """Return who has signed in; None if nobody has."""
        return self._site.visitors.session(request)

    def organizer(self, request: Request) -> SignedIn:
        """Return the organizer who sends a request.

        Raises:
            HTTPException: The sender is no organizer.
        """
        return self._site.visitors.organizer(request)

    def form(self, answer: Callable[[PostedForm], Response], *, limited: bool = False) -> Endpoint:
        """Return an endpoint that passes the form of somebody who has signed in to `answer`, in a thread.

        Forms that no page of the contest has sent are refused; if `limited`, also those of who has sent very many.
        """
        return (self._site.visitors.limited if limited else self._site.visitors.form)(answer)

    @staticmethod
    def is_stopping(request: Request) -> bool:
        """Return whether the server stops, so that no request waits any longer."""
        return bool(request.app.state.stopping())

    def signature(self, *parts: str) -> str:
        """Return the signature of some texts, which nobody can compute without the journal."""
        return signed(self._contest.snapshot.state.secret, "show", *parts)

    def link(self, request: Request, path: str, token: str) -> str:
        """Return the address of a path with a token, as people write it."""
        return self._site.link(request, path, token)

    def page(self, request: Request, package: str, template: str, title: str, **context: Any) -> Response:
        """Return a page from a template of a package (in its folder ``templates``).

        The template can extend ``base.html``, or ``contest/layout.html`` with the bar of the contest.
        """
        return self._site.page(request, self.session(request), template, title, templates=package, **context)

    def viewer(self, request: Request, title: str, replay: str, *sheets: str) -> Response:
        """Return a page with the viewer of a replay that grows at an address.

        Args:
            sheets: Further style sheets.
        """
        config = {"legs": [{"url": replay, "live": True}], "leg": 0, "place": {}, "coach": ""}
        return viewer_page(request, title, config, "renderer/", f"viewer/{viewer.MAIN}", *sheets)


@lru_cache(maxsize=256)
def _kinds_of_actions(path: Path, seat: int) -> Counter[str]:
    acted = (entry[2] for entry in Reader(path).truth if entry[0] == "do" and entry[1] == seat)
    return Counter(str(action.get("type", "")) for action in acted if isinstance(action, dict))


def served_pages(contest: ServedContest) -> list[ServedPages]:
    """Return the pages of all installed distributions."""
    return [point.load()(contest) for point in metadata.entry_points(group=GROUP)]
