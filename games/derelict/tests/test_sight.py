"""Lines of sight: the examples of the rules, and the masks against a literal implementation of the rules."""

from itertools import product
from random import Random

import pytest

from arena_derelict.board import Board
from arena_derelict.map_files import load_map
from arena_derelict.rulesets import FACINGS, VECTORS
from arena_derelict.sight import Lines, is_open

Cell = tuple[int, int]


def board(rows: list[str]) -> Board:
    return Board({"rows": rows, "marines": []})


def has_line_of_sight(pieces: Board, first: Cell, second: Cell, obstructed: int) -> bool:
    return first == second or is_open(Lines(pieces.width).between(*first, *second), obstructed | pieces.walls)


def one_way_is_clear(start: Cell, end: Cell, obstructed: set[Cell]) -> bool:
    """Return whether a line is clear in one direction, as literally in the rules."""
    (x0, y0), (x1, y1) = start, end
    dx, dy = abs(x1 - x0), abs(y1 - y0)
    sx, sy = (x1 > x0) - (x1 < x0), (y1 > y0) - (y1 < y0)
    err = dx - dy
    x, y = x0, y0
    while (x, y) != (x1, y1):
        px, py = x, y
        e2 = 2 * err
        if e2 > -dy:
            err -= dy
            x += sx
        if e2 < dx:
            err += dx
            y += sy
        if (x, y) != (x1, y1) and (x, y) in obstructed:
            return False
        if x != px and y != py and (x, py) in obstructed and (px, y) in obstructed:
            return False
    return True


def is_clear(first: Cell, second: Cell, obstructed: set[Cell]) -> bool:
    return one_way_is_clear(first, second, obstructed) and one_way_is_clear(second, first, obstructed)


def in_field(marine: Cell, facing: str, cell: Cell) -> bool:
    fx, fy = VECTORS[FACINGS.index(facing)]
    dx, dy = cell[0] - marine[0], cell[1] - marine[1]
    forward, side = dx * fx + dy * fy, dx * fy - dy * fx
    return (dx, dy) == (0, 0) or (forward > 0 and abs(side) <= forward)


EXAMPLE = ["######", "#.##.#", "##...#", "#....#", "######"]


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ((1, 1), (2, 2), False),
        ((2, 2), (4, 1), False),
        ((1, 3), (4, 2), True),
        ((1, 3), (4, 1), True),
        ((2, 3), (3, 2), True),
        ((1, 1), (1, 1), True),
        ((0, 0), (5, 0), False),
        ((1, 3), (1, 4), True),
        ((1, 3), (0, 4), False),
    ],
)
def test_the_example(first: Cell, second: Cell, expected: bool) -> None:
    pieces = board(EXAMPLE)
    assert has_line_of_sight(pieces, first, second, 0) == expected
    assert has_line_of_sight(pieces, second, first, 0) == expected


def test_one_way_only_is_not_enough() -> None:
    walls = {(x, y) for y, row in enumerate(EXAMPLE) for x, letter in enumerate(row) if letter == "#"}
    assert one_way_is_clear((2, 2), (4, 1), walls)
    assert not one_way_is_clear((4, 1), (2, 2), walls)


def test_a_corner_of_two_obstructions_blocks_one_does_not() -> None:
    pieces = board(["...", "...", "..."])
    bits = [1 << pieces.number(*cell) for cell in ((1, 0), (0, 1))]
    assert has_line_of_sight(pieces, (0, 0), (1, 1), bits[0])
    assert has_line_of_sight(pieces, (0, 0), (1, 1), bits[1])
    assert not has_line_of_sight(pieces, (0, 0), (1, 1), bits[0] | bits[1])


@pytest.mark.parametrize("seed", range(12))
def test_masks_agree_with_the_rules(seed: int) -> None:
    rng = Random(seed)
    width, height = rng.randint(2, 17), rng.randint(2, 13)
    density = rng.choice((0.05, 0.2, 0.4))
    rows = ["".join(rng.choices("#.", (density, 1 - density), k=width)) for _ in range(height)]
    pieces = board(rows)
    cells = list(product(range(width), range(height)))
    walls = {(x, y) for x, y in cells if rows[y][x] == "#"}
    units = set(rng.sample(cells, min(len(cells), rng.randint(0, 12))))
    mask = sum(1 << pieces.number(*cell) for cell in units)
    for first in rng.sample(cells, min(len(cells), 14)):
        for second in cells:
            expected = is_clear(first, second, walls | units) if first != second else True
            assert has_line_of_sight(pieces, first, second, mask) == expected, (rows, units, first, second)


@pytest.mark.parametrize("seed", range(6))
def test_seen_cells_agree_with_the_rules(seed: int) -> None:
    rng = Random(seed)
    mission = load_map("long_dark")
    pieces = Board(mission)
    rows = mission["rows"]
    cells = list(product(range(pieces.width), range(pieces.height)))
    walls = {(x, y) for x, y in cells if rows[y][x] == "#"}
    open_cells = [cell for cell in cells if cell not in walls]
    places = [*open_cells, *pieces.lurk_cells, *pieces.drop_cells]
    units = set(rng.sample(places, 30))
    mask = sum(1 << pieces.number(*cell) for cell in units)
    for marine in rng.sample(places, 6):
        for facing in FACINGS:
            expected = {
                cell
                for cell in places
                if in_field(marine, facing, cell) and (cell == marine or is_clear(marine, cell, walls | units))
            }
            seen = pieces.seen(pieces.number(*marine), facing, mask)
            assert set(pieces.cells(seen)) == expected
            assert pieces.seen(pieces.number(*marine), facing, mask) == seen
