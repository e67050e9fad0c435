"""Convert the state to JSON and back."""

from __future__ import annotations

from arena.game import Document, Tile
from arena_snakes.entities import Position, Snake


def to_document(game: Position) -> Document:
    """Return the state as plain JSON."""
    return {
        "game": "snakes",
        "turn": game.turn,
        "width": game.width,
        "height": game.height,
        "reason": game.reason,
        "food": [list(tile) for tile in game.food],
        "snakes": [_snake(snake) for snake in game.snakes],
    }


def _snake(snake: Snake) -> Document:
    return {
        "id": snake.id,
        "body": [list(tile) for tile in snake.body],
        "health": snake.health,
        "chosen": snake.chosen,
        "cause": snake.cause,
        "eliminated_by": None if snake.eliminated_by is None else snake.eliminated_by.id,
        "eliminated_on": snake.eliminated_on,
    }


def load(game: Position, document: Document) -> None:
    """Load the position of a JSON document.

    Raises:
        ValueError, KeyError, TypeError: The document is not a state of this game.
    """
    if document["game"] != "snakes":
        raise ValueError(f"The document is a state of {document['game']}, not of snakes.")
    game.turn, game.width, game.height = document["turn"], document["width"], document["height"]
    game.reason = document["reason"]
    game.food = tuple(Tile(*tile) for tile in document["food"])
    game.snakes = tuple(_read(game, player, fields) for player, fields in enumerate(document["snakes"]))
    for snake, fields in zip(game.snakes, document["snakes"], strict=True):
        snake.eliminated_by = game.entity(fields["eliminated_by"]) if fields["eliminated_by"] else None


def _read(game: Position, player: int, document: Document) -> Snake:
    values = {name: document[name] for name in ("health", "chosen", "cause", "eliminated_on")}
    body = tuple(Tile(*tile) for tile in document["body"])
    return game.create(Snake, document["id"], owner=player, body=body, **values)
