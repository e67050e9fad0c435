"""What the pages of a contest show: standings with pictures, matches with names, ratings, and who meets whom."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from arena.contests.report.form import Course, decided_by, movement
from arena.contests.report.listings import short_name
from arena.contests.report.tables import number
from arena.contests.report.titles import Titles, stage_title
from arena.game import Outcome
from arena.match.ending import REGULAR, is_void, said
from arena.pages.pictures import Range, interval, sparkline
from arena.ratings.form import Form

Document = Mapping[str, Any]
MOST_CROSS: Final = 40
"""The limit for the bots of a crosstable, and of the tables in `details`."""
_BOUND: Final = 1000.0
"""The ends of the pictures of ratings, in Elo. The interval of a bot that lost nothing has no useful end."""


@dataclass(frozen=True, slots=True)
class Scale:
    """The ends of the pictures of ratings on one page."""

    least: float
    most: float

    @classmethod
    def of(cls, rows: Sequence[Document]) -> Scale:
        low = max(-_BOUND, min((row["low"] for row in rows), default=-1.0))
        high = min(_BOUND, max((row["high"] for row in rows), default=1.0))
        return cls(min(low, high - 1.0), high)


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


def rating_of(row: Document, form: Form | None, scale: Scale) -> Rating:
    remark = form.remark if form else ""
    elo, low, high = row["elo"], row["low"], row["high"]
    words = remark or f"{elo:+z.0f}"
    only_won, only_lost = form is not None and form.only_won, form is not None and form.only_lost
    end = "" if only_won or high > _BOUND else f"{high:+z.0f}"
    start = "" if only_lost or low < -_BOUND else f"{low:+z.0f}"
    span = f"{start} to {end}" if start and end else f"above {start}" if start else f"below {end}" if end else "unknown"
    unit = "" if remark else " Elo"
    title = f"{row['name']}: {words}{unit}, {'' if remark else '95 % interval: '}{span}"
    at = scale.most if only_won else scale.least if only_lost else elo
    return Rating(row["name"], words, unit, span, title, interval(low, at, high, scale.least, scale.most))


def ratings_of(document: Document, course: Course) -> list[Rating]:
    """Return the ratings, best first."""
    rows = document["ratings"]
    scale = Scale.of(rows)
    return [rating_of(row, course.bots.get(row["name"]), scale) for row in rows]


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


def standings_of(stage: Document, document: Document, course: Course) -> StandingsView:
    rated = {row["name"]: row for row in document["ratings"]}
    scale, moved = Scale.of(document["ratings"]), movement(stage)
    names = list(stage["standings"][0]["tiebreaks"]) if stage["standings"] else []
    lines = []
    for row in stage["standings"]:
        form = course.bots.get(row["name"])
        rating = rating_of(rated[row["name"]], form, scale) if row["name"] in rated else None
        counts = row.get("places") or (row["wins"], row["draws"], row["losses"])
        lines.append(
            StandingLine(
                row["place"], moved.get(row["name"], 0), row["name"], number(row["points"]), row["games"], row["byes"],
                " – ".join(map(str, counts)), form.last if form else "",
                sparkline(form.points()) if form else "", rating,
                tuple(number(row["tiebreaks"][name]) for name in names), row["explained"],
            )
        )  # fmt: skip
    shown = [(short_name(name), stage["tiebreaks"].get(name, name)) for name in names]
    return StandingsView(stage_title(stage), f"standings-{stage['name']}", lines, shown)


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


def match_lines(games: Iterable[Document], titles: Titles) -> list[MatchLine]:
    return [_line(game, titles) for game in games]


def _line(game: Document, titles: Titles) -> MatchLine:
    outcome = game["outcome"]
    seats = list(zip(game["seats"], outcome["seats"], strict=True))
    result = Outcome.from_document(outcome)
    winners = set(result.winners)
    void = is_void(one["ending"] for _, one in seats)
    some = 0 < len(winners) < len(seats)
    sides = [
        Side(seat["name"], number(one["score"]), some and at in winners,
             "" if one["ending"] in (*REGULAR, "void") else said(one["ending"]))
        for at, (seat, one) in enumerate(seats)
    ]  # fmt: skip
    decided = "void, does not count" if void else decided_by(result, [one["score"] for _, one in seats])
    return MatchLine(game["match_id"], titles.place(game), sides, decided, outcome["turns"], game["map"], not void)


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


def heat_map(stage: Document, course: Course) -> HeatMap:
    """Return the crosstable of a stage, in the order of the standings, with a shade for the share of the points."""
    names = [row["name"] for row in stage["standings"]]
    points: dict[tuple[str, str], float] = {}
    for encounter in stage["encounters"]:
        players, won = encounter["players"], encounter.get("points", ())
        # If all games of two players were void, nobody has points.
        met = len(won) == 2 and any(won)
        against = encounter.get("against", [(None, won[0]), (won[1], None)] if met else [])
        for one, row in zip(players, against, strict=False):
            for other, value in zip(players, row, strict=True):
                if value is not None:
                    points[one, other] = points.get((one, other), 0.0) + value
    scores = {key[1:]: score for key, score in course.scores.items() if key[0] == stage["name"]}
    columns = [(str(place), name) for place, name in enumerate(names, 1)]
    return HeatMap(columns, [(one, [_cell(one, other, points, scores) for other in names]) for one in names])


def _cell(
    one: str, other: str, points: Mapping[tuple[str, str], float], scores: Mapping[tuple[str, str], float]
) -> Cell:
    if one == other:
        return Cell("", -1, "", other)
    if (one, other) not in points:
        return Cell("", -1, "", other)
    own, its = points[one, other], points.get((other, one), 0.0)
    level = round(10 * own / (own + its)) if own + its else 5
    title = f"{number(own)} of {number(own + its)} points against {other}"
    if (one, other) in scores:
        title += f", scores {number(scores[one, other])} : {number(scores[other, one])}"
    return Cell(number(own), level, title, other)


@dataclass(frozen=True, slots=True)
class Place:
    """One of the first three.

    Attributes:
        remark: The rating with its interval, in words.
    """

    name: str
    remark: str


def podium(document: Document, course: Course) -> tuple[list[Place], str]:
    """Return the first three, and how the last final was decided if its points were equal."""
    ratings = {rating.name: rating for rating in ratings_of(document, course)}
    first = []
    for name in document["final"][:3]:
        rating = ratings.get(name)
        words = "not rated" if rating is None else f"{rating.words}{rating.unit}, {rating.range}"
        first.append(Place(name, words))
    return first, _tie(document) if document["finished"] else ""


def _tie(document: Document) -> str:
    if not document["stages"]:
        return ""
    finals = [one for one in document["stages"][-1]["encounters"] if one.get("points") and len(one["players"]) == 2]
    last = max(finals, key=lambda one: (one["round"], one["section"] == "F"), default=None)
    if last is None or not last["column"] or len(set(last["points"])) > 1 or not last["winner"]:
        return ""
    score = " : ".join(number(value) for value in last["points"])
    return f"The final ended {score}. {last['winner']} is first, decided by {last['decided']}."
