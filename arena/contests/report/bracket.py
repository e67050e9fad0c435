"""Where everything is in a bracket and in the line of a rating. The macros in ``parts/drawings.html`` draw it.

A bracket has a section for each part, a column for each round and a box for each encounter, also for those that are not
played yet; wires go from a box to the next. A box is in the middle of the boxes from which its players come.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from arena.contests.report.titles import round_title
from arena.contests.stages.encounters import Encounter
from arena.contests.stages.series import Series
from arena.contests.stages.stage import StageRun
from arena.pages.pictures import line_of

BRACKETS = ("single_elimination", "double_elimination")
"""The formats with a bracket."""
Link = Callable[[str], str | None]
"""Maps a match's id to the address of its replay; None without one."""

_WIDTH, _HEIGHT, _GAP_X, _GAP_Y = 190, 40, 36, 22
"""The sizes of a box with two lines of text, and the gaps between boxes, in pixels. A name of 20 characters fits."""
_HEADING, _BETWEEN = 22, 24
"""The room above a section for its title, and below it."""


@dataclass(frozen=True, slots=True)
class Line:
    name: str
    score: str
    won: bool


@dataclass(frozen=True, slots=True)
class Box:
    """An encounter. It has no players before they are known, and one player for a bye, or if one is known.

    Attributes:
        reason: What decided between equal points.
        round: The name of its round.
    """

    x: float
    y: float
    players: tuple[Line, ...] = ()
    decided: str = ""
    address: str = ""
    reason: str = ""
    round: str = ""


