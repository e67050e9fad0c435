"""Layers that look at the board from the place of each unit, with the same weights for all units.

A unit's hidden numbers come from its surroundings, its own row, and the whole observation. They give the scores of the
unit's actions. So what one unit has learned, all units of the player know, wherever they stand. What no unit does, such
as ending the turn, follows from the sum over all units.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from arena_learn.spaces.layout import Layout, Table
from arena_learn.spaces.planes import Planes
from arena_learn.spaces.tracker import Tracker

Array = NDArray[np.float32]
LARGEST = 2000
"""The surroundings of a unit have at most so many numbers. That limits how far it sees."""
SHARED = 9
"""The first weights do not depend on the types of actions: so many matrices and biases."""


class _Span(NamedTuple):
    """The numbers of the actions of one type that units carry out.

    Attributes:
        first: The first number.
        unit: The first unit.
        rows: How many units there are.
        size: How many actions each unit has.
    """

    first: int
    unit: int
    rows: int
    size: int


class _Passed(NamedTuple):
    """What a pass forward has computed: the rows and units, the inputs of layers, and their results."""

    at: tuple[Any, Any]
    around: Array
    own: Array
    numbers: Array
    first: Array
    second: Array
    spread: Array
    pooled: Array
    whole: Array


class UnitLayers:
    """The layers of a policy for games with a grid and a catalogue of actions.

    The inputs are the observation, the layers of the grid, and the place of each unit (-1 for none).

    Args:
        layout: The layout.
        hidden: The size of the hidden layers.
        features: How many features of the game follow the observation.

    Raises:
        ValueError: The game has no grid, or no catalogue of actions with units.
    """

    def __init__(self, layout: Layout, hidden: int, features: int = 0) -> None:
        acting = {one.of: one.rows for one in layout.actions if one.receiver}
        if not layout.planes or not acting:
            raise ValueError(f"{layout.game} has no units on a grid.")
        self.layout = layout
        self.hidden = hidden
        self.whole = layout.observation_size + features
        self.tables: list[Table] = [table for table in layout.tables if table.name in acting]
        self.units = [(table.name, row) for table in self.tables for row in range(acting[table.name])]
        begins = {name: place for place, (name, row) in enumerate(self.units) if row == 0}
        self._spans = [
            _Span(one.first, begins[one.of], one.rows, one.size // one.rows) for one in layout.actions if one.receiver
        ]
        without = [range(one.first, one.first + one.size) for one in layout.actions if not one.receiver]
        self._others = [0, *(number for numbers in without for number in numbers), layout.action_count]
        self._shape = len(layout.planes), layout.grid[1], layout.grid[0]
        fits = [r for r in range(max(layout.grid)) if (len(layout.planes) + 1) * (2 * r + 1) ** 2 <= LARGEST]
        self.radius = fits[-1]
        self._rows = np.array([row for _, row in self.units])
        self._tables = [np.array([name == table.name for name, _ in self.units]) for table in self.tables]
        self._own_width = max(table.width for table in self.tables) + len(self.tables)

    @property
    def input_size(self) -> int:
        """How many numbers go in."""
        return int(self.whole + np.prod(self._shape) + 2 * len(self.units))

    def shapes(self) -> list[tuple[int, ...]]:
        """Return the shapes of all weights."""
        hidden, whole = self.hidden, self.whole
        around = (self._shape[0] + 1) * (2 * self.radius + 1) ** 2
        units = [(around, hidden), (self._own_width, hidden), (whole, hidden), (hidden,), (hidden, hidden), (hidden,)]
        shared = [*units, (whole, hidden), (hidden, hidden), (hidden,)]
        types = [shape for span in self._spans for shape in ((hidden, span.size), (span.size,))]
        return [*shared, *types, (hidden, len(self._others)), (len(self._others),)]

    def inputs(self, numbers: Array, tracker: Tracker, planes: Planes) -> Array:
        """Return the inputs for what a player sees now: the numbers of the observation and features, and the board."""
        places = np.full((len(self.units), 2), -1, np.float32)
        for number, (table, row) in enumerate(self.units):
            id_ = tracker.rows[table].ids[row]
            place = planes.place_of(tracker.things[id_]) if id_ is not None else None
            if place is not None:
                places[number] = place
        return np.concatenate([numbers, planes.draw().ravel(), places.ravel()])

    def outputs(self, weights: Sequence[Array], inputs: Array) -> Array:
        """Return a number for each action, and the value, for each row of inputs."""
        return self._forward(weights, inputs)[0]

    def _forward(self, weights: Sequence[Array], inputs: Array) -> tuple[Array, _Passed]:
        around_w, own_w, numbers_w, first_b, second_w, second_b, whole_w, pooled_w, whole_b = weights[:SHARED]
        count, size = len(inputs), self.whole
        numbers = inputs[:, :size]
        at, around, own = self._units_of(inputs)
        first = np.maximum(around @ around_w + own @ own_w + (numbers @ numbers_w)[at[0]] + first_b, 0)
        second = np.maximum(first @ second_w + second_b, 0)
        spread = np.zeros((count, len(self.units), self.hidden), second.dtype)
        spread[at] = second
        pooled = spread.sum(1) / len(self.units)
        whole = np.maximum(numbers @ whole_w + pooled @ pooled_w + whole_b, 0)
        made = np.zeros((count, self.layout.action_count + 1), second.dtype)
        for span, matrix, bias in zip(self._spans, weights[SHARED::2], weights[SHARED + 1 :: 2], strict=False):
            scores = spread[:, span.unit : span.unit + span.rows] @ matrix + bias
            made[:, span.first : span.first + span.rows * span.size] = scores.reshape(count, -1)
        made[:, self._others] = whole @ weights[-2] + weights[-1]
        return made, _Passed(at, around, own, numbers, first, second, spread, pooled, whole)

    def gradients(self, weights: Sequence[Array], inputs: Array, outputs: Array) -> list[Array]:
        """Return the gradients of all weights from those of the outputs."""
        passed = self._forward(weights, inputs)[1]
        at, spread, count = passed.at, passed.spread, len(inputs)
        spread_d = np.zeros_like(spread)
        types: list[Array] = []
        for span, matrix in zip(self._spans, weights[SHARED::2], strict=False):
            part = outputs[:, span.first : span.first + span.rows * span.size].reshape(count, span.rows, span.size)
            units = slice(span.unit, span.unit + span.rows)
            flat = part.reshape(-1, span.size)
            types += [spread[:, units].reshape(-1, self.hidden).T @ flat, flat.sum(0)]
            spread_d[:, units] += part @ matrix.T
        others = outputs[:, self._others]
        whole_d = (others @ weights[-2].T) * (passed.whole > 0)
        spread_d += (whole_d @ weights[7].T / len(self.units))[:, None]
        second_d = spread_d[at] * (passed.second > 0)
        first_d = (second_d @ weights[4].T) * (passed.first > 0)
        summed = np.zeros_like(spread)
        summed[at] = first_d
        shared = [
            passed.around.T @ first_d,
            passed.own.T @ first_d,
            passed.numbers.T @ summed.sum(1),
            first_d.sum(0),
            passed.first.T @ second_d,
            second_d.sum(0),
            passed.numbers.T @ whole_d,
            passed.pooled.T @ whole_d,
            whole_d.sum(0),
        ]
        return [*shared, *types, passed.whole.T @ others, others.sum(0)]

    def _units_of(self, inputs: Array) -> tuple[tuple[Any, Any], Array, Array]:
        """Return which units there are, by row and number, with the surroundings and the own row of each."""
        layers, height, width = self._shape
        radius, size = self.radius, self.whole
        count = len(inputs)
        places = inputs[:, -2 * len(self.units) :].reshape(count, -1, 2).astype(np.intp)
        row, unit = np.nonzero(places[..., 0] >= 0)
        x, y = places[row, unit].T
        board = np.zeros((count, layers + 1, height + 2 * radius, width + 2 * radius), inputs.dtype)
        board[:, -1] = 1
        inside = board[:, :, radius : radius + height, radius : radius + width]
        inside[:, -1] = 0
        inside[:, :-1] = inputs[:, size : size + layers * height * width].reshape(count, layers, height, width)
        side = 2 * radius + 1
        around = sliding_window_view(board, (side, side), (2, 3))[row, :, y, x].reshape(len(row), -1)
        own = np.zeros((len(row), self._own_width), inputs.dtype)
        for number, table in enumerate(self.tables):
            mine = self._tables[number][unit]
            begins = table.first + self._rows[unit[mine]] * table.width
            own[mine, : table.width] = inputs[row[mine, None], begins[:, None] + np.arange(table.width)]
            own[mine, self._own_width - 1 - number] = 1
        return (row, unit), around, own
