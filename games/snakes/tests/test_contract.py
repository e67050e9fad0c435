"""The game passes the check of the game contract."""

from random import Random
from typing import Any

import pytest

from arena.game import Seeded
from arena.testing import check_game
from arena_snakes import GAME, Game
from arena_snakes.words import STEPS


@pytest.mark.parametrize(
    ("options", "games"),
    [
        pytest.param({}, 2, marks=pytest.mark.slow),
        ({"players": 2, "size": 7}, 3),
        pytest.param({"players": 8, "minimum_food": 4, "food_spawn_chance": 100}, 1, marks=pytest.mark.slow),
    ],
    ids=str,
)
def test_contract(options: dict[str, Any], games: int) -> None:
    check_game(GAME, games=games, options=options)


def test_a_long_game_is_undone_to_its_start_and_read_back_from_views_and_documents() -> None:
    """Undo a long game. Its moves avoid walls and bodies, so that snakes eat and grow, since random play ends soon."""
    rng, chance = Random(4), Seeded(4)
    options = GAME.resolve_options({"players": 8, "size": 19})
    state: Any = GAME.start(options, chance)
    passed = []
    while to_move := state.to_move():
        player = to_move[0]
        passed.append((state.mark, state.digest()))
        state.push(player, cautious_move(state, player, rng), chance)
        if len(passed) % 40 == 0:
            assert GAME.load(state.to_document(), options).digest() == state.digest()
            assert Game.from_view(state.view(), options).digest() == state.digest()
    assert state.turn > 40
    assert max(state.scores()) > 5
    for mark, digest in reversed(passed):
        state.pop(mark)
        assert state.digest() == digest


def cautious_move(state: Any, player: int, rng: Random) -> dict[str, Any]:
    """Return a random move to a free tile of the board; any move if there is none."""
    taken = {tile for snake in state.living() for tile in snake.body[:-1]}
    head = state.snakes[player].body[0]
    listed = state.legal_actions(player)
    places = {move["direction"]: (head.x + dx, head.y + dy) for move in listed for dx, dy in [STEPS[move["direction"]]]}
    size = range(state.width)
    free = [move for move in listed if (place := places[move["direction"]]) not in taken and set(place) <= set(size)]
    return rng.choice(free or listed)
