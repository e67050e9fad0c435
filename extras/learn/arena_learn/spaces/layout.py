"""The layout of observations and actions: which number means what. `layout_of` makes it.

It is kept with what was trained. Here are only its values, so that a bot starts fast.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from math import prod
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from arena.game import Document

WAIT = 0
"""The number of the action of a player who is not to move, in an environment where all act at once. It also ends a list
of orders."""


@dataclass(frozen=True, slots=True)
class Columns:
    """The numbers of one field in each row of a table.

    Attributes:
        field: The field.
        kind: ``number``, ``flag``, ``word``, ``tile``, ``object``, ``numbers``, ``tiles``, ``words``, ``array``; or
            ``order``, which is no field: the order that the object has got in the list that is being made, divided by
            the number of orders; 0 for none.
        width: How many numbers they are.
        scale: What a number is divided by.
        nullable: Whether a further number, the last one, is 1 while the field is null.
        seats: If the field has the number of a seat, so many further numbers say whose seat it is: 1 in the first one
            means the observer's own, then the next player's, and so on.
        words: The words that have a number each.
        of: The class that a reference refers to.
        dtype: The type of the numbers of an array.
    """

    field: str
    kind: str
    width: int
    scale: float = 1.0
    nullable: bool = False
    seats: int = 0
    words: tuple[str, ...] = ()
    of: str = ""
    dtype: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """The rows of one class. The first number of each row is 1 if there is an object.

    Attributes:
        name: The class.
        columns: The columns.
        own: How many rows there are for the observer's own objects; for all objects, if nobody owns them.
        others: How many rows there are for all other objects. They come after the own ones.
        owner: The field with the number of the owner; empty if there is none.
        first: The index of the first number.
    """

    name: str
    columns: tuple[Columns, ...]
    own: int
    others: int
    owner: str
    first: int

    @property
    def width(self) -> int:
        """The numbers of a row."""
        return 1 + sum(one.width for one in self.columns)

    @property
    def rows(self) -> int:
        """The rows."""
        return self.own + self.others


@dataclass(frozen=True, slots=True)
class Parameter:
    """The values of one parameter of an action.

    Attributes:
        name: The parameter.
        keys: The keys of the document: two for a tile.
        kind: ``value`` (one of `values`), ``tile`` (any of the grid), ``offset`` (one of `values`, from the acting
            object) or ``object`` (a row of a table).
        values: The values. Lists are tuples here.
        size: How many values there are.
        of: The class of the objects.
        default: The value of an action that does not have the key.
    """

    name: str
    keys: tuple[str, ...]
    kind: str
    size: int
    values: tuple[Any, ...] = ()
    of: str = ""
    default: Any = None


@dataclass(frozen=True, slots=True)
class ActionType:
    """The numbers of the actions of one type: from `first`, the rows of the acting object, then each parameter.

    Attributes:
        name: The type.
        receiver: The key for the acting object; empty if the game itself acts. Of orders, the field of the order.
        of: The class of the acting object.
        rows: The rows from which objects can act: the observer's own ones.
        orders: The parameter with a list of orders, of which each has a number; empty for other actions.
        fields: The names of the fields of an order; those of a tile are two.
    """

    name: str
    receiver: str
    of: str
    rows: int
    parameters: tuple[Parameter, ...]
    first: int
    orders: str = ""
    fields: tuple[str, ...] = ()

    @property
    def values(self) -> int:
        """How many numbers each row has."""
        return prod(one.size for one in self.parameters)

    @property
    def size(self) -> int:
        """How many numbers the type has."""
        return self.rows * self.values


@dataclass(frozen=True, slots=True)
class Plane:
    """A layer of the grid.

    Attributes:
        name: The class, or class and field.
        kind: ``own`` or ``others`` (1 where an object of the class stands), ``own tiles`` or ``other tiles`` (the
            tiles of a list, falling from 1 for the first one), ``symbol`` (1 where the map has a symbol), ``array``
            (the numbers of an array, divided by `scale`).
        field: The field, for tiles, symbols and arrays.
        symbol: The symbol.
        dtype: The type of the numbers of an array.
        layer: Which layer of an array it is.
        scale: What the numbers of an array are divided by.
    """

    name: str
    kind: str
    field: str = ""
    symbol: str = ""
    dtype: str = ""
    layer: int = 0
    scale: float = 1.0


@dataclass(frozen=True, slots=True)
class Layout:
    """What each number of an observation and each number of an action means.

    Attributes:
        game: The name of the game.
        version: The version of its rules.
        schema: The hash of its schema.
        options: The options for which it was made.
        players: The number of players.
        grid: Width and height; zeros without a grid.
        tables: The tables, the game's own fields first. Before them stand as many numbers as there are
            players: the first one is always 1, the others are 1 if the player who is so many seats further is out.
        actions: The types of actions; none if the actions are `listed`. The last one can have orders.
        listed: If not 0, the actions have no catalogue: number k is entry k - 1 of the legal actions.
        planes: The layers of the grid.
        left_out: Fields that are not observed, because they have no limit that is known.
    """

    game: str
    version: str
    schema: str
    options: Document
    players: int
    grid: tuple[int, int]
    tables: tuple[Table, ...]
    actions: tuple[ActionType, ...]
    listed: int
    planes: tuple[Plane, ...]
    left_out: tuple[str, ...]

    def __deepcopy__(self, memo: dict[int, Any]) -> Layout:
        return self  # it never changes

    @property
    def observation_size(self) -> int:
        """The length of an observation."""
        last = self.tables[-1]
        return last.first + last.rows * last.width

    @property
    def action_count(self) -> int:
        """How many actions have numbers, with number 0: wait."""
        if self.listed:
            return 1 + self.listed
        return 1 + sum(one.size for one in self.actions)

    @property
    def orders(self) -> ActionType | None:
        """The type of actions with a list of orders; None if the game has none."""
        return self.actions[-1] if self.actions and self.actions[-1].orders else None

    @property
    def order_shape(self) -> tuple[int, int]:
        """The rows and columns of an action with orders for all units: see `Actions.rows`."""
        orders = self.orders
        assert orders is not None
        return orders.rows + (orders.first > 1), max(1 + orders.values, orders.first)

    @property
    def hash(self) -> str:
        """A short hash. Policies and datasets name the layout that they are for."""
        text = json.dumps(self.to_document(), sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def to_document(self) -> Document:
        """Return the layout as plain JSON."""
        document: Document = json.loads(json.dumps(asdict(self)))
        return document

    @classmethod
    def from_document(cls, document: Mapping[str, Any]) -> Layout:
        """Make the layout from `to_document`.

        Raises:
            KeyError, TypeError, ValueError: The document is no layout.
        """
        tables = tuple(
            Table(**one | {"columns": tuple(Columns(**_tuples(column)) for column in one["columns"])})
            for one in document["tables"]
        )
        actions = tuple(
            ActionType(**_tuples(one) | {"parameters": tuple(map(_parameter, one["parameters"]))})
            for one in document["actions"]
        )
        planes = tuple(Plane(**one) for one in document["planes"])
        width, height = document["grid"]
        given = {**document, "tables": tables, "actions": actions, "planes": planes, "grid": (width, height)}
        return cls(**given | {"left_out": tuple(document["left_out"])})

    def observation_names(self) -> list[str]:
        """Return the meaning of each number of an observation, such as ``Cowboy[own 2].health``."""
        names = [f"out[{seat}]" if seat else "one" for seat in range(self.players)]
        for table in self.tables:
            for row in range(table.rows):
                place = f"{table.name}[{self._row(table, row)}]"
                names.append(f"{place}.present")
                for one in table.columns:
                    names += [f"{place}.{one.field}{part}" for part in _parts(one)]
        return names

    def action_names(self) -> list[str]:
        """Return the meaning of each number of an action, such as ``move Cowboy[own 2] +1,+0``."""
        names = [
            "wait" if self.orders is None else "end of the list",
            *(f"legal action {number}" for number in range(self.listed)),
        ]
        tables = {one.name: one for one in self.tables}
        for one in self.actions:
            table = tables.get(one.of)
            heads = [one.name]
            if table is not None:
                heads = [f"{one.name} {one.of}[{self._row(table, row)}]" for row in range(one.rows)]
            for parameter in one.parameters:
                heads = [f"{head} {value}" for head in heads for value in self._values(parameter, tables)]
            names += heads
        return names

    def _row(self, table: Table, row: int) -> str:
        if not table.owner:
            return str(row)
        return f"own {row}" if row < table.own else f"other {row - table.own}"

    def _values(self, one: Parameter, tables: Mapping[str, Table]) -> Iterator[str]:
        if one.kind == "tile":
            yield from (f"{place % self.grid[0]},{place // self.grid[0]}" for place in range(one.size))
        elif one.kind == "offset":
            yield from (f"{x:+},{y:+}" for x, y in one.values)
        elif one.kind == "object":
            yield from (f"{one.of}[{self._row(tables[one.of], row)}]" for row in range(one.size))
        else:
            yield from (f"{one.name}={value}" for value in one.values)


def _tuples(document: Mapping[str, Any]) -> dict[str, Any]:
    return {name: tuple(value) if isinstance(value, list) else value for name, value in document.items()}


def _parameter(document: Mapping[str, Any]) -> Parameter:
    values = tuple(tuple(value) if isinstance(value, list) else value for value in document["values"])
    return Parameter(**_tuples(document) | {"values": values})


def _parts(one: Columns) -> Iterator[str]:
    """Yield the endings of the names of a field's numbers."""
    if one.kind in ("word", "words"):
        yield from (f"={word}" for word in one.words)
        return
    if one.kind == "tile":
        yield from (".x", ".y")
    elif one.kind == "tiles":
        yield ".length"
        yield from (f"[{number // 2}].{'xy'[number % 2]}" for number in range(one.width - 1))
    elif one.kind == "numbers":
        yield ".length"
        yield from (f"[{number}]" for number in range(one.width - 1))
    elif one.kind == "array":
        yield from (f"[{number}]" for number in range(one.width))
    else:
        yield ""
        yield from (f" is seat +{seat}" for seat in range(one.seats))
    if one.nullable:
        yield " is null"
