"""Numbers of actions: from the document to the number and back, and the mask of what is legal."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from arena_learn.spaces.layout import WAIT, ActionType, Layout, Parameter
from arena_learn.spaces.tracker import Thing, Tracker

if TYPE_CHECKING:
    from arena.game import Document

Reader = Callable[["Document", Any], int]


class Actions:
    """The actions of one player, as numbers.

    Args:
        tracker: What the player sees. Objects have the numbers of their rows.

    Attributes:
        legal: The legal actions at the last `note`, by number. None of them is a form.
        cut_off: How many legal actions had no number at the last `note`.
    """

    def __init__(self, tracker: Tracker) -> None:
        self.tracker = tracker
        self.layout: Layout = tracker.layout
        self.legal: dict[int, Document] = {}
        self.cut_off = 0
        self._size = self.layout.action_count
        self._firsts = [one.first for one in self.layout.actions]
        self._encoders = {one.name: self._encoder(one) for one in self.layout.actions}

    def __getstate__(self) -> tuple[Any, ...]:
        """Return what changes. The encoders belong to one tracker, so a copy makes its own."""
        return self.tracker, self.legal, self.cut_off

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        tracker, legal, cut_off = state
        self.__init__(tracker)  # type: ignore[misc]
        self.legal, self.cut_off = legal, cut_off

    def note(self, actions: Sequence[Document]) -> dict[int, Document]:
        """Take the legal actions of the position, and return those that have a number.

        Two entries with the same number are one action, such as the same action with and without a default.
        """
        if self.layout.listed:
            from arena.game import spread

            entries = spread(actions)
            self.cut_off = max(0, len(entries) - self.layout.listed)
            self.legal = dict(enumerate(entries[: self.layout.listed], 1))
            return self.legal
        encoders = self._encoders
        legal: dict[int, Document] = {}
        cut_off = 0
        for action in actions:
            encode = encoders.get(action["type"])
            number = -1 if encode is None else encode(action)
            if number < 0:
                cut_off += 1
            else:
                legal[number] = action
        self.legal, self.cut_off = legal, cut_off
        return legal

    def mask(self) -> NDArray[np.int8]:
        """Return a new array with 1 for each legal action of the last `note`; if there are none, for waiting."""
        mask = bytearray(self._size)  # faster than an array for a few actions
        for number in self.legal or (WAIT,):
            mask[number] = 1
        return np.frombuffer(mask, np.int8)

    def number(self, action: Document) -> int:
        """Return the number of an action; -1 if it has none."""
        if self.layout.listed:
            return next((number for number, one in self.legal.items() if one == action), -1)
        encode = self._encoders.get(action.get("type", ""))
        try:
            return -1 if encode is None else encode(action)
        except (KeyError, TypeError):  # a refused action of a bot can have any form
            return -1

    def action(self, number: int) -> Document | None:
        """Return the action of a number, legal or not; None if a row is empty, or if the number is that of waiting."""
        if self.layout.listed or number in self.legal:
            return self.legal.get(number)
        place = bisect_right(self._firsts, number) - 1
        if place < 0 or number >= self._size:
            return None
        return self._decode(self.layout.actions[place], number - self._firsts[place])

    def _decode(self, one: ActionType, rest: int) -> Document | None:
        chosen: list[tuple[Parameter, int]] = []
        for parameter in reversed(one.parameters):
            rest, value = divmod(rest, parameter.size)
            chosen.append((parameter, value))
        document: Document = {"type": one.name}
        acting: Thing | None = None
        if one.receiver:
            id_ = self.tracker.rows[one.of].ids[rest]
            if id_ is None:
                return None
            document[one.receiver] = id_
            acting = self.tracker.things[id_]
        for parameter, value in reversed(chosen):
            if not self._set(document, parameter, value, acting):
                return None
        return document

    def _set(self, document: Document, parameter: Parameter, value: int, acting: Thing | None) -> bool:
        if parameter.kind == "tile":
            y, x = divmod(value, self.layout.grid[0])
            document.update(zip(parameter.keys, (x, y), strict=True))
        elif parameter.kind == "offset":
            if acting is None or acting.values.get("x") is None:
                return False
            x, y = parameter.values[value]
            document.update(zip(parameter.keys, (acting.values["x"] + x, acting.values["y"] + y), strict=True))
        elif parameter.kind == "object":
            id_ = self.tracker.rows[parameter.of].ids[value]
            document[parameter.keys[0]] = id_
            return id_ is not None
        else:
            document[parameter.keys[0]] = parameter.values[value]
        return True

    # -- from a document to its number ---------------------------------------------------------------

    def _encoder(self, one: ActionType) -> Callable[[Document], int]:
        first, receiver, rows = one.first, one.receiver, one.rows
        readers = [(self._reader(parameter), parameter.size) for parameter in one.parameters]
        things = self.tracker.things
        if receiver and len(readers) <= 1:
            return self._short_encoder(one, *(readers[0] if readers else (None, 1)))

        def encode(action: Document) -> int:
            thing, number = None, 0
            if receiver:
                thing = things.get(action[receiver])
                if thing is None or not 0 <= thing.row < rows:
                    return -1
                number = thing.row
            for read, size in readers:
                value = read(action, thing)
                if value < 0:
                    return -1
                number = number * size + value
            return first + number

        return encode

    def _short_encoder(self, one: ActionType, read: Reader | None, size: int) -> Callable[[Document], int]:
        """Return the encoder of a type with an acting object and at most one parameter, as most have."""
        first, receiver, rows, things = one.first, one.receiver, one.rows, self.tracker.things

        def encode(action: Document) -> int:
            thing = things.get(action[receiver])
            if thing is None or not 0 <= thing.row < rows:
                return -1
            if read is None:
                return first + thing.row
            value = read(action, thing)
            return first + thing.row * size + value if value >= 0 else -1

        return encode

    def _reader(self, parameter: Parameter) -> Reader:
        kind, key = parameter.kind, parameter.keys[0]
        if kind == "value":
            places = {value: number for number, value in enumerate(parameter.values)}
            default = parameter.default
            return lambda action, _: places.get(action.get(key, default), -1)
        if kind == "object":
            things, size = self.tracker.things, parameter.size
            of = self.tracker.rows[parameter.of]

            def row(action: Document, _: Any) -> int:
                thing = things.get(action[key])
                return thing.row if thing is not None and thing.kind is of and thing.row < size else -1

            return row
        key_y = parameter.keys[1]
        if kind == "tile":
            width, height = self.layout.grid

            def tile(action: Document, _: Any) -> int:
                x, y = action[key], action[key_y]
                return y * width + x if 0 <= x < width and 0 <= y < height else -1

            return tile
        offsets = {value: number for number, value in enumerate(parameter.values)}

        def offset(action: Document, thing: Any) -> int:
            values = thing.values
            if values.get("x") is None:
                return -1
            return offsets.get((action[key] - values["x"], action[key_y] - values["y"]), -1)

        return offset
