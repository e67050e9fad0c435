"""Text and pictures of a position, without a browser.

The renderers of games are JavaScript, and one frame in a headless browser takes longer than a whole match here. So
pictures are drawn cell by cell from the schema. Play a match with a replay to watch it as people see it (`arena view`).
"""

from __future__ import annotations

import sys

import numpy as np
from numpy.typing import NDArray

from arena.game import GameSpec, State
from arena.text.form import position, things_of
from arena_learn.spaces.layout import Layout
from arena_learn.spaces.planes import Planes
from arena_learn.spaces.tracker import Tracker
from arena_player.schema import parse_schema

MODES = ("ansi", "rgb_array", "human")
CELL = 16
"""The side of a cell in pixels."""
BACKGROUND = (24, 26, 32)
LINE = (44, 47, 56)
COLOURS = ((230, 159, 0), (86, 180, 233), (0, 158, 115), (240, 228, 66), (204, 121, 167), (213, 94, 0), (0, 114, 178))
"""Colours that people with colour blindness can tell apart."""

Picture = NDArray[np.uint8]


class Renderer:
    """Draws the position of a match, with everything that is hidden from players.

    Args:
        game: The game.
        layout: Its layout.
    """

    def __init__(self, game: GameSpec, layout: Layout) -> None:
        self._layout = layout
        self._schema = parse_schema(game.schema())

    def render(self, mode: str | None, state: State) -> Picture | str | None:
        """Return a picture or a text, or print the text.

        Args:
            mode: ``rgb_array``, ``ansi``, ``human``, or None for nothing.
            state: The position.
        """
        if mode == "rgb_array":
            return self.picture(state)
        if mode == "ansi":
            return self.text(state)
        if mode == "human":
            sys.stdout.write(self.text(state))
        return None

    def text(self, state: State) -> str:
        """Return the board, and the fields of all objects."""
        return position(self._schema, things_of(state.view()), board="full") + "\n"

    def picture(self, state: State) -> Picture:
        """Return the grid, a colour for each layer and seat; without a grid, a row of cells for each object."""
        tracker = Tracker(self._layout, 0)
        tracker.start(state.view())
        width, height = self._layout.grid
        if not width:
            return _rows(tracker)
        shade = np.empty((height, width, 3), np.float32)
        shade[:] = BACKGROUND
        for number, layer in enumerate(Planes(tracker).draw()):
            share = layer[:, :, None]
            shade = shade * (1 - 0.8 * share) + np.array(COLOURS[number % len(COLOURS)]) * 0.8 * share
        return _enlarged(shade)


def _rows(tracker: Tracker) -> Picture:
    rows = [
        tracker.numbers[table.first + row * table.width : table.first + (row + 1) * table.width]
        for table in tracker.layout.tables
        for row in range(table.rows)
    ]
    shade = np.empty((len(rows), max(map(len, rows)), 3), np.float32)
    shade[:] = BACKGROUND
    for number, row in enumerate(rows):
        strength = np.abs(row)[:, None]
        shade[number, : len(row)] += (np.array(COLOURS[0]) - BACKGROUND) * strength
    return _enlarged(shade)


def _enlarged(shade: NDArray[np.float32]) -> Picture:
    picture = shade.astype(np.uint8).repeat(CELL, 0).repeat(CELL, 1)
    picture[::CELL, :] = LINE
    picture[:, ::CELL] = LINE
    return picture
