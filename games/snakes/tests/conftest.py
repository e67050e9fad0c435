"""Fixtures for the tests of Snakes: positions made by hand, in the coordinates of the published rules."""

from collections.abc import Sequence
from typing import Any

import pytest

from arena.game import Scripted
from arena_snakes import GAME, Game
from arena_snakes.entities import Snake

Document = dict[str, Any]
Place = tuple[int, int]


class Stage:
    """A game in a position made by hand, by default on a board of 10 x 10.

    Rows count from the bottom here, as in the published rules: (0, 0) is the bottom left corner.

    Args:
        *bodies: The tiles of each snake, head first.
        health: The health of each snake.
        food: The tiles with food.
        out: The players whose snakes are eliminated already.
        size: Columns and rows.
        options: The options of the game. By default no food appears.
    """

    def __init__(
        self,
        *bodies: Sequence[Place],
        health: Sequence[int] = (),
        food: Sequence[Place] = (),
        out: Sequence[int] = (),
        size: int = 10,
        turn: int = 0,
        options: Document | None = None,
    ) -> None:
        self.size = size
        given = {"players": max(2, len(bodies)), "minimum_food": 0, "food_spawn_chance": 0, **(options or {})}
        document = {
            "game": "snakes",
            "turn": turn,
            "width": size,
            "height": size,
            "reason": "",
            "food": [list(self.flip(tile)) for tile in food],
            "snakes": [
                {
                    "id": f"s{player}",
                    "body": [list(self.flip(tile)) for tile in body],
                    "health": health[player] if health else 100,
                    "chosen": None,
                    "cause": "wall-collision" if player in out else "",
                    "eliminated_by": None,
                    "eliminated_on": 0 if player in out else None,
                }
                for player, body in enumerate(bodies)
            ],
        }
        state = GAME.load(document, given)
        assert isinstance(state, Game)
        self.state = state

    def flip(self, place: Sequence[int]) -> Place:
        """Return a tile with its row counted from the other edge."""
        return place[0], self.size - 1 - place[1]

    def snake(self, player: int) -> Snake:
        """Return a player's snake."""
        return self.state.snakes[player]

    def body(self, player: int) -> list[Place]:
        """Return the tiles of a snake, head first."""
        return [self.flip(tile) for tile in self.snake(player).body]

    @property
    def food(self) -> list[Place]:
        """The tiles with food."""
        return [self.flip(tile) for tile in self.state.food]

    @property
    def fates(self) -> list[tuple[str, int | None]]:
        """Return for each snake why it was eliminated, and by which player."""
        return [(one.cause, one.eliminated_by and one.eliminated_by.owner) for one in self.state.snakes]

    def move(self, *directions: str, draws: Sequence[int] = ()) -> list[Document]:
        """Move the living snakes, in order of their players, and use all draws. Return the events."""
        mark = self.state.mark
        players = self.state.to_move()
        chance = Scripted(draws)
        for player, direction in zip(players, directions, strict=True):
            action = {"type": "move", "snake": f"s{player}", "direction": direction}
            self.state.push(player, action, chance if player == players[-1] else None)
        assert chance.left == 0
        return self.state.events(mark)


class Kit:
    """The helpers of this file as one fixture, since tests cannot import each other."""

    Stage = Stage


@pytest.fixture(scope="session")
def kit() -> type[Kit]:
    """Return the helpers of this file."""
    return Kit
