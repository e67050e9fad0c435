"""What one player sees, as numbers that are kept and changed in place.

A view fills them, and each delta changes only the numbers that it names. So the cost of a step does not depend on the
number of objects.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from heapq import heappop, heappush
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena_learn.spaces.layout import Columns, Layout, Table

Setter = Callable[[Any, int, Any], None]
DTYPES = {"int8": "<i1", "uint8": "<u1", "int16": "<i2", "uint16": "<u2", "int32": "<i4", "uint32": "<u4",
          "int64": "<i8", "uint64": "<u8", "float32": "<f4", "float64": "<f8"}  # fmt: skip


class Thing:
    """An object that the player sees.

    Attributes:
        kind: The rows of its class; None if the class has no table.
        row: Its row in the table; -1 if all rows are taken.
        base: The index of the row's first number.
        values: The fields, as they stand on the wire.
    """

    __slots__ = ("base", "kind", "row", "values")

    def __init__(self, kind: Rows) -> None:
        self.kind = kind
        self.row = -1
        self.base = -1
        self.values: dict[str, Any] = {}


class Rows:
    """The rows of one table, and which of them are free."""

    __slots__ = ("free", "ids", "owner", "setters", "table")

    def __init__(self, table: Table, setters: dict[str, Setter]) -> None:
        self.table = table
        self.setters = setters
        self.owner = table.owner
        self.clear()

    def clear(self) -> None:
        """Free all rows."""
        table = self.table
        self.ids: list[str | None] = [None] * table.rows
        self.free = [list(range(table.own)), list(range(table.own, table.rows))]


class Tracker:
    """What one player sees.

    A row belongs to an object as long as the player sees the object. A new object gets the first free row.

    Args:
        layout: The layout.
        player: The player.

    Attributes:
        numbers: The observation. Copy it: it changes in place.
        things: The objects by id.
        cut_off: How many objects had no free row so far, since the last `start`.
        clipped: How many numbers were larger than their scale.
    """

    def __init__(self, layout: Layout, player: int) -> None:
        self.layout = layout
        self.player = player
        self.numbers: NDArray[np.float32] = np.zeros(layout.observation_size, np.float32)
        self.things: dict[str, Thing] = {}
        self.cut_off = 0
        self.clipped = 0
        self._late: list[tuple[Thing, str, Any]] = []
        self.rows = {table.name: Rows(table, self._setters(table)) for table in layout.tables}
        self._unknown = Rows(Table("", (), 0, 0, "", 0), {})

    def start(self, view: Sequence[Any]) -> None:
        """Take what the player sees at the beginning of a match.

        Args:
            view: Flat triples, as `State.view` returns them.
        """
        self.numbers[:] = 0
        self.numbers[0] = 1
        self.things.clear()
        self.cut_off = self.clipped = 0
        for rows in self.rows.values():
            rows.clear()
        self.apply(view)

    def apply(self, delta: Sequence[Any]) -> None:
        """Take what has changed.

        Args:
            delta: Flat triples, as `State.delta` returns them.
        """
        things, numbers = self.things, self.numbers
        triples = iter(delta)
        for place, (id_, name, value) in enumerate(zip(triples, triples, triples, strict=True)):
            if name == "+":
                self._add(id_, value, delta, 3 * place + 3)
            elif name == "-":
                self._remove(id_)
            else:
                thing = things[id_]
                kind = thing.kind
                values = thing.values
                if type(value) is list and type(values.get(name)) is bytes:
                    value = patched(values[name], value)
                values[name] = value
                if thing.base >= 0:
                    setter = kind.setters.get(name)
                    if setter is not None:
                        setter(numbers, thing.base, value)
                    elif name in kind.setters:
                        self._late.append((thing, name, value))
                if name == kind.owner:
                    self._sort(id_, thing)
        if self._late:
            self._set_references()

    def sync(self, view: Sequence[Any]) -> None:
        """Take a whole view, as if its difference to what is known came as a delta."""
        self.apply(difference(self.things, view))

    def show_out(self, out: Sequence[int]) -> None:
        """Note who is out of the match."""
        for player in out:
            place = (player - self.player) % self.layout.players
            if place:
                self.numbers[place] = 1

    def __getstate__(self) -> tuple[Any, ...]:
        """Return what changes. The functions that write numbers belong to one tracker, so a copy makes its own."""
        things = [
            (id_, thing.kind.table.name, thing.row, thing.base, thing.values) for id_, thing in self.things.items()
        ]
        rows = {name: (rows.ids, rows.free) for name, rows in self.rows.items()}
        return self.layout, self.player, self.numbers, things, rows, self.cut_off, self.clipped

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        layout, player, numbers, things, rows, cut_off, clipped = state
        self.__init__(layout, player)  # type: ignore[misc]
        self.numbers = numbers
        self.cut_off, self.clipped = cut_off, clipped
        for name, (ids, free) in rows.items():
            self.rows[name].ids, self.rows[name].free = ids, free
        for id_, name, row, base, values in things:
            thing = self.things[id_] = Thing(self.rows.get(name, self._unknown))
            thing.row, thing.base, thing.values = row, base, values

    # -- rows ----------------------------------------------------------------------------------------

    def _add(self, id_: str, cls: str, delta: Sequence[Any], place: int) -> None:
        thing = self.things[id_] = Thing(self.rows.get(cls, self._unknown))
        owner = thing.kind.owner
        mine = True
        if owner:
            mine = False
            while place < len(delta) and delta[place] == id_:
                if delta[place + 1] == owner:
                    mine = delta[place + 2] == self.player
                    break
                place += 3
        self._seat(id_, thing, mine=mine)

    def _seat(self, id_: str, thing: Thing, *, mine: bool) -> None:
        kind = thing.kind
        free = kind.free[0 if mine else 1]
        if not free:
            self.cut_off += kind is not self._unknown
            return
        thing.row = heappop(free)
        kind.ids[thing.row] = id_
        thing.base = kind.table.first + thing.row * kind.table.width
        self.numbers[thing.base] = 1

    def _unseat(self, thing: Thing) -> None:
        kind = thing.kind
        if thing.row < 0:
            return
        kind.ids[thing.row] = None
        heappush(kind.free[0 if thing.row < kind.table.own else 1], thing.row)
        self.numbers[thing.base : thing.base + kind.table.width] = 0
        thing.row = thing.base = -1

    def _remove(self, id_: str) -> None:
        self._unseat(self.things.pop(id_))

    def _sort(self, id_: str, thing: Thing) -> None:
        """Give an object that has changed its owner a row among those of the new one."""
        mine = thing.values[thing.kind.owner] == self.player
        if thing.row < 0 or mine == (thing.row < thing.kind.table.own):
            return
        self._unseat(thing)
        self._seat(id_, thing, mine=mine)
        if thing.base >= 0:
            for name, setter in thing.kind.setters.items():
                if name in thing.values and setter is not None:
                    setter(self.numbers, thing.base, thing.values[name])
                elif name in thing.values:
                    self._late.append((thing, name, thing.values[name]))

    def _set_references(self) -> None:
        """Set references after all objects are known."""
        for thing, name, value in self._late:
            if thing.base >= 0:
                offset, scale = self._references[thing.kind.table.name, name]
                target = self.things.get(value) if value is not None else None
                row = -1 if target is None else target.row
                self.numbers[thing.base + offset] = (row + 1) / scale
        self._late.clear()

    # -- numbers -------------------------------------------------------------------------------------

    def _setters(self, table: Table) -> dict[str, Any]:
        """Return the function that writes each field. None stands for a reference, which is written last."""
        if not hasattr(self, "_references"):
            self._references: dict[tuple[str, str], tuple[int, float]] = {}
        made: dict[str, Any] = {}
        offset = 1
        for columns in table.columns:
            if columns.kind == "order":
                pass  # `Actions` writes it
            elif columns.kind == "object":
                made[columns.field] = None
                self._references[table.name, columns.field] = offset, columns.scale
            else:
                made[columns.field] = self._setter(columns, offset)
            offset += columns.width
        return made

    def _setter(self, columns: Columns, offset: int) -> Setter:
        kind = columns.kind
        if kind == "number":
            plain = not columns.nullable and not columns.seats
            return self._number(columns.scale, offset) if plain else self._rich_number(columns, offset)
        if kind == "flag":
            return _flag(columns, offset)
        if kind == "word":
            return _word(columns, offset)
        if kind == "words":
            return _words(columns, offset)
        if kind == "tile":
            return _tile(columns, offset)
        if kind == "array":
            return self._array(columns, offset)
        return self._list(columns, offset)

    def _number(self, scale: float, offset: int) -> Setter:
        factor = 1.0 / scale

        def write(numbers: Any, base: int, value: Any) -> None:
            scaled = value * factor
            if not -1.0 <= scaled <= 1.0:
                self.clipped += 1
                scaled = 1.0 if scaled > 0 else -1.0
            numbers[base + offset] = scaled

        return write

    def _rich_number(self, columns: Columns, offset: int) -> Setter:
        write_number = self._number(columns.scale, offset)
        last, seats, player = offset + columns.width - 1, columns.seats, self.player

        def write(numbers: Any, base: int, value: Any) -> None:
            numbers[base + offset : base + last + 1] = 0
            if value is None:
                numbers[base + last] = 1
                return
            write_number(numbers, base, value)
            if seats:
                numbers[base + offset + 1 + (value - player) % seats] = 1

        return write

    def _array(self, columns: Columns, offset: int) -> Setter:
        dtype = DTYPES[columns.dtype]
        largest = 1.0 if dtype[1] == "f" else float(np.iinfo(dtype).max)

        def write(numbers: Any, base: int, value: Any) -> None:
            found = np.frombuffer(value, dtype).astype(np.float32) / largest
            numbers[base + offset : base + offset + columns.width] = np.clip(found, -1, 1)

        return write

    def _list(self, columns: Columns, offset: int) -> Setter:
        room, factor, are_tiles = columns.width - 1, 1.0 / columns.scale, columns.kind == "tiles"

        def write(numbers: Any, base: int, value: Any) -> None:
            begin = base + offset
            flat = [one * factor for pair in value or () for one in pair] if are_tiles else []
            if not are_tiles:
                flat = [max(-1.0, min(1.0, one * factor)) for one in value or ()]
            if len(flat) > room:
                self.clipped += 1
                del flat[room:]
            end = begin + 1 + len(flat)
            numbers[begin] = len(flat) / room
            numbers[begin + 1 : end] = flat
            numbers[end : begin + room + 1] = 0

        return write


def _flag(columns: Columns, offset: int) -> Setter:
    nullable = columns.nullable

    def write(numbers: Any, base: int, value: Any) -> None:
        numbers[base + offset] = 1.0 if value else 0.0
        if nullable:
            numbers[base + offset + 1] = value is None

    return write


def _word(columns: Columns, offset: int) -> Setter:
    places = {word: offset + number for number, word in enumerate(columns.words)}

    def write(numbers: Any, base: int, value: Any) -> None:
        numbers[base + offset : base + offset + columns.width] = 0
        place = places.get(value)
        if place is not None:
            numbers[base + place] = 1

    return write


def _words(columns: Columns, offset: int) -> Setter:
    places = {word: offset + number for number, word in enumerate(columns.words)}

    def write(numbers: Any, base: int, value: Any) -> None:
        numbers[base + offset : base + offset + columns.width] = 0
        for word in value or ():
            if word in places:
                place = base + places[word]
                numbers[place] = min(1.0, numbers[place] + 1 / columns.scale)

    return write


def _tile(columns: Columns, offset: int) -> Setter:
    factor, nullable = 1.0 / columns.scale, columns.nullable

    def write(numbers: Any, base: int, value: Any) -> None:
        x, y = (0, 0) if value is None else value
        numbers[base + offset] = x * factor
        numbers[base + offset + 1] = y * factor
        if nullable:
            numbers[base + offset + 2] = value is None

    return write


def patched(old: bytes, spans: list[Any]) -> bytes:
    """Return an array with the changed spans of a delta."""
    made = bytearray(old)
    for start, new in zip(spans[::2], spans[1::2], strict=True):
        made[start : start + len(new)] = new
    return bytes(made)


def difference(things: dict[str, Thing], view: Sequence[Any]) -> list[Any]:
    """Return a view as the delta from what is known: first what is new, then what has changed, then what is gone."""
    born: list[Any] = []
    changed: list[Any] = []
    present = set()
    known: Thing | None = None
    triples = iter(view)
    for id_, name, value in zip(triples, triples, triples, strict=True):
        if name == "+":
            present.add(id_)
            known = things.get(id_)
            if known is None:
                born += (id_, name, value)
        elif known is None:
            born += (id_, name, value)
        elif name not in known.values or known.values[name] != value:
            changed += (id_, name, value)
    gone = [part for id_ in things if id_ not in present for part in (id_, "-", None)]
    return born + changed + gone


def merged(things: dict[str, Thing], delta: Sequence[Any]) -> list[Any]:
    """Return several deltas, one after the other, as the one that `difference` returns for their end.

    So a row does not depend on what appeared and was gone in between.
    """
    born: dict[str, tuple[str, dict[str, Any]]] = {}
    changed: dict[str, dict[str, Any]] = {}
    gone: dict[str, None] = {}
    triples = iter(delta)
    for id_, name, value in zip(triples, triples, triples, strict=True):
        if name == "+":
            if id_ in gone:
                del gone[id_]
            else:
                born[id_] = value, {}
        elif name == "-":
            changed.pop(id_, None)
            if born.pop(id_, None) is None:
                gone[id_] = None
        else:
            values = born[id_][1] if id_ in born else changed.setdefault(id_, {})
            if type(value) is list:
                known = values.get(name, things[id_].values.get(name) if id_ in things else None)
                value = patched(known, value) if type(known) is bytes else value
            values[name] = value
    made: list[Any] = []
    for id_, (cls, values) in born.items():
        made += (id_, "+", cls)
        for name, value in values.items():
            made += (id_, name, value)
    for id_, values in changed.items():
        for name, value in values.items():
            made += (id_, name, value)
    for id_ in gone:
        made += (id_, "-", None)
    return made