@dataclass(frozen=True, slots=True)
class Wire:
    """The way of a winner from the right side of a box to the left side of the next one.

    Attributes:
        name: The winner; empty before it is known.
    """

    x: float
    y: float
    bend: float
    next_x: float
    next_y: float
    name: str = ""


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a bracket. `x` and `y` are the place of its title."""

    title: str
    x: float
    y: float
    boxes: Sequence[Box]
    wires: Sequence[Wire]


@dataclass(frozen=True, slots=True)
class Bracket:
    name: str
    width: float
    height: float
    sections: Sequence[Section]
    box_width: int = _WIDTH
    box_height: int = _HEIGHT

    @property
    def rounds(self) -> list[tuple[str, list[Box]]]:
        """The rounds with their encounters, for a screen that is too narrow for the picture."""
        rounds: dict[str, list[Box]] = {}
        for section in self.sections:
            for box in section.boxes:
                if box.round:
                    rounds.setdefault(box.round, []).append(box)
        return list(rounds.items())


def bracket_of(run: StageRun, link: Link) -> Bracket | None:
    """Return the bracket of a stage, with places for encounters that are not played yet.

    Return None with fewer than two entrants, and for a stage without a bracket.
    """
    count, format_ = len(run.names), run.config.format
    if count < 2 or format_ not in BRACKETS:
        return None
    size = 1 << (count - 1).bit_length()
    played = {
        (series.encounter.section, series.encounter.column, series.encounter.row): series for series in run.series
    }
    sections: list[Section] = []
    ends: dict[tuple[float, float], tuple[str, int]] = {}
    top = width = 0.0
    for title, name, columns in _sections(size, format_ == "double_elimination"):
        if name == "third" and not any(key[0] == "third" for key in played):
            continue
        if name == "F":  # at the right of both brackets, between their finals
            left, middle = width + _GAP_X, sum(y for _, y in ends) / len(ends)
            start = middle - _tallest(columns) / 2
            wires = [Wire(x, y, left - _GAP_X / 2, left, middle, _winner(played, *end)) for (x, y), end in ends.items()]
            wires += _wires(name, columns, played, start, left)
            boxes = list(_boxes(run, name, columns, played, start, link, left, ends.values()))
            sections.append(Section(title, left, start - 8, boxes, wires))
            width = max(box.x for box in boxes) + _WIDTH
            continue
        boxes = list(_boxes(run, name, columns, played, top + _HEADING, link))
        sections.append(Section(title, 0, top + 14, boxes, list(_wires(name, columns, played, top + _HEADING))))
        ends[boxes[-1].x + _WIDTH, boxes[-1].y + _HEIGHT / 2] = name, len(columns)
        width = max(width, len(columns) * (_WIDTH + _GAP_X) - _GAP_X)
        top += _HEADING + _tallest(columns) + _BETWEEN
    return Bracket(run.config.name, width + 2, top, sections)


def _sections(size: int, double: bool) -> list[tuple[str, str, list[int]]]:
    """Return, for each part of a bracket, its title, its name, and the number of rows in each of its columns."""
    depth = size.bit_length() - 1
    winners = ("Winners' bracket" if double else "Bracket", "W", [size >> column for column in range(1, depth + 1)])
    if not double:
        return [winners, ("Third place", "third", [1])]
    losers = [max(1, size >> ((column + 1) // 2 + 1)) for column in range(1, 2 * depth - 1)]
    parts = [winners, ("Losers' bracket", "L", losers), ("Grand final", "F", [1, 1])]
    return [part for part in parts if part[2]]


def _tallest(columns: list[int]) -> float:
    return max(columns) * (_HEIGHT + _GAP_Y)


def _middle(columns: list[int], column: int, row: float, top: float) -> float:
    return top + _tallest(columns) * (row + 0.5) / columns[column]


Encounters = Mapping[tuple[str, int, int], Series]
"""The encounters of a bracket, by section, column and row."""


def _places(section: str, columns: list[int], played: Encounters) -> Iterator[tuple[int, int, Series | None]]:
    """Yield column, row and games of each box. A second grand final has a box only if it takes place."""
    for column, rows in enumerate(columns):
        for row in range(rows):
            series = played.get((section, column + 1, row))
            if series is not None or section not in ("F", "third") or column == 0:
                yield column, row, series


def _boxes(
    run: StageRun,
    section: str,
    columns: list[int],
    played: Encounters,
    top: float,
    link: Link,
    left: float = 0.0,
    ends: Iterable[tuple[str, int]] = (),
) -> Iterator[Box]:
    for column, row, series in _places(section, columns, played):
        x, y = left + column * (_WIDTH + _GAP_X), _middle(columns, column, row, top) - _HEIGHT / 2
        if series is None:
            before = [(section, column, place) for place in range(columns[column - 1] if column else 0)]
            before = [place for place in before if place[2] * columns[column] // columns[column - 1] == row]
            winners = filter(None, (_winner(played, *place) for place in before or ends))
            known = tuple(winners)  # its round is not paired yet
            coming = Encounter(run.config.name, 0, 0, known, 0, True, section, column + 1, row)
            lines = tuple(Line(name, "", False) for name in known)
            yield Box(x, y, lines, "to be played", round=round_title(run, coming)) if known else Box(x, y)
            continue
        addresses = (link(game.spec.match_id) for game in reversed(series.games))
        address = next(filter(None, addresses), "")
        players, title = series.encounter.players, round_title(run, series.encounter)
        if not series.is_decided:
            lines = tuple(Line(name, "", False) for name in players)
            yield Box(x, y, lines, "to be played", address, "", title)
            continue
        result = series.result()
        scores = [""] if series.encounter.is_bye else [f"{float(points):g}" for points in result.points]
        lines = tuple(
            Line(name, score, result.winner_name == name) for name, score in zip(players, scores, strict=True)
        )
        level = len(scores) > 1 and len(set(result.points)) == 1 and result.winner is not None
        yield Box(x, y, lines, result.decided, address, f"decided by {result.decided}" if level else "", title)


def _wires(section: str, columns: list[int], played: Encounters, top: float, left: float = 0.0) -> Iterator[Wire]:
    for column, row, _ in _places(section, columns, played):
        if column + 1 < len(columns) and (section != "F" or (section, column + 2, 0) in played):
            x = left + column * (_WIDTH + _GAP_X) + _WIDTH
            next_y = _middle(columns, column + 1, row * columns[column + 1] // columns[column], top)
            name = _winner(played, section, column + 1, row)
            yield Wire(x, _middle(columns, column, row, top), x + _GAP_X / 2, x + _GAP_X, next_y, name)


def _winner(played: Encounters, section: str, column: int, row: int = 0) -> str:
    series = played.get((section, column, row))
    return (series.result().winner_name or "") if series and series.is_decided else ""


@dataclass(frozen=True, slots=True)
class History:
    """The points of a line in a box of 620 x 110, and the least and the greatest value."""

    points: str
    low: float
    high: float


def history_of(values: Sequence[float]) -> History | None:
    """Return the line of a rating over time. A line needs two values: return None for fewer."""
    if len(values) < 2:
        return None
    return History(line_of(values, 620, 102, 94, ".1f"), min(values), max(values))
