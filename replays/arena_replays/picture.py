"""Draw the last position of a replay as a small map, for previews of links: no browser takes part.

Programs that show a link make a preview from a PNG. The real board is drawn by JavaScript, which a server does not run.
So this map has the floor, walls, and a mark in the colour of its player for each thing; the frame has the colour of the
winner. Words stand in the title of the page.
"""

from __future__ import annotations

import re
import struct
import zlib
from collections.abc import Iterator
from functools import cache
from math import sqrt
from typing import Any, Final

from arena_replays.page import asset
from arena_replays.reader import Reader
from arena_replays.state import State

WIDTH: Final = 1200
HEIGHT: Final = 630
"""The size that programs show large, in pixels."""
_MARGIN: Final = 48
_FRAME: Final = 10
_MOST_TILES: Final = 128
_MOST_THINGS: Final = 5000
_GROUND, _FLOORS, _WALL, _NEUTRAL = (0x14110F, (0x282320, 0x2E2925), 0x59626D, 0xA89C91)
_SAMPLE: Final = (16, 9)
"""Columns and rows of the board in a picture that shows no match."""

Tile = tuple[float, float]


@cache
def _colors() -> tuple[int, ...]:
    """Return the colours of the players, as the viewer has them."""
    return tuple(int(code, 16) for code in re.findall(r'"#([0-9a-f]{6})"', asset("drawing/player_colors.js")))


def color_of(seat: int, leg: int = 0) -> int:
    """Return the colour of a player, as in the viewer."""
    return _colors()[(seat ^ leg) % len(_colors())]


def picture(reader: Reader | None = None) -> bytes:
    """Return a PNG of the last position of a replay; without a position, of an empty board with two players.

    Raises:
        ReplayError: The replay cannot be read.
    """
    if reader is None or not reader.frame_count():
        paper = _Paper(*_SAMPLE, _GROUND)
        for seat, column in enumerate((4, 11)):
            paper.disc((column, 4), color_of(seat))
        return paper.png()
    state = reader.state_after(reader.frame_count() - 1)
    names = (reader.header.get("schema") or {}).get("grid") or {"width": "width", "height": "height"}
    size = next(filter(None, (_size(fields, names) for fields in state.values())), _SAMPLE)
    leg = reader.header.get("leg", 0)
    winner = reader.outcome["winner"] if reader.outcome else None
    paper = _Paper(*size, color_of(winner, leg) if isinstance(winner, int) and winner >= 0 else _GROUND)
    for tile in _walls(state, size):
        paper.square(tile, _WALL, 1.0)
    for fields in [*state.values()][:_MOST_THINGS]:
        owner = _owner(fields, state)
        color = _NEUTRAL if owner is None else color_of(owner, leg)
        for tile in _body(fields):
            paper.square(tile, color, 0.92)
        if _is_number(fields.get("x")) and _is_number(fields.get("y")) and fields.get("is_dead") is not True:
            draw = paper.disc if owner is not None else paper.dot
            draw((fields["x"], fields["y"]), color)
    return paper.png()


def _size(fields: dict[str, Any], names: dict[str, str]) -> tuple[int, int] | None:
    columns, rows = fields.get(names["width"]), fields.get(names["height"])
    is_grid = isinstance(columns, int) and isinstance(rows, int) and 0 < columns <= _MOST_TILES >= rows > 0
    return (columns, rows) if is_grid else None  # type: ignore[return-value]  # both are numbers then


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= _MOST_TILES


def _owner(fields: dict[str, Any], state: State) -> int | None:
    """Return the seat that a thing names in its field `owner` or `player`: a number, or a reference."""
    owner = fields.get("owner", fields.get("player"))
    if isinstance(owner, str):
        owner = state.get(owner, {}).get("index")
    return owner if isinstance(owner, int) and not isinstance(owner, bool) and owner >= 0 else None


def _walls(state: State, size: tuple[int, int]) -> Iterator[Tile]:
    """Yield the tiles that a field of signs calls a wall: one text, or one for each row."""
    columns, rows = size
    for value in (value for fields in state.values() for value in fields.values()):
        signs = "".join(value) if isinstance(value, list) and all(isinstance(row, str) for row in value) else value
        if isinstance(signs, str) and len(signs) == columns * rows:
            yield from ((at % columns, at // columns) for at, sign in enumerate(signs) if sign == "#")


def _body(fields: dict[str, Any]) -> Iterator[Tile]:
    """Yield the tiles of a thing that has a list of them."""
    for value in fields.values() if "owner" in fields or "player" in fields else ():
        for tile in value if isinstance(value, list) else ():
            if isinstance(tile, list) and len(tile) == 2 and all(map(_is_number, tile)):
                yield tile[0], tile[1]


class _Paper:
    """A board of tiles in the middle of a picture, with a frame."""

    def __init__(self, columns: int, rows: int, frame: int) -> None:
        self._tile = min((WIDTH - 2 * _MARGIN) / columns, (HEIGHT - 2 * _MARGIN) / rows)
        self._left = (WIDTH - self._tile * columns) / 2
        self._top = (HEIGHT - self._tile * rows) / 2
        self._rows_of_pixels = [bytearray(_bytes(_GROUND) * WIDTH) for _ in range(HEIGHT)]
        wide, high = (self._tile * count + 2 * _FRAME for count in (columns, rows))
        self._fill(self._left - _FRAME, self._top - _FRAME, wide, high, frame)
        for y in range(rows):
            for x in range(columns):
                self.square((x, y), _FLOORS[(x + y) % 2], 1.0)

    def square(self, tile: Tile, color: int, share: float) -> None:
        side = self._tile * share
        left, top = self._corner(tile, side)
        self._fill(left, top, side, side, color)

    def disc(self, tile: Tile, color: int) -> None:
        self._disc(tile, color, 0.42)

    def dot(self, tile: Tile, color: int) -> None:
        self._disc(tile, color, 0.2)

    def _disc(self, tile: Tile, color: int, share: float) -> None:
        radius = self._tile * share
        left, top = self._corner(tile, 2 * radius)
        for row in range(round(2 * radius)):
            half = sqrt(max(0.0, radius**2 - (row + 0.5 - radius) ** 2))
            self._fill(left + radius - half, top + row, 2 * half, 1, color)

    def _corner(self, tile: Tile, side: float) -> Tile:
        rest = (self._tile - side) / 2
        return self._left + tile[0] * self._tile + rest, self._top + tile[1] * self._tile + rest

    def _fill(self, left: float, top: float, wide: float, high: float, color: int) -> None:
        first, last = max(0, round(left)), min(WIDTH, round(left + wide))
        if last <= first:
            return
        ink = _bytes(color) * (last - first)
        for row in self._rows_of_pixels[max(0, round(top)) : max(0, round(top + high))]:
            row[3 * first : 3 * last] = ink

    def png(self) -> bytes:
        pixels = b"".join(b"\0" + row for row in self._rows_of_pixels)
        header = struct.pack(">IIBBBBB", WIDTH, HEIGHT, 8, 2, 0, 0, 0)
        parts = (b"IHDR", header), (b"IDAT", zlib.compress(pixels, 6)), (b"IEND", b"")
        return b"\x89PNG\r\n\x1a\n" + b"".join(_part(name, data) for name, data in parts)


def _part(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def _bytes(color: int) -> bytes:
    return color.to_bytes(3, "big")
