"""What the pages of a contest show: standings with pictures, matches with names, ratings, and who meets whom."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import permutations
from typing import Final

from arena.contests.ladder.board import LadderRow
from arena.contests.ratings.form import Form
from arena.contests.report.columns import number
from arena.contests.report.history import decided_by, movement
from arena.contests.report.listings import tiebreaks
from arena.contests.report.titles import Titles, capital
from arena.contests.report.visible_contest import RatingRow, VisibleContest, note_of
from arena.contests.stages.encounters import EncounterResult
from arena.contests.stages.series import Match
from arena.contests.stages.stage import StageRun
from arena.contests.stages.standings import Row
from arena.contests.state import Contest
from arena.contests.tiebreaks import HEADS, MEANINGS
from arena.game.outcome import Outcome, ordinal
from arena.match.ending import FAILURES, ending_phrase
from arena.pages.pictures import Range, interval, sparkline

MOST_CROSS: Final = 40
"""The limit for the bots of a crosstable, and of the tables in `details`. More columns do not fit on a screen."""
_BOUND: Final = 1000.0
"""The ends of the pictures of ratings, in Elo. The interval of a bot that lost nothing has no useful end. A difference
of 1,000 is one win in 300, which no contest measures."""


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


def ratings_of(contest: VisibleContest) -> dict[str, Rating]:
    """Return the ratings by name, best first. All pictures have the same scale."""
    rows, forms = contest.ratings, contest.course.bots
    most = min(_BOUND, max((row.high for row in rows), default=1.0))
    least = min(max(-_BOUND, min((row.low for row in rows), default=-1.0)), most - 1.0)
    return {row.name: _rating(row, forms.get(row.name, Form()), least, most) for row in rows}


def _rating(row: RatingRow, form: Form, least: float, most: float) -> Rating:
    remark = form.remark
    words, unit = (remark, "") if remark else (_signed(row.elo), " Elo")
    low = "" if form.only_lost or row.low < -_BOUND else _signed(row.low)
    high = "" if form.only_won or row.high > _BOUND else _signed(row.high)
    span = _span(low, high)
    title = f"{row.name}: {words}{unit}, {'' if remark else '95 % interval: '}{span}"
    bar = least if form.only_lost else row.low, most if form.only_won else row.high  # an end that is not known is open
    picture = interval(bar[0], row.elo, bar[1], least, most, 0.0)
    return Rating(row.name, words, unit, span, title, picture)


def _signed(elo: float) -> str:
    return _minus(f"{elo:+z.0f}")


def _minus(number: str) -> str:
    return number.replace("-", "−")


def _span(low: str, high: str) -> str:
    """Return an interval in words. An end that is not known is empty."""
    if low and high:
        return f"{low} to {high}"
    if low:
        return f"above {low}"
    return f"below {high}" if high else "unknown"


@dataclass(frozen=True, slots=True)
class StandingLine:
    """One bot in the standings of a stage, with small pictures.

    Attributes:
        overall: The place among all, in the table of a group; 0 in others.
        moved: By how many places it rose in the last round; negative if it fell.
        counts: Wins, draws and losses; at tables how often it had which place.
        last: The letters of the last results, newest last; see `result_letter`.
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
    overall: int = 0


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

    def within(self, members: Collection[str]) -> StandingsView:
        """Return the table of some entrants, with their places among each other."""
        lines = [line for line in self.lines if line.name in members]
        places = [line.place for line in lines]
        ranked = [
            replace(line, place=1 + sum(place < line.place for place in places), overall=line.place) for line in lines
        ]
        return replace(self, lines=ranked)


def standings_of(contest: VisibleContest, run: StageRun) -> StandingsView:
    ratings, moved = ratings_of(contest), movement(run)
    lines = []
    for row in run.rank():
        form = contest.course.bots.get(row.name)
        lines.append(
            StandingLine(
                place=row.place,
                moved=moved.get(row.name, 0),
                name=row.name,
                points=number(row.points),
                games=row.games,
                byes=row.byes,
                counts=_places(row) or f"{row.wins} – {row.draws} – {row.losses}",
                last=form.last if form else "",
                line=sparkline(form.points()) if form else "",
                rating=ratings.get(row.name),
                breaks=tuple(number(value) for _, value in row.tiebreaks),
                why=contest.why(row),
            )
        )
    breaks = [(HEADS[name], MEANINGS[name]) for name in tiebreaks(run)]
    return StandingsView(contest.title_of(run), f"standings-{run.config.name}", lines, breaks)


def _places(row: Row) -> str:
    """Return how often a bot had which place at tables, in words, such as ``2 × 1st, 1 × 4th``."""
    return ", ".join(f"{count} × {ordinal(place)}" for place, count in enumerate(row.places, 1) if count)


def ladder_view(state: Contest, rows: Sequence[LadderRow]) -> StandingsView:
    """Return the table of the ladder: the rating of each entrant, the skill as a picture, and the last results."""
    least = min((row.rating for row in rows), default=0.0)
    most = max((row.skill + 3 * row.uncertainty for row in rows), default=0.0)
    return StandingsView(
        title="Ladder",
        key="ladder",
        lines=[_ladder_line(row, least, most, note_of(state, row.team)) for row in rows],
        points=("Rating", "skill minus three times its uncertainty"),
        rating=("Skill and uncertainty", "the dot is the skill, the bar ends three uncertainties from it"),
        why="Note",
    )


