"""The number needed for a shot: the roll tables of both rulesets, the printed table, and worked example 6."""

from __future__ import annotations

from typing import Any

import pytest

from arena_laser_flag.to_hit import chance_of, parts_against

COVER_AT_SHOOTER = (5, 2)
COVER_AT_TARGET = (5, 8)
WALL_BEFORE_TARGET = (5, 7)

# shooter, whether it is raised, then the numbers for: any, any in cover, grunt in cover, any raised, grunt raised
ALPHA = [
    ("basic", False, (7, 9, 10, 5, 4)),
    ("basic", True, (5, 7, 8, 3, 2)),
    ("grunt", False, (7, 9, 10, 5, 4)),
    ("grunt", True, (4, 6, 7, 2, 1)),
    ("sniper", False, (6, 8, 9, 4, 3)),
    ("sniper", True, (4, 6, 7, 2, 1)),
    ("scout", False, (8, 10, 11, 6, 5)),
    ("scout", True, (6, 8, 9, 4, 3)),
]
CLASSIC = [
    ("grunt", False, (7, 9, 10, 5, 5)),
    ("grunt", True, (6, 8, 9, 4, 4)),
    ("sniper", False, (6, 8, 9, 4, 4)),
    ("sniper", True, (5, 7, 8, 3, 3)),
    ("scout", False, (8, 10, 11, 6, 6)),
    ("scout", True, (7, 9, 10, 5, 5)),
]
PRINTED = [("grunt", (6, 8, 9, 4)), ("sniper", (5, 7, 8, 3)), ("scout", (7, 9, 10, 5))]


def needed(make_game: Any, ruleset: str, shooter: str, raised: bool, column: int, rules: Any = None) -> int:
    """Return the number for one cell of the table, computed for two units on a board."""
    target = "grunt" if column in (2, 4) else "scout"
    game = make_game(
        ruleset=ruleset,
        units=[(0, shooter, 5, 2), (1, target, 5, 8)],
        cover=([COVER_AT_SHOOTER] if raised else []) + ([COVER_AT_TARGET] if column in (3, 4) else []),
        walls=[WALL_BEFORE_TARGET] if column in (1, 2) else [],
        rules=rules,
    )
    return sum(parts_against(game, *game.units).values())


@pytest.mark.parametrize(("shooter", "raised", "row"), ALPHA)
def test_alpha_table(make_game: Any, shooter: str, raised: bool, row: tuple[int, ...]) -> None:
    assert tuple(needed(make_game, "alpha", shooter, raised, column) for column in range(5)) == row


@pytest.mark.parametrize(("shooter", "raised", "row"), CLASSIC)
def test_classic_table(make_game: Any, shooter: str, raised: bool, row: tuple[int, ...]) -> None:
    assert tuple(needed(make_game, "classic", shooter, raised, column) for column in range(5)) == row


@pytest.mark.parametrize(("shooter", "row"), PRINTED)
def test_printed_table_of_raised_shooters(make_game: Any, shooter: str, row: tuple[int, ...]) -> None:
    rules = {"classes": {name: {"elevated_attack": -1} for name in ("basic", "grunt", "sniper", "scout")}}
    assert tuple(needed(make_game, "alpha", shooter, True, column, rules) for column in range(4)) == row


def test_example_6_numbers(make_game: Any) -> None:
    game = make_game(walls=[(5, 4)], cover=[(5, 5), (3, 3)], units=[(0, "sniper", 3, 3), (1, "grunt", 5, 5)])
    sniper, grunt = game.units
    assert (grunt.elevated, grunt.cover, sniper.elevated, sniper.cover) == (True, ("North",), True, ())
    assert sum(parts_against(game, sniper, grunt).values()) == 4
    assert sum(parts_against(game, grunt, sniper).values()) == 2
    assert sum(parts_against(game, grunt, sniper, "snap").values()) == 5


def test_dice_table() -> None:
    ways = [36, 35, 33, 30, 26, 21, 15, 10, 6, 3, 1]
    assert [round(36 * chance_of(number)) for number in range(2, 13)] == ways
    falls = [first + second for first in range(1, 7) for second in range(1, 7)]
    assert ways == [sum(fall >= number for fall in falls) for number in range(2, 13)]
    assert (chance_of(-5), chance_of(1), chance_of(13), chance_of(40)) == (1, 1, 0, 0)
