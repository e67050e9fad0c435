"""Layers of the grid, drawn from what a player sees."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena_learn.spaces.layout import Plane
from arena_learn.spaces.tracker import DTYPES, Thing, Tracker


class Planes:
    """Draws the layers of the grid that one player sees.

    Args:
        tracker: What the player sees. The layout has the meaning of each layer, in ``planes``.
    """

    def __init__(self, tracker: Tracker) -> None:
        self._tracker = tracker
        self._layers: dict[str, list[tuple[int, Plane]]] = {}
        for number, plane in enumerate(tracker.layout.planes):
            self._layers.setdefault(plane.name, []).append((number, plane))
        width, height = tracker.layout.grid
        self._shape = len(tracker.layout.planes), height, width
        self._ground: dict[int, tuple[Any, NDArray[np.float32]]] = {}

    def draw(self) -> NDArray[np.float32]:
        """Return new layers: an array of layer, row and column, with numbers from -1 to 1."""
        made = np.zeros(self._shape, np.float32)
        for thing in self._tracker.things.values():
            kind = thing.kind
            layers = self._layers.get(kind.table.name)
            if not layers:
                continue
            values = thing.values
            mine = not kind.owner or values.get(kind.owner) == self._tracker.player
            for number, plane in layers:
                if plane.kind in ("symbol", "array"):
                    made[number] = self._ground_of(number, plane, values[plane.field])
                elif mine != plane.kind.startswith("own"):
                    continue
                elif plane.field:
                    _draw_tiles(made[number], values[plane.field])
                elif values["x"] is not None and values["y"] is not None:
                    made[number, values["y"], values["x"]] = 1
        return made

    def around(self, radius: int) -> NDArray[np.float32]:
        """Return new layers around the observer's own first object, with one more that is 1 off the grid.

        The object is the first one on the grid, or the first tile of the first list of tiles. Without any, the middle
        of the grid takes its place.

        Args:
            radius: How many tiles there are on each side.
        """
        layers, (_, height, width) = self.draw(), self._shape
        x, y = self._own_place() or (width // 2, height // 2)
        made = np.zeros((len(layers) + 1, 2 * radius + 1, 2 * radius + 1), np.float32)
        made[-1] = 1
        left, top = max(0, x - radius), max(0, y - radius)
        right, bottom = min(width, x + radius + 1), min(height, y + radius + 1)
        rows = slice(top - y + radius, bottom - y + radius)
        columns = slice(left - x + radius, right - x + radius)
        made[:-1, rows, columns] = layers[:, top:bottom, left:right]
        made[-1, rows, columns] = 0
        return made

    def _own_place(self) -> tuple[int, int] | None:
        player = self._tracker.player
        for thing in self._tracker.things.values():
            owner = thing.kind.owner
            if owner and thing.values.get(owner) == player and (place := self.place_of(thing)) is not None:
                return place
        return None

    def place_of(self, thing: Thing) -> tuple[int, int] | None:
        """Return where an object stands: its column and row, or the first tile of its first list of tiles."""
        values = thing.values
        for _, plane in self._layers.get(thing.kind.table.name, ()):
            if plane.kind == "own" and values["x"] is not None and values["y"] is not None:
                return values["x"], values["y"]
            if plane.kind == "own tiles" and values[plane.field]:
                x, y = values[plane.field][0]
                return x, y
        return None

    def _ground_of(self, number: int, plane: Plane, value: Any) -> NDArray[np.float32]:
        """Return a layer of the map, which is drawn again only if its field has changed."""
        known = self._ground.get(number)
        if known is None or (known[0] is not value and known[0] != value):
            drawn = np.zeros(self._shape[1:], np.float32)
            if plane.kind == "array" and value is not None:
                layers = np.frombuffer(value, DTYPES[plane.dtype]).reshape(-1, *self._shape[1:])
                if plane.layer < len(layers):
                    drawn[:] = (layers[plane.layer] / plane.scale).clip(-1, 1)
            elif value:
                text = "".join(value) if isinstance(value, list) else value
                drawn[:] = np.array([symbol == plane.symbol for symbol in text], np.float32).reshape(self._shape[1:])
            self._ground[number] = known = value, drawn
        return known[1]


def _draw_tiles(layer: NDArray[np.float32], tiles: Any) -> None:
    """Draw the first tile as 1 and the later ones falling. Where two share a place, the earlier one counts."""
    if not tiles:
        return
    height, width = layer.shape
    for place in range(len(tiles) - 1, -1, -1):
        x, y = tiles[place]
        if 0 <= x < width and 0 <= y < height:
            layer[y, x] = max(1.0 - place / len(tiles), layer[y, x])
