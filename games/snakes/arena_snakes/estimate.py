"""Estimate who will win, from the space, the length and the health of the snakes. Analyses use the estimate."""

from __future__ import annotations

from math import exp

from arena_snakes.entities import FULL_HEALTH, Position, Snake
from arena_snakes.space import neighbours, territories, vacated

# These numbers were fitted to matches that Constrictor played to the end, from positions of matches of all built-in
# bots. With them, chances of snakes are in the proportions of products of powers.
SPACE = 0.28
"""The power of the number of tiles that a snake reaches first."""
FEW_TILES = 8
TRAPPED = 1.5
"""The power of the space once more, as a share of `FEW_TILES`, if a snake has fewer. Without space it dies in its next
move; 0 of 24 snakes with at most 2 tiles won."""
LENGTH = 1.8
"""The power of the length."""
HEALTH = 0.85
"""The logarithm of the odds of full health against none."""


def shares(game: Position) -> tuple[float, ...]:
    """Return the probabilities that the players win. Eliminated snakes cannot win."""
    living, width = game.living(), game.width
    heads = [(width * snake.body[0].y + snake.body[0].x, 0) for snake in living]
    lengths = [len(snake.body) for snake in living]
    spaces = territories(heads, lengths, vacated(width, living), neighbours(width, game.height))
    weights = {snake.owner: _weight(snake, 0.1 + space) for snake, space in zip(living, spaces, strict=True)}
    total = sum(weights.values())
    return tuple([weights.get(player, 0.0) / total for player in range(len(game.snakes))])


def _weight(snake: Snake, space: float) -> float:
    trapped: float = min(1.0, space / FEW_TILES) ** TRAPPED
    weight: float = space**SPACE * trapped * len(snake.body) ** LENGTH * exp(HEALTH * snake.health / FULL_HEALTH)
    return weight
