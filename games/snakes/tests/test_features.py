"""The space that features count. arena-learn tests the features themselves."""

from __future__ import annotations

from arena_snakes.space import neighbours, territories

NEAR = neighbours(5, 1)


def test_of_two_at_once_the_longer_one_takes_a_tile() -> None:
    assert NEAR == ((1,), (0, 2), (1, 3), (2, 4), (3,))
    assert territories([(0, 0), (4, 0)], [3, 4], {}, NEAR) == [1, 2]
    assert territories([(0, 0), (4, 0)], [4, 3], {}, NEAR) == [2, 1]


def test_a_tile_counts_when_the_body_has_left_it() -> None:
    assert territories([(0, 0), (4, 0)], [4, 3], {1: 9}, NEAR) == [0, 2]
    assert territories([(0, 0), (4, 0)], [4, 3], {1: 1}, NEAR) == [2, 1]


def test_a_head_that_comes_with_the_next_move() -> None:
    assert territories([(1, 1), (4, 0)], [3, 4], {}, NEAR) == [1, 2]
