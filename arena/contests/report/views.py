"""What the pages of a contest show: standings with pictures, matches with names, ratings, and who meets whom."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Final

from arena.contests.ladder.board import LadderRow
from arena.contests.ratings.form import Form
from arena.contests.report.columns import number
from arena.contests.report.history import decided_by, movement
from arena.contests.report.listings import tiebreaks
from arena.contests.report.titles import Titles
from arena.contests.report.visible import RatingRow, VisibleContest
from arena.contests.stages.encounters import EncounterResult
from arena.contests.stages.series import Match
from arena.contests.stages.stage import StageRun
from arena.contests.tiebreaks import HEADS, MEANINGS
from arena.match.ending import FAILURES, ending_phrase
from arena.pages.pictures import Range, interval, sparkline

MOST_CROSS: Final = 40
"""The limit for the bots of a crosstable, and of the tables in `details`."""
_BOUND: Final = 1000.0
"""The ends of the pictures of ratings, in Elo. The interval of a bot that lost nothing has no useful end."""


@dataclass(frozen=True, slots=True)
class Rating:
    """A rating for a page.

    Attributes:
        words: The rating, or what is said in its place.
        unit: What stands behind the words if they are a number.
        range: The interval in words.
        title: All of it in one line.
        picture: A dot on the bar of the interval.
    """

    name: str
    words: str
    unit: str
    range: str
    title: str
    picture: Range


def ratings_of(shown: VisibleContest) -> dict[str, Rating]:
    """Return the ratings by name, best first. All pictures have the same scale."""
    rows, forms = shown.ratings, shown.course.bots
    most = min(_BOUND, max((row.high for row in rows), default=1.0))
    least = min(max(-_BOUND, min((row.low for row in rows), default=-1.0)), most - 1.0)
    return {row.name: _rating(row, forms.get(row.name, Form()), least, most) for row in rows}


def _rating(row: RatingRow, form: Form, least: float, most: float) -> Rating:
    remark = form.remark
    words = remark or f"{row.elo:+z.0f}"
    end = "" if form.only_won or row.high > _BOUND else f"{row.high:+z.0f}"
    start = "" if form.only_lost or row.low < -_BOUND else f"{row.low:+z.0f}"
    span = f"{start} to {end}" if start and end else f"above {start}" if start else f"below {end}" if end else "unknown"
    unit = "" if remark else " Elo"
    title = f"{row.name}: {words}{unit}, {'' if remark else '95 % interval: '}{span}"
    at = most if form.only_won else least if form.only_lost else row.elo
    return Rating(row.name, words, unit, span, title, interval(row.low, at, row.high, least, most))


@dataclass(frozen=True, slots=True)
class StandingLine:
    """One bot in the standings of a stage, with small pictures.

    Attributes:
        moved: By how many places it rose in the last round; negative if it fell.
        counts: Wins, draws and losses; at tables the number of first, second, ... places.
        last: ``W``, ``D`` or ``L`` for each of the last results, newest last.
        line: The points of the line of the rating over time; empty for fewer than two values.
        breaks: The values of the tie-breaks.
    """

    place: int
    moved: int
    name: str
    points: str
    games: int
    byes: int
    counts: str
    last: str
    line: str
    rating: Rating | None
    breaks: tuple[str, ...]
    why: str


@dataclass(frozen=True, slots=True)
class StandingsView:
    """The standings of a stage.

    Attributes:
        breaks: The short name and the meaning of each tie-break.
        points: The heading of the points, and what they are.
        rating: The heading of the ratings, and what they are.
        why: The heading of what is said about each bot.
    """

    title: str
    key: str
    lines: Sequence[StandingLine]
    breaks: Sequence[tuple[str, str]] = ()
    points: tuple[str, str] = ("Points", "")
    rating: tuple[str, str] = ("Rating", "Elo points of all matches; the bar is the interval of 95 %")
    why: str = "Why here"


def standings_of(shown: VisibleContest, run: StageRun) -> StandingsView:
    ratings, moved = ratings_of(shown), movement(run.names, run.decided())
    lines = []
    for row in run.rank():
        form = shown.course.bots.get(row.name)
        counts = row.places or (row.wins, row.draws, row.losses)
        lines.append(
            StandingLine(
                row.place, moved.get(row.name, 0), row.name, number(row.points), row.games, row.byes,
                " – ".join(map(str, counts)), form.last if form else "",
                sparkline(form.points()) if form else "", ratings.get(row.name),
                tuple(number(value) for _, value in row.tiebreaks), shown.why(row),
            )
        )  # fmt: skip
    breaks = [(HEADS[name], MEANINGS[name]) for name in tiebreaks(run)]
    return StandingsView(shown.title_of(run), f"standings-{run.config.name}", lines, breaks)


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


@dataclass(frozen=True, slots=True)
class Side:
    """One player of a match in a list.

    Attributes:
        ending: How its program ended, if it did not play to the end.
    """

    name: str
    score: str
    won: bool
    ending: str


@dataclass(frozen=True, slots=True)
class MatchLine:
    """A match in a list: its place in the contest, its players with their scores, and how it was decided.

    Attributes:
        note: A remark on the result.
    """

    id: str
    place: str
    sides: Sequence[Side]
    decided: str
    turns: int
    map: str
    counts: bool = True
    note: str = ""

    @property
    def title(self) -> str:
        return f"{self.place}: {' – '.join(side.name for side in self.sides)}"


def match_lines(matches: Iterable[Match], titles: Titles) -> list[MatchLine]:
    return [_line(match, titles) for match in matches]


def _line(match: Match, titles: Titles) -> MatchLine:
    spec, result = match
    players, winners = result.players, result.outcome.winners
    some = 0 < len(winners) < len(players)
    sides = [
        Side(name, number(player.score), some and seat in winners, failure(player.ending))
        for seat, (name, player) in enumerate(zip(spec.names, players, strict=True))
    ]
    decided = "void, does not count"
    if result.has_verdict:
        decided = decided_by(result.outcome, [player.score for player in players])
    place = titles.place(spec)
    return MatchLine(spec.match_id, place, sides, decided, result.turns, spec.map, result.has_verdict)


def failure(ending: str) -> str:
    """Return how a program ended, in words; empty if it played to the end."""
    return ending_phrase(ending) if ending in FAILURES else ""


@dataclass(frozen=True, slots=True)
class Cell:
    """The points of one bot against another. `level` goes from 0 (all lost) to 10 (all won); -1 if they never met."""

    points: str
    level: int
    title: str
    other: str


@dataclass(frozen=True, slots=True)
class HeatMap:
    """A table with shades.

    Attributes:
        columns: The heading of each column, and what it stands for.
        rows: The bots with their cells, best first.
    """

    columns: Sequence[tuple[str, str]]
    rows: Sequence[tuple[str, Sequence[Cell]]]


def heat_map(shown: VisibleContest, run: StageRun) -> HeatMap:
    """Return the crosstable of a stage, in the order of the standings, with a shade for the share of the points."""
    names = [row.name for row in run.rank()]
    points: defaultdict[tuple[str, str], float] = defaultdict(float)
    for result in run.decided():
        players = result.encounter.players
        for one, other in permutations(range(len(players)), 2):
            if _have_met(result, one, other):
                gained = result.points[one] if len(players) == 2 else result.against(one, other)
                points[players[one], players[other]] += float(gained)
    scores = {key[1:]: score for key, score in shown.course.scores.items() if key[0] == run.config.name}
    columns = [(str(place), name) for place, name in enumerate(names, 1)]
    return HeatMap(columns, [(one, [_cell(one, other, points, scores) for other in names]) for one in names])


def _have_met(result: EncounterResult, one: int, other: int) -> bool:
    """Return whether two players have played against each other. If all games of two were void, nobody has points."""
    if len(result.points) == 2:
        return any(result.points)
    return any(other in game.opponents(one) for game in result.outcomes)


def _cell(
    one: str, other: str, points: Mapping[tuple[str, str], float], scores: Mapping[tuple[str, str], float]
) -> Cell:
    if (one, other) not in points:
        return Cell("", -1, "", other)
    own, its = points[one, other], points.get((other, one), 0.0)
    level = round(10 * own / (own + its)) if own + its else 5
    title = f"{number(own)} of {number(own + its)} points against {other}"
    if (one, other) in scores:
        title += f", scores {number(scores[one, other])} : {number(scores[other, one])}"
    return Cell(number(own), level, title, other)


def podium(shown: VisibleContest) -> tuple[list[tuple[str, str]], str]:
    """Return the first three with their ratings in words, and how the last final was decided if it was equal."""
    ratings = ratings_of(shown)
    first = []
    for name in shown.final_order()[:3]:
        rating = ratings.get(name)
        first.append((name, f"{rating.words}{rating.unit}, {rating.range}" if rating else "not rated"))
    finals = shown.stages_of_all
    return first, _tie(finals[-1]) if shown.finished and finals else ""


def _tie(run: StageRun) -> str:
    finals = [one for one in run.decided() if len(one.points) == 2]
    last = max(finals, key=lambda one: (one.encounter.round, one.encounter.section == "F"), default=None)
    if last is None or not last.encounter.column or len(set(last.points)) > 1 or not last.winner_name:
        return ""
    score = " : ".join(number(float(value)) for value in last.points)
    return f"The final ended {score}. {last.winner_name} is first, decided by {last.decided}."
