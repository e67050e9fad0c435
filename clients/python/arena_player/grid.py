"""Tiles of a board, and paths between them."""

import sys
from _heapq import heappop, heappush  # `heapq` takes longer
from collections.abc import Callable, Iterator

from .light import Any, Protocol, Self, TypeVar

FAR_AWAY = sys.maxsize
"""The distance to an object that is not on the board."""


class Located(Protocol):
    """Anything with a position: a tile or an object of the game."""

    @property
    def x(self) -> int | None:
        """Column, from the left."""

    @property
    def y(self) -> int | None:
        """Row, from the top."""


def distance(first: Located, second: Located) -> int:
    """Return the number of steps north, east, south or west between two places, ignoring obstacles.

    Return `FAR_AWAY` if a place is off the board.
    """
    if first.x is None or first.y is None or second.x is None or second.y is None:
        return FAR_AWAY
    return abs(first.x - second.x) + abs(first.y - second.y)


class Tile:
    """One square of the board. x grows to the right, y grows downwards, (0, 0) is top left.

    Attributes:
        x: Column.
        y: Row.
        north: The tile above, or None at the edge.
        south: The tile below, or None at the edge.
        east: The tile to the right, or None at the edge.
        west: The tile to the left, or None at the edge.
        neighbors: The tiles to the north, south, east and west that exist, in this order.
        things: All objects on this tile.
        game: The game that the board belongs to.
    """

    x: int
    y: int
    north: Any
    south: Any
    east: Any
    west: Any
    neighbors: list[Any]
    things: list[Any]
    game: Any

    def __init__(self, x: int, y: int, game: Any) -> None:
        self.x = x
        self.y = y
        self.game = game
        self.things = []

    def __repr__(self) -> str:
        return f"Tile({self.x}, {self.y})"

    def distance_to(self, other: Located) -> int:
        """Return the number of steps north, east, south or west to a tile or an object, ignoring obstacles."""
        return distance(self, other)

    def is_passable(self) -> bool:
        """Return whether a path can cross this tile. By default, a path can cross an empty tile."""
        return not self.things

    def path_to(self, goal: Self, passable: Callable[[Self], bool] | None = None) -> list[Self]:
        """Return a shortest path to another tile, without this tile; empty if there is no way.

        Args:
            goal: The last tile. It can be occupied.
            passable: Returns whether a path can cross a tile. The default is `is_passable`.
        """
        return find_path(self, goal, passable or _default_passable)

    def reachable(self, limit: int = FAR_AWAY, passable: Callable[[Self], bool] | None = None) -> dict[Self, int]:
        """Return the tiles that can be reached from here, with the number of steps to each. The nearest come first.

        Args:
            limit: The largest number of steps.
            passable: Returns whether a tile can be stepped on. The default is `is_passable`.
        """
        return reachable(self, passable or _default_passable, limit)

    def __iter__(self) -> Iterator[int]:
        return iter((self.x, self.y))


TileType = TypeVar("TileType", bound=Tile)


def board(width: int, height: int, game: Any, kind: type[TileType]) -> dict[tuple[int, int], TileType]:
    """Make all tiles of a board and link each to its neighbours."""
    tiles = {(x, y): kind(x, y, game) for y in range(height) for x in range(width)}
    for (x, y), tile in tiles.items():
        tile.north = tiles.get((x, y - 1))
        tile.south = tiles.get((x, y + 1))
        tile.east = tiles.get((x + 1, y))
        tile.west = tiles.get((x - 1, y))
        tile.neighbors = [near for near in (tile.north, tile.south, tile.east, tile.west) if near is not None]
    return tiles


def _default_passable(tile: Tile) -> bool:
    return tile.is_passable()


def find_path(
    start: TileType, goal: TileType, passable: Callable[[TileType], bool] = _default_passable
) -> list[TileType]:
    """Return a shortest path between two tiles (A*). Each step leads to a neighbouring tile.

    Args:
        start: The first tile.
        goal: The last tile. It can be occupied: a path to a piano ends on the piano's tile.
        passable: Returns whether a path can cross a tile. The default is `Tile.is_passable`.

    Returns:
        The tiles to step on, without `start` and with `goal`. The list is empty if there is no way, or
        if `start` is `goal`.
    """
    came_from: dict[TileType, TileType] = {}
    cost = {start: 0}
    # The counter sorts equally good tiles: the tile that was added last comes first. This makes paths straight.
    queue = [(start.distance_to(goal), 0, start)]
    counter = 0
    while queue:
        tile = heappop(queue)[2]
        if tile is goal:
            return _walk_back(came_from, start, goal)
        steps = cost[tile] + 1
        for near in tile.neighbors:
            if steps < cost.get(near, FAR_AWAY) and (near is goal or passable(near)):
                cost[near] = steps
                came_from[near] = tile
                counter -= 1
                heappush(queue, (steps + near.distance_to(goal), counter, near))
    return []


def _walk_back(came_from: dict[TileType, TileType], start: TileType, goal: TileType) -> list[TileType]:
    path = []
    tile = goal
    while tile is not start:
        path.append(tile)
        tile = came_from[tile]
    path.reverse()
    return path


def reachable(
    start: TileType, passable: Callable[[TileType], bool] = _default_passable, limit: int = FAR_AWAY
) -> dict[TileType, int]:
    """Return all tiles that can be reached, with the number of steps to each. The nearest tiles come first.

    Args:
        start: The first tile; it is part of the result, with 0 steps.
        passable: Returns whether a tile can be stepped on. The default is `Tile.is_passable`.
        limit: The largest number of steps.
    """
    steps = {start: 0}
    edge = [start]
    taken = 0
    while edge and taken < limit:
        taken += 1
        following = []
        for tile in edge:
            for near in tile.neighbors:
                if near not in steps and passable(near):
                    steps[near] = taken
                    following.append(near)
        edge = following
    return steps
