"""Numbers of actions: from the document to the number and back, and the mask of what is legal."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from itertools import islice, product
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from arena_learn.spaces.layout import WAIT, ActionType, Layout, Parameter
from arena_learn.spaces.orders import Orders, item_of
from arena_learn.spaces.tracker import Thing, Tracker

if TYPE_CHECKING:
    from arena.game import Document

MOST = 1000
"""A form of a small list stands for at most so many actions."""
Reader = Callable[["Document", Any], int]


def _single(action: Document) -> Sequence[Document]:
    """Return the actions that an entry stands for: a form of a small list stands for several."""
    if not any(type(value) is dict for value in action.values()):
        return (action,)
    from arena.game import choices_of

    lists = [(key, choices_of(value), value.get("all")) for key, value in action.items() if type(value) is dict]
    made = [action]
    for key, groups, needs_all in lists:
        picks = [group if needs_all else [None, *group] for group in groups or ()]
        chosen = [[item for item in found if item is not None] for found in islice(product(*picks), MOST)]
        made = [one | {key: items} for one in made for items in chosen]
    return made


class Actions:
    """The actions of one player, as numbers.

    A list of orders is made order by order: each order is a number, and number 0 ends the list. Or all at once, from
    one number for each row: see `rows`.

    Args:
        tracker: What the player sees. Objects have the numbers of their rows.

    Attributes:
        legal: What is legal now, by number: an action, or an order of the list that is being made. Number 0 has the
            action with the list as it is.
        cut_off: How many legal actions and orders had no number at the last `note`.
    """

    def __init__(self, tracker: Tracker) -> None:
        self.tracker = tracker
        self.layout: Layout = tracker.layout
        self.legal: dict[int, Any] = {}
        self.cut_off = 0
        self._size = self.layout.action_count
        self._firsts = [one.first for one in self.layout.actions]
        self._encoders = {one.name: self._encoder(one) for one in self.layout.actions}
        orders = self.layout.orders
        self._orders = None if orders is None else Orders(orders, tracker, self._encoders[orders.name])

    def __getstate__(self) -> tuple[Any, ...]:
        """Return what changes. The encoders belong to one tracker, so a copy makes its own."""
        return self.tracker, self.legal, self.cut_off, None if self._orders is None else self._orders.pending

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        self.__init__(state[0])  # type: ignore[misc]
        self.legal, self.cut_off, pending = state[1:]
        if self._orders is not None:
            self._orders.pending = pending

    def note(self, actions: Sequence[Document]) -> dict[int, Any]:
        """Take the legal actions of the position, and return those that have a number, as `legal`.

        Two entries with the same number are one action, such as the same action with and without a default.
        """
        if self.layout.listed:
            from arena.game import spread

            entries = spread(actions)
            self.cut_off = max(0, len(entries) - self.layout.listed)
            self.legal = dict(enumerate(entries[: self.layout.listed], 1))
            return self.legal
        orders = self._orders
        if orders is not None:
            orders.forget()
        encoders = self._encoders
        legal: dict[int, Any] = {}
        cut_off = 0
        for action in actions:
            name = action["type"]
            if orders is not None and name == orders.kind.name:
                cut_off += orders.note(action, legal)
                continue
            encode = encoders.get(name)
            for one in _single(action):
                number = -1 if encode is None else encode(one)
                if number < 0:
                    cut_off += 1
                else:
                    legal[number] = one
        self.legal, self.cut_off = legal, cut_off
        return legal

    def mask(self) -> NDArray[np.int8]:
        """Return a new array with 1 for each legal number; if there are none, for waiting."""
        mask = bytearray(self._size)  # faster than an array for a few actions
        for number in self.legal or (WAIT,):
            mask[number] = 1
        return np.frombuffer(mask, np.int8)

    def take(self, number: int) -> Document | None:
        """Choose a legal number. Return the action; None if the list of orders goes on, with another `legal`."""
        if self._orders is None or number < self._orders.kind.first:
            document: Document = self.legal[number]
            return document
        self.legal = self._orders.take(number, self.legal)
        return None

    def numbers(self, action: Document) -> tuple[int, ...]:
        """Return the numbers that play an action, one after the other; none if it cannot be played by numbers."""
        if self.layout.listed:
            return next(((number,) for number, one in self.legal.items() if one == action), ())
        try:
            if self._orders is not None and action.get("type") == self._orders.kind.name:
                return self._orders.numbers(action)
            encode = self._encoders.get(action.get("type", ""))
            number = -1 if encode is None else encode(action)
        except (KeyError, TypeError, ValueError):  # a refused action of a bot can have any form
            return ()
        return () if number < 0 else (number,)

    def action(self, number: int) -> Document | None:
        """Return the action of a number, legal or not; None if a row is empty, or if the number is that of waiting.

        That of an order is a list with this order alone.
        """
        if self.layout.listed:
            return self.legal.get(number)
        place = bisect_right(self._firsts, number) - 1
        if place < 0 or number >= self._size:
            return None
        return self._decode(self.layout.actions[place], number - self._firsts[place])

    # -- orders ----------------------------------------------------------------------------------------

    def rows(self) -> NDArray[np.int8]:
        """Return what is legal if all orders are chosen at once: a new array with a row for each row of the units.

        Number 0 of a row is no order, and number k the order k - 1 of the unit. If there are other actions than the
        list, a row with the numbers of these comes first: its number 0 is the list. Rows that are shorter end in zeros.
        """
        assert self._orders is not None
        return self._orders.rows(self.mask(), self.layout.order_shape)

    def together(self, values: Sequence[int]) -> Document | None:
        """Return the action of one number for each row of `rows`; None if it is illegal."""
        assert self._orders is not None
        units = list(values)
        if len(units) > self._orders.kind.rows and (head := units.pop(0)):
            found: Document | None = self.legal.get(head) if head < self._orders.kind.first else None
            return found
        return self._orders.together(units, self.legal)

    # -- from a number to its document -----------------------------------------------------------------

    def _decode(self, one: ActionType, rest: int) -> Document | None:
        chosen: list[tuple[Parameter, int]] = []
        for parameter in reversed(one.parameters):
            rest, value = divmod(rest, parameter.size)
            chosen.append((parameter, value))
        document: Document = {} if one.orders else {"type": one.name}
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
        return {"type": one.name, one.orders: [item_of(document, one.fields)]} if one.orders else document

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
            found = parameter.values[value]
            document[parameter.keys[0]] = list(found) if isinstance(found, tuple) else found
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
            if any(isinstance(value, tuple) for value in parameter.values):
                return lambda action, _: places.get(tuple(action.get(key, default)), -1)
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
