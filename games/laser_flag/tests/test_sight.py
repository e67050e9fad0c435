"""Lines of sight: the worked examples, and the fast tables against the definition."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena_laser_flag.board import Board
from arena_laser_flag.map_files import load_map, map_names

Place = tuple[int, int]
CORNERS = ((0, 0), (2, 0), (0, 2), (2, 2))


def board_with(walls: list[Place], width: int = 11, height: int = 11) -> Board:
    rows = ("".join("#" if (x, y) in walls else "." for x in range(width)) for y in range(height))
    return Board(tuple(rows), ())


def touches(start: Place, end: Place, wall: Place) -> bool:
    """Return whether a segment touches a wall, by the specification's integer test."""
    (ax, ay), (bx, by) = start, end
    left, top = 2 * wall[0], 2 * wall[1]
    if max(ax, bx) < left or min(ax, bx) > left + 2 or max(ay, by) < top or min(ay, by) > top + 2:
        return False
    values = [(bx - ax) * (top + v - ay) - (by - ay) * (left + u - ax) for u, v in CORNERS]
    return min(values) <= 0 <= max(values)


def points(x: int, y: int) -> list[Place]:
    return [(2 * x + 1, 2 * y + 1), *((2 * x + u, 2 * y + v) for u, v in CORNERS)]


def first_clear(board: Board, start: Place, end: Place) -> tuple[Place, Place] | None:
    walls = [(x, y) for y, row in enumerate(board.rows) for x, kind in enumerate(row) if kind in "#_"]
    for a, b in product(points(*start), points(*end)):
        if not any(touches(a, b, wall) for wall in walls):
            return a, b
    return None


@pytest.mark.parametrize(
    ("start", "end", "expected"),
    [
        ((5, 4), (5, 6), False),
        ((4, 4), (6, 6), False),
        ((4, 4), (6, 5), True),
        ((4, 5), (6, 5), False),
        ((4, 5), (6, 4), True),
        ((3, 5), (7, 5), False),
        ((3, 5), (7, 4), True),
        ((0, 5), (10, 4), True),
        ((0, 0), (10, 10), False),
        ((0, 1), (10, 10), True),
        ((4, 3), (6, 7), False),
        ((4, 3), (6, 8), True),
        ((5, 4), (6, 6), True),
        ((5, 3), (5, 8), False),
        ((4, 5), (5, 4), True),
    ],
)
def test_example_1_past_one_wall(start: Place, end: Place, expected: bool) -> None:
    board = board_with([(5, 5)])
    assert board.sees(start, end) is expected
    assert board.sees(end, start) is expected


@pytest.mark.parametrize(("start", "end"), [((4, 4), (5, 5)), ((3, 3), (6, 6)), ((4, 3), (5, 6))])
def test_example_2_diagonal_gap(start: Place, end: Place) -> None:
    assert not board_with([(5, 4), (4, 5)]).sees(start, end)


def test_example_3_doorway() -> None:
    board = board_with([(4, y) for y in range(11) if y != 5])
    assert [end for end in ((6, 5), (8, 5), (6, 4), (10, 8)) if not board.sees((2, 5), end)] == []
    assert [end for end in ((6, 3), (6, 7), (8, 8), (9, 9), (10, 10)) if board.sees((2, 5), end)] == []
    assert [end for end in ((4, 5), (5, 5), (5, 6), (6, 6)) if not board.sees((3, 4), end)] == []
    assert [end for end in ((5, 4), (6, 7), (10, 10)) if board.sees((3, 4), end)] == []


def test_sight_line_is_the_first_clear_segment() -> None:
    open_board = board_with([])
    assert open_board.sight_line((0, 0), (3, 1)) == ((1, 1), (7, 3))
    assert board_with([(5, 5)]).sight_line((4, 5), (6, 5)) is None


@st.composite
def rows_and_places(draw: st.DrawFn) -> tuple[tuple[str, ...], list[tuple[Place, Place]]]:
    width, height = draw(st.integers(11, 21)), draw(st.integers(11, 21))
    rng = draw(st.randoms(use_true_random=False))
    share = draw(st.sampled_from((0.03, 0.15, 0.35)))
    kinds = [
        [rng.choice("##_") if rng.random() < share else rng.choice("..o") for _ in range(width)] for _ in range(height)
    ]
    free = [(x, y) for y in range(height) for x in range(width) if kinds[y][x] in ".o"]
    pairs = [(rng.choice(free), rng.choice(free)) for _ in range(40)] if free else []
    return tuple("".join(row) for row in kinds), pairs


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(rows_and_places())
def test_tables_agree_with_the_definition(case: tuple[tuple[str, ...], list[tuple[Place, Place]]]) -> None:
    rows, pairs = case
    board = Board(rows, ())
    for start, end in pairs:
        expected = first_clear(board, start, end)
        assert board.sight_line(start, end) == expected
        assert board.sees(start, end) == (expected is not None or start == end)


@pytest.mark.parametrize("name", map_names())
def test_sight_is_symmetric_on_every_map(name: str) -> None:
    board = Board(tuple(load_map(name)["tiles"]), ())
    tiles = list(board.tiles(board.walkable))
    for tile in tiles:
        assert board.seen_from(*tile) == board.set_of(other for other in tiles if board.sees(other, tile))
