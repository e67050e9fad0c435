"""What learners of Snakes want to know besides what they see: for each move, the space, the food and the danger there.

An entry point of the group ``arena.features`` names this module.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from arena_snakes.entities import FULL_HEALTH
from arena_snakes.space import neighbours, territories
from arena_snakes.words import STEPS

Fields = Mapping[str, Any]
OF_A_MOVE = ("deadly", "space", "own_space", "less_space", "food", "met_by_longer", "meets_shorter")
NOTICED = 12
"""A move with so many tiles of space less than the best one is as bad as any worse one."""
OF_ALL = ("lead", "health")
NAMES = (*OF_ALL, *(f"{direction}.{name}" for direction in STEPS for name in OF_A_MOVE))
"""The names of the features."""


def bounds(options: Mapping[str, Any]) -> dict[str, float]:  # noqa: ARG001 - other games need them
    """Return the largest absolute value of fields, by class and field."""
    return {"Snake.health": FULL_HEALTH}


def features(things: Mapping[str, tuple[str, Fields]], player: int) -> Sequence[float]:
    """Return the features of a position, from -1 to 1 and in the order of `NAMES`.

    Args:
        things: What the player sees: the class and the fields of each object, by its id.
        player: The player.
    """
    snakes = [fields for kind, fields in things.values() if kind == "Snake" and not fields["cause"]]
    mine = next((snake for snake in snakes if snake["owner"] == player), None)
    if mine is None:
        return [0.0] * len(NAMES)
    board = _Board(things["game"][1], snakes, mine)
    longest = max((len(snake["body"]) for snake in board.others), default=0)
    values = [(board.length - longest) / (board.length + longest), mine["health"] / FULL_HEALTH]
    x, y = mine["body"][0]
    moves = [board.after(x + dx, y + dy) for dx, dy in STEPS.values()]
    most = max(own for own, *_ in moves)
    for own, deadly, space, *rest in moves:
        values += [deadly, space, own / len(board.near), max(-1.0, (own - most) / NOTICED), *rest]
    return values


class _Board:
    """The board as one snake sees it. Tiles have numbers."""

    def __init__(self, game: Fields, snakes: Sequence[Fields], mine: Fields) -> None:
        self.width: int = game["width"]
        self.height: int = game["height"]
        self.near = neighbours(self.width, self.height)
        self.others = [snake for snake in snakes if snake is not mine]
        self.length = len(mine["body"])
        self.food = {self.number(*tile) for tile in game["food"]}
        self.free: dict[int, int] = {}
        for snake in snakes:
            for index, tile in enumerate(snake["body"]):
                self.free.setdefault(self.number(*tile), len(snake["body"]) - index)
        self.heads = [self.number(*snake["body"][0]) for snake in self.others]
        self.lengths = [len(snake["body"]) for snake in self.others]

    def number(self, x: int, y: int) -> int:
        """Return the number of a tile."""
        return self.width * y + x

    def after(self, x: int, y: int) -> list[float]:
        """Return for a move to a tile the number of tiles that are its own then, and the features but the own space."""
        tile = self.number(x, y)
        if not (0 <= x < self.width and 0 <= y < self.height) or self.free.get(tile, 0) > 1:
            return [0.0, 1.0] + [0.0] * (len(OF_A_MOVE) - 3)
        steps = self._steps(tile)
        nearest = min((steps[food] for food in self.food if food in steps), default=None)
        starts = [(tile, 1), *((head, 0) for head in self.heads)]
        own = territories(starts, [self.length, *self.lengths], self.free, self.near)[0]
        met = [length for head, length in zip(self.heads, self.lengths, strict=True) if tile in self.near[head]]
        return [
            1.0 + own,
            0.0,
            min(1.0, len(steps) / (2 * self.length)),
            0.0 if nearest is None else 1 / (1 + nearest),
            float(any(length >= self.length for length in met)),
            float(any(length < self.length for length in met)),
        ]

    def _steps(self, start: int) -> dict[int, int]:
        """Return in how many steps each tile can be reached past the bodies."""
        steps, queue = {start: 0}, [start]
        for tile in queue:
            for other in self.near[tile]:
                if other not in steps and self.free.get(other, 0) <= steps[tile] + 2:
                    steps[other] = steps[tile] + 1
                    queue.append(other)
        return steps
