"""Movement ranges: the worked examples, the open board, and the bit tables against the definition."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena_laser_flag.board import Board
from arena_laser_flag.effective_rules import Rules, UnitClass
from arena_laser_flag.movement_range import movement_range
from arena_laser_flag.rulesets import defaults

Place = tuple[int, int]
ALPHA = Rules.from_document(defaults("alpha"))
CLASSIC = Rules.from_document(defaults("classic"))


def open_rows(size: int) -> tuple[str, ...]:
    return ("." * size,) * size


@pytest.mark.parametrize(("name", "count"), [("basic", 96), ("grunt", 96), ("sniper", 68), ("scout", 144)])
def test_open_board_in_alpha(name: str, count: int) -> None:
    board = Board(open_rows(21), ())
    assert movement_range(board, 10, 10, ALPHA.classes[name], ALPHA.diagonal_margin, 0).bit_count() == count


@pytest.mark.parametrize(("name", "count"), [("grunt", 120), ("sniper", 80), ("scout", 168)])
def test_open_board_in_classic(name: str, count: int) -> None:
    board = Board(open_rows(21), ())
    assert movement_range(board, 10, 10, CLASSIC.classes[name], CLASSIC.diagonal_margin, 0).bit_count() == count


@pytest.mark.parametrize(
    ("name", "start", "columns"),
    [
        ("grunt", 3, [0, 1, 2, 4, 5]),
        ("scout", 3, [0, 1, 2, 4, 5, 6, 7, 8, 9]),
        ("grunt", 5, [0, 1, 2, 3, 4, 6, 7, 8]),
        ("sniper", 6, [2, 3, 4, 5, 7, 8]),
    ],
)
def test_example_4_climbing(name: str, start: int, columns: list[int]) -> None:
    rows = list(open_rows(11))
    rows[4] = rows[6] = "#" * 11
    rows[5] = ".....oo.o.."
    board = Board(tuple(rows), ())
    tiles = board.tiles(movement_range(board, start, 5, ALPHA.classes[name], ALPHA.diagonal_margin, 0))
    assert [tile.x for tile in tiles] == columns


@pytest.mark.parametrize(
    ("margin", "expected"),
    [
        (None, {(3, 4), (3, 5), (3, 6), (4, 4), (4, 6), (5, 5), (5, 6)}),
        (1, {(3, 5), (4, 4), (4, 6), (5, 5)}),
        (2, {(3, 5), (4, 4), (4, 6), (5, 5)}),
    ],
)
def test_example_5_corner(margin: int | None, expected: set[Place]) -> None:
    rows = list(open_rows(11))
    rows[4] = ".....#....."
    board = Board(tuple(rows), ())
    slow = replace(ALPHA.classes["basic"], speed=1)
    assert set(board.tiles(movement_range(board, 4, 5, slow, margin, 0))) == expected


def by_definition(board: Board, start: Place, unit: UnitClass, margin: int | None, occupied: set[Place]) -> set[Place]:
    """Return the movement range by section 7.1 of the specification, step by step."""
    x0, y0 = start

    def free(x: int, y: int) -> bool:
        return board.kind(x, y) in ".o" and (x, y) not in occupied

    def step(x: int, y: int, right: int, down: int) -> bool:
        if not free(x + right, y + down):
            return False
        if not (right and down):
            return True
        if board.kind(x + right, y) in "#_" or board.kind(x, y + down) in "#_":
            return False
        if margin is None:
            return True
        far = (x + right - x0) ** 2 + (y + down - y0) ** 2
        return unit.speed >= margin and far <= (unit.speed - margin) ** 2

    range_: set[Place] = set()
    walked = {start}
    frontier = [start]
    for _ in range(unit.speed):
        reached = []
        for x, y in frontier:
            for right, down in ((i, j) for i in (-1, 0, 1) for j in (-1, 0, 1) if i or j):
                if not step(x, y, right, down):
                    continue
                tile = (x + right, y + down)
                range_.add(tile)
                climbs = board.kind(*tile) == "o" and board.kind(x, y) != "o"
                if tile not in walked and (unit.free_climb or not climbs):
                    walked.add(tile)
                    reached.append(tile)
        frontier = reached
    return range_ - {start}


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(
    st.randoms(use_true_random=False),
    st.sampled_from([(rules, name) for rules in (ALPHA, CLASSIC) for name in rules.classes]),
    st.sampled_from([None, 0, 1, 2, 7]),
    st.integers(11, 17),
    st.integers(11, 17),
)
def test_ranges_agree_with_the_definition(
    rng: Random, case: tuple[Rules, str], margin: int | None, width: int, height: int
) -> None:
    choose = rng.choice
    rows = tuple("".join(choose("......oooo##_") for _ in range(width)) for _ in range(height))
    board = Board(rows, ())
    tiles = [tuple(tile) for tile in board.tiles(board.walkable)]
    start = choose(tiles)
    occupied = {choose(tiles) for _ in range(8)} - {start}
    unit = case[0].classes[case[1]]
    found = movement_range(board, *start, unit, margin, board.set_of(occupied))
    assert set(board.tiles(found)) == by_definition(board, start, unit, margin, occupied)
