"""Where everything is in a bracket and in the line of a rating. The macros in ``parts/drawings.html`` draw it."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from arena.contests.report.documents import BRACKETS
from arena.contests.report.titles import round_title

Document = Mapping[str, Any]
Link = Callable[[str], str]
"""Maps a match's id to the address of its replay, or a bot's name to the address of its page; "" without an address."""

_WIDTH, _HEIGHT, _GAP_X, _GAP_Y = 190, 40, 36, 22


@dataclass(frozen=True, slots=True)
class Line:
    name: str
    score: str
    won: bool


@dataclass(frozen=True, slots=True)
class Box:
    """An encounter. It has no players before they are known, and one player for a bye.

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
        found: dict[str, list[Box]] = {}
        for section in self.sections:
            for box in section.boxes:
                if box.round:
                    found.setdefault(box.round, []).append(box)
        return list(found.items())


def bracket_of(stage: Document, link: Link) -> Bracket | None:
    """Return the bracket of a stage, with places for encounters that are not played yet.

    Return None with fewer than two entrants, and for a stage without a bracket.
    """
    count = len(stage["standings"])
    if count < 2 or stage["format"] not in BRACKETS:
        return None
    size = 1 << (count - 1).bit_length()
    found = {(e["section"], e["column"], e["row"]): e for e in stage["encounters"]}
    sections: list[Section] = []
    ends: dict[tuple[float, float], tuple[str, int]] = {}
    top = width = 0.0
    for title, name, columns in _sections(size, stage["format"] == "double_elimination"):
        if name == "third" and not any(key[0] == "third" for key in found):
            continue
        if name == "F":  # at the right of both brackets, between their finals
            left, middle = width + _GAP_X, sum(y for _, y in ends) / len(ends)
            start = middle - _tallest(columns) / 2
            into = [Wire(x, y, left - _GAP_X / 2, left, middle, _winner(found, *last)) for (x, y), last in ends.items()]
            boxes = list(_boxes(stage, name, columns, found, start, link, left))
            sections.append(Section(title, left, start - 8, boxes, [*into, *_wires(name, columns, found, start, left)]))
            width = max(box.x for box in boxes) + _WIDTH
            continue
        boxes = list(_boxes(stage, name, columns, found, top + 22, link))
        sections.append(Section(title, 0, top + 14, boxes, list(_wires(name, columns, found, top + 22))))
        ends[boxes[-1].x + _WIDTH, boxes[-1].y + _HEIGHT / 2] = name, len(columns)
        width = max(width, len(columns) * (_WIDTH + _GAP_X) - _GAP_X)
        top += 22 + _tallest(columns) + 24
    return Bracket(stage["name"], width + 2, top, sections)


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


Found = Mapping[tuple[str, int, int], Document]


def _places(section: str, columns: list[int], found: Found) -> Iterator[tuple[int, int, Document | None]]:
    """Yield column, row and encounter of each box. A second grand final has a box only if it takes place."""
    for column, rows in enumerate(columns):
        for row in range(rows):
            encounter = found.get((section, column + 1, row))
            if encounter is not None or section not in ("F", "third") or column == 0:
                yield column, row, encounter


def _boxes(
    stage: Document, section: str, columns: list[int], found: Found, top: float, link: Link, left: float = 0.0
) -> Iterator[Box]:
    for column, row, encounter in _places(section, columns, found):
        x, y = left + column * (_WIDTH + _GAP_X), _middle(columns, column, row, top) - _HEIGHT / 2
        if encounter is None:
            yield Box(x, y)
            continue
        address = next((place for match in reversed(encounter["matches"]) if (place := link(match))), "")
        decided, points = encounter.get("decided", "to be played"), encounter.get("points") or ()
        level = len(points) > 1 and len(set(points)) == 1 and encounter.get("winner")
        reason = f"decided by {decided}" if level else ""
        yield Box(x, y, tuple(_lines(encounter)), decided, address, reason, round_title(stage, encounter))


def _lines(encounter: Document) -> Iterator[Line]:
    players = encounter["players"]
    for name, points in zip(players, encounter.get("points") or [None] * len(players), strict=True):
        score = "" if points is None or len(players) == 1 else f"{points:g}"
        yield Line(name, score, encounter.get("winner") == name)


def _wires(section: str, columns: list[int], found: Found, top: float, left: float = 0.0) -> Iterator[Wire]:
    for column, row, _ in _places(section, columns, found):
        if column + 1 < len(columns) and (section != "F" or (section, column + 2, 0) in found):
            x = left + column * (_WIDTH + _GAP_X) + _WIDTH
            next_y = _middle(columns, column + 1, row * columns[column + 1] // columns[column], top)
            name = _winner(found, section, column + 1, row)
            yield Wire(x, _middle(columns, column, row, top), x + _GAP_X / 2, x + _GAP_X, next_y, name)


def _winner(found: Found, section: str, column: int, row: int = 0) -> str:
    return found.get((section, column, row), {}).get("winner") or ""


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
    low, high = min(values), max(values)
    span = max(high - low, 1.0)
    points = " ".join(
        f"{620 * index / (len(values) - 1):.1f},{102 - 94 * (value - low) / span:.1f}"
        for index, value in enumerate(values)
    )
    return History(points, low, high)
