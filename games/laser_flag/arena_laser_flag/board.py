"""The part of a map that never changes: terrain and bases, with tables computed from them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from itertools import compress
from math import isqrt
from typing import NamedTuple

from arena.game import Tile
from arena_laser_flag.sight import Segment, Sight

FLOOR = "."
COVER = "o"
WALL = "#"
VOID = "_"

DIRECTIONS = (("North", 0, -1), ("East", 1, 0), ("South", 0, 1), ("West", -1, 0))

_AS_BITS = bytes.maketrans(b"01", b"\x00\x01")


class BaseMark(NamedTuple):
    """A base on the map. The owner is None for a shared base."""

    x: int
    y: int
    owner: int | None


class Board:
    """Terrain and bases of one map.

    Sets of tiles are big integers: the tile (x, y) is the bit ``y * stride + x``. One column of padding separates
    the rows, so that a step to the side cannot lead to another row.

    Attributes:
        rows: The tiles as characters, top row first.
        bases: All bases, in the order of the map file.
        walkable: The floor and cover tiles, as a set.
        cover: The cover tiles, as a set.
    """

    __slots__ = (
        "_discs",
        "_places",
        "_shelter",
        "_sight",
        "bases",
        "cover",
        "diagonals",
        "height",
        "rows",
        "stride",
        "walkable",
        "width",
    )

    def __init__(self, rows: tuple[str, ...], bases: tuple[BaseMark, ...]) -> None:
        self.rows = rows
        self.bases = bases
        self.width = len(rows[0])
        self.height = len(rows)
        self.stride = self.width + 1
        self.walkable = self._set_of(lambda kind: kind in (FLOOR, COVER))
        self.cover = self._set_of(lambda kind: kind == COVER)
        self.diagonals = self._diagonals()
        opaque = tuple((x, y) for y, row in enumerate(rows) for x, kind in enumerate(row) if kind in (WALL, VOID))
        self._sight = Sight(self.width, self.height, self.stride, opaque, self.walkable)
        self._places = tuple(Tile(index % self.stride, index // self.stride) for index in range(self._bits))
        self._shelter: dict[tuple[int, int], tuple[str, ...]] = {}
        self._discs: dict[tuple[int, int, int], int] = {}

    @property
    def _bits(self) -> int:
        return self.height * self.stride

    def _set_of(self, accepts: Callable[[str], bool]) -> int:
        return sum(self.bit(x, y) for y, row in enumerate(self.rows) for x, kind in enumerate(row) if accepts(kind))

    def _diagonals(self) -> tuple[int, int, int, int]:
        """Return the tiles where a diagonal step to the north-west, north-east, south-west and south-east can start.

        A step can start where both tiles beside the step are walkable.
        """
        walkable, stride = self.walkable, self.stride
        west, east = walkable << 1, walkable >> 1
        north, south = walkable << stride, walkable >> stride
        return north & west, north & east, south & west, south & east

    # -- tiles ---------------------------------------------------------------------------------------

    def bit(self, x: int, y: int) -> int:
        """Return the set with this tile as its only element."""
        return 1 << (y * self.stride + x)

    def has(self, x: int, y: int) -> bool:
        """Return whether a tile is on the map."""
        return 0 <= x < self.width and 0 <= y < self.height

    def kind(self, x: int, y: int) -> str:
        """Return a tile's character; void outside of the map."""
        return self.rows[y][x] if self.has(x, y) else VOID

    @lru_cache(maxsize=10_000)  # noqa: B019 - boards are few, and live long
    def tiles(self, chosen: int) -> tuple[Tile, ...]:
        """Return a set's tiles, row by row."""
        return tuple(compress(self._places, bin(chosen)[:1:-1].encode().translate(_AS_BITS)))

    def tile_number(self, chosen: int, number: int) -> Tile:
        """Return one tile of a set by its place in `tiles`, without making the other tiles."""
        first, size = 0, self._bits
        while size > 1:
            half = size >> 1
            left = chosen & ((1 << half) - 1)
            count = left.bit_count()
            if number < count:
                chosen, size = left, half
            else:
                chosen, number, first, size = chosen >> half, number - count, first + half, size - half
        return self._places[first]

    def set_of(self, tiles: Iterable[tuple[int, int]]) -> int:
        """Return the set of some tiles."""
        chosen = 0
        for x, y in tiles:
            chosen |= 1 << (y * self.stride + x)
        return chosen

    def disc(self, x: int, y: int, radius: int) -> int:
        """Return the tiles within a Euclidean distance of a tile, measured between centres."""
        disc = self._discs.get((x, y, radius))
        if disc is None:
            disc = 0
            for row in range(max(0, y - radius), min(self.height, y + radius + 1)):
                reach = isqrt(radius * radius - (row - y) ** 2)
                first, last = max(0, x - reach), min(self.width - 1, x + reach)
                disc |= ((1 << (last - first + 1)) - 1) << (row * self.stride + first)
            self._discs[x, y, radius] = disc
        return disc

    # -- sight and shelter ---------------------------------------------------------------------------

    def seen_from(self, x: int, y: int) -> int:
        """Return the walkable tiles that are visible from a walkable tile, including the tile itself."""
        return self._sight.seen_from(x, y)

    def sees(self, start: tuple[int, int], end: tuple[int, int]) -> bool:
        """Return whether one walkable tile sees another."""
        return bool(self._sight.seen_from(*start) >> (end[1] * self.stride + end[0]) & 1)

    def sight_line(self, start: tuple[int, int], end: tuple[int, int]) -> Segment | None:
        """Return a clear segment between two walkable tiles, or None. See `Sight.line`."""
        return self._sight.line(start, end)

    def is_cover(self, x: int, y: int) -> bool:
        """Return whether a tile is cover. A unit on it is raised."""
        return self.rows[y][x] == COVER

    def shelter(self, x: int, y: int) -> tuple[str, ...]:
        """Return the directions from which a unit on a tile is in cover: some of North, East, South, West."""
        shelter = self._shelter.get((x, y))
        if shelter is None:
            guards = (WALL,) if self.is_cover(x, y) else (WALL, COVER)
            shelter = tuple(name for name, right, down in DIRECTIONS if self.kind(x + right, y + down) in guards)
            self._shelter[x, y] = shelter
        return shelter

    def base_at(self, x: int, y: int) -> BaseMark | None:
        """Return the base on a tile, or None."""
        for base in self.bases:
            if base.x == x and base.y == y:
                return base
        return None


@lru_cache(maxsize=64)
def board_of(rows: tuple[str, ...], bases: tuple[BaseMark, ...]) -> Board:
    """Return the board of a map. The boards used last are cached."""
    return Board(rows, bases)
