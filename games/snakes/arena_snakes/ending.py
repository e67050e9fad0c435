"""Decide when the game is over, and the ranks of the players."""

from __future__ import annotations

from arena.game import Outcome
from arena_snakes.entities import Position, Snake


def check(game: Position) -> None:
    """End the game when at most one snake is left."""
    living = len(game.living())
    if living < 2:
        game.reason = "last_snake" if living else "all_eliminated"


def outcome(game: Position) -> Outcome:
    """Return the outcome of a game that has ended.

    Ranks are the reverse order of elimination. Snakes that were eliminated in the same turn share a rank.
    """
    lasted = [_lasted(game, snake) for snake in game.snakes]
    ranks = tuple(1 + sum(other > turns for other in lasted) for turns in lasted)
    return Outcome(ranks.index(1) if game.reason == "last_snake" else None, game.reason, ranks)


def _lasted(game: Position, snake: Snake) -> float:
    """Return the number of turns that a snake lasted, with half a turn more if its player left."""
    if snake.eliminated_on is None:
        return game.turn + 1
    return snake.eliminated_on + (0.5 if snake.cause == "left" else 0)