def _ladder_line(row: LadderRow, least: float, most: float, note: str) -> StandingLine:
    form, around = row.form, 3 * row.uncertainty
    words, span = _minus(f"{row.skill:z.2f}"), "fixed" if row.is_anchor else f"± {row.uncertainty:.2f}"
    picture = interval(row.skill - around, row.skill, row.skill + around, least, most)
    return StandingLine(
        place=row.place,
        moved=0,
        name=row.team,
        points=_minus(f"{row.rating:z.2f}"),
        games=row.matches,
        byes=0,
        counts=form.record,
        last=form.last,
        line="" if row.is_anchor else sparkline(form.points()),
        rating=Rating(row.team, words, "", span, f"{row.team}: {words} {span}", picture),
        breaks=(),
        why="anchor, fixed skill" if row.is_anchor else note,
    )


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
        Side(name, score_or_place(result.outcome, seat, player.score), some and seat in winners, failure(player.ending))
        for seat, (name, player) in enumerate(zip(spec.names, players, strict=True))
    ]
    decided = "void, does not count"
    if result.has_verdict:
        decided = decided_by(result.outcome, [player.score for player in players])
    place = titles.place(spec)
    return MatchLine(spec.match_id, place, sides, decided, result.turns, spec.map, result.has_verdict)


def score_or_place(outcome: Outcome, seat: int, score: float) -> str:
    """Return what a list shows of a player: the score in a match of two, otherwise the place.

    At tables, a score such as the length of a snake does not say who is ahead.
    """
    return ordinal(outcome.ranks[seat]) if len(outcome.ranks) > 2 else number(score)


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
        columns: The heading of each column, and what it means.
        rows: The bots with their cells, best first.
    """

    columns: Sequence[tuple[str, str]]
    rows: Sequence[tuple[str, Sequence[Cell]]]


def heat_map(contest: VisibleContest, run: StageRun) -> HeatMap:
    """Return the crosstable of a stage, in the order of the standings, with a shade for the share of the points."""
    names = [row.name for row in run.rank()]
    points: defaultdict[tuple[str, str], float] = defaultdict(float)
    for result in run.decided():
        players = result.encounter.players
        for player, opponent in permutations(range(len(players)), 2):
            if _have_met(result, player, opponent):
                gained = result.points[player] if len(players) == 2 else result.against(player, opponent)
                points[players[player], players[opponent]] += float(gained)
    scores = {key[1:]: score for key, score in contest.course.scores.items() if key[0] == run.config.name}
    columns = [(str(place), name) for place, name in enumerate(names, 1)]
    rows = [(name, [_cell(name, opponent, points, scores) for opponent in names]) for name in names]
    return HeatMap(columns, rows)


def _have_met(result: EncounterResult, player: int, opponent: int) -> bool:
    """Return whether two players have played against each other. If all games of two were void, nobody has points."""
    if len(result.points) == 2:
        return any(result.points)
    return any(opponent in game.opponents(player) for game in result.outcomes)


def _cell(
    name: str, opponent: str, points: Mapping[tuple[str, str], float], scores: Mapping[tuple[str, str], float]
) -> Cell:
    if (name, opponent) not in points:
        return Cell("", -1, "", opponent)
    own = points[name, opponent]
    both = own + points.get((opponent, name), 0.0)
    level = round(10 * own / both) if both else 5
    title = f"{number(own)} of {number(both)} points against {opponent}"
    if (name, opponent) in scores:
        title += f", scores {number(scores[name, opponent])} : {number(scores[opponent, name])}"
    return Cell(number(own), level, title, opponent)


def podium(contest: VisibleContest, members: Collection[str] | None = None) -> tuple[list[tuple[str, str]], str]:
    """Return the first three with what each has reached, and how the last final was decided if it was equal.

    Args:
        members: Those among whom the three are the first; None for all. Who wins no prizes is not among them.
    """
    order = [name for name in contest.final_order() if contest.state.wins_prizes(name)]
    names = [name for name in order if members is None or name in members][:3]
    finals = contest.stages_of_all
    return [(name, _reached(contest, name)) for name in names], _tie(finals[-1]) if contest.finished and finals else ""


def _reached(contest: VisibleContest, name: str) -> str:
    """Return what a bot has reached in its last stage, in words, such as ``9 won, 2 lost in Final``."""
    for run in reversed(contest.stages_of_all):
        for row in run.rank():
            if row.name == name:
                counts = (row.wins, "won"), (row.draws, "drawn"), (row.losses, "lost")
                record = _places(row) or ", ".join(f"{count} {word}" for count, word in counts if count)
                return f"{record or f'{number(row.points)} points'} in {capital(run.config.name)}"
    return next((f"rating {row.rating:z.2f} on the ladder" for row in contest.ladder if row.team == name), "")


def _tie(run: StageRun) -> str:
    finals = [result for result in run.decided() if len(result.points) == 2]
    last = max(finals, key=lambda final: (final.encounter.round, final.encounter.section == "F"), default=None)
    if last is None or not last.encounter.column or len(set(last.points)) > 1 or not last.winner_name:
        return ""
    score = " : ".join(number(float(value)) for value in last.points)
    return f"The final ended {score}. {last.winner_name} is first, decided by {last.decided}."
