"""Map generation: draw the left half, then rotate it by 180 degrees to get the right half."""

from __future__ import annotations

from math import floor

from arena.game import Integers, Normal, Real, Tile
from arena_saloon.entities import Furnishing, Position


def furnish(game: Position) -> None:
    """Place hazards, then pianos, then plain furnishings, pair by pair.

    A small map can have too few tiles for all drawn furnishings. Furnishings without a tile are left out.
    """
    options = game.options
    chance = game.chance
    plain = chance.draw(Integers(0, options.max_furnishing_pairs), "furnishing_pairs")
    pianos = _piano_pairs(chance.draw(Real(), "piano_chance"), options.piano_pair_chances)
    hazards = chance.draw(Integers(0, options.max_hazard_pairs), "hazard_pairs")
    hazardous: set[tuple[int, int]] = set()
    taken: set[tuple[int, int]] = set()
    for _ in range(hazards):
        place = _draw_place(game, taken)
        hazardous |= {place, _image(game, place)}
    room = (game.width - 2) * (game.height - 2) // 2
    for number in range(min(pianos + plain, room)):
        place = _draw_place(game, taken)
        image = _image(game, place)
        taken |= {place, image}
        for x, y in (place, image):
            _put(game, x, y, is_piano=number < pianos)
    game.hazards = tuple(Tile(x, y) for x, y in sorted(hazardous, key=lambda tile: (tile[1], tile[0])))


def _piano_pairs(value: float, chances: tuple[float, ...]) -> int:
    """Convert a number drawn uniformly from [0, 1) into the number of pairs of pianos: 2, 3 or 4."""
    two, three, _ = chances
    if value < two:
        return 2
    # Round the sum, because 0.8 + 0.15 is a little more than 0.95 in binary.
    return 3 if value < round(two + three, 9) else 4


def _draw_place(game: Position, taken: set[tuple[int, int]]) -> tuple[int, int]:
    """Draw tiles until one is free floor. Return it, or its rotated image if the tile is in the right half."""
    width, height = game.width, game.height
    across, down = Normal(width / 2, width / 3), Normal(height / 2, height / 3)
    while True:
        x = floor(game.chance.draw(across, "x") + 0.5)
        y = floor(game.chance.draw(down, "y") + 0.5)
        if 0 < x < width - 1 and 0 < y < height - 1 and (x, y) not in taken:
            return (x, y) if x < width / 2 else _image(game, (x, y))


def _image(game: Position, tile: tuple[int, int]) -> tuple[int, int]:
    return game.width - 1 - tile[0], game.height - 1 - tile[1]


def _put(game: Position, x: int, y: int, *, is_piano: bool) -> None:
    number = game.next_furnishing
    game.next_furnishing = number + 1
    health = game.options.piano_health if is_piano else game.options.furnishing_health
    furnishing = game.create(Furnishing, f"f{number}", x=x, y=y, health=health, is_piano=is_piano)
    game.furnishings = (*game.furnishings, furnishing)
