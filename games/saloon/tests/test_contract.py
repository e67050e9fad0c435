"""The game passes the check of the game contract."""

from typing import Any

import pytest

from arena.testing import check_game
from arena_saloon import GAME


@pytest.mark.slow
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"width": 6, "height": 6, "max_turns": 60, "cowboy_health": 2, "brawler_damage": 2},
        {"width": 8, "height": 6, "max_turns": 80, "rowdiness_to_siesta": 1, "siesta_length": 2, "piano_health": 3},
    ],
    ids=str,
)
def test_contract(options: dict[str, Any]) -> None:
    check_game(GAME, games=1, options=options)
