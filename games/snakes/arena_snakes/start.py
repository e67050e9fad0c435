"""Make the starting position: place snakes and food."""

from __future__ import annotations

from arena.game import Integers, Tile
from arena_snakes.entities import Position, Snake

START_LENGTH = 3
STANDARD_SIZE = 11


def set_up(game: Position) -> None:
    """Place the snakes and the first food."""
    options = game.options
    game.width = game.height = options.size
    heads = _start_tiles(game)
    game.snakes = tuple(
        game.create(Snake, f"s{player}", owner=player, body=(head,) * START_LENGTH) for player, head in enumerate(heads)
    )
    middle = Tile((options.size - 1) // 2, (options.size - 1) // 2)
    if options.players <= 4 or options.size >= STANDARD_SIZE:
        for head in heads:
            places = _food_places(game, head, middle)
            game.food = (*game.food, places[game.chance.draw(Integers(0, len(places) - 1), "food_place")])
    game.food = (*game.food, middle)


def _start_tiles(game: Position) -> list[Tile]:
    """Draw whether to use the corners or the middles of the sides first. Then draw each player's start tile."""
    low, middle, high = 1, (game.width - 1) // 2, game.width - 2
    corners = [Tile(low, low), Tile(low, high), Tile(high, low), Tile(high, high)]
    sides = [Tile(low, middle), Tile(middle, low), Tile(middle, high), Tile(high, middle)]
    groups = [corners, sides] if game.chance.draw(Integers(0, 1), "corners_or_sides") == 0 else [sides, corners]
    tiles: list[Tile] = []
    for _ in range(game.options.players):
        left = groups[0] or groups[1]
        tiles.append(left.pop(game.chance.draw(Integers(0, len(left) - 1), "start_place")))
    return tiles


def _food_places(game: Position, head: Tile, middle: Tile) -> list[Tile]:
    """Return the tiles where a snake's first food can lie.

    These tiles touch the head's tile diagonally. Their column or their row is further from the middle than the head's.
    The corners of the board, its middle, and tiles with food are excluded.
    """
    places = []
    for tile in (Tile(head.x + dx, head.y + dy) for dx in (-1, 1) for dy in (-1, 1)):
        is_outward = _is_outward(tile.x, head.x, middle.x) or _is_outward(tile.y, head.y, middle.y)
        is_corner = {tile.x, tile.y} <= {0, game.width - 1}
        if is_outward and not is_corner and tile not in game.food and tile != middle:
            places.append(tile)
    return places


def _is_outward(place: int, head: int, middle: int) -> bool:
    """Return whether a coordinate is further from the middle than the head's coordinate, on the same side."""
    return place < head < middle or middle < head < place
