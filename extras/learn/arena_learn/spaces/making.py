"""Make the layout of a game: from its schema, and from the `probe` where the schema names no limit.

Equal rules and options give an equal layout, on every machine.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import product
from math import ceil, log2, prod
from typing import Any

from arena.game import Document, GameSpec, OptionValues
from arena.match.lookup import find_game, resolve_options
from arena_learn.spaces.features import bounds_of
from arena_learn.spaces.layout import ActionType, Columns, Layout, Parameter, Plane, Table
from arena_learn.spaces.probe import Probe, Seen, probe, records_of

CATALOGUE = 20_000
"""With more actions than this, or with actions that cannot be counted, the legal actions are listed instead."""
LISTED = 256
FEW = 12
LONGEST = 24
"""Of a list, so many items are observed."""
LISTS = 1000
"""A parameter with more possible lists than this has no fixed numbers."""
ARRAY = 4096
"""An array with more numbers is not observed."""


def layout_of(game: str | GameSpec, **options: Any) -> Layout:
    """Return the layout of a game with these options. It is kept in this process, since it takes up to some seconds.

    Args:
        game: The game, or its name.
        **options: Its options, such as ``players``.

    Raises:
        ArenaError: There is no such game, or an option is wrong.
    """
    spec = find_game(game) if isinstance(game, str) else game
    resolved = resolve_options(spec, options)
    return _made(spec.name, json.dumps(resolved.to_document(), sort_keys=True), _Kept(spec, resolved))


class _Kept:
    """A game and options that are equal to all others, so that the cache compares only the names and the texts."""

    def __init__(self, spec: GameSpec, options: OptionValues) -> None:
        self.spec, self.options = spec, options

    def __hash__(self) -> int:
        return hash(self.spec.schema()["hash"])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Kept) and other.spec.state is self.spec.state


@lru_cache(maxsize=64)
def _made(name: str, options: str, kept: _Kept) -> Layout:
    del name, options
    return make_layout(kept.spec, kept.options)


def make_layout(game: GameSpec, options: OptionValues) -> Layout:
    """Make the layout of a game from its schema and a `probe`."""
    return _Maker(game, options, probe(game, options)).make()


class _Maker:
    def __init__(self, game: GameSpec, options: OptionValues, found: Probe) -> None:
        self.game = game
        self.options = options
        self.found = found
        self.schema = game.schema()
        self.records = records_of(self.schema)
        self.players = game.players_in(options)
        self.bounds = bounds_of(game.name, options)
        self.left_out: list[str] = []
        self.planes: list[Plane] = []

    def make(self) -> Layout:
        found = self.found
        root = self.schema["root"]
        names = [root, *(name for name in self.schema["classes"] if name != root)]
        names = [name for name in names if found.counts[name][""]]
        rows = {name: self._rows(name) for name in names}
        tables: list[Table] = []
        first = self.players
        for name in names:
            own, others = rows[name]
            columns = tuple(self._columns(name, rows))
            tables.append(Table(name, columns, own, others, found.owners.get(name, ""), first))
            first += tables[-1].rows * tables[-1].width
        actions = self._actions({table.name: table for table in tables})
        if actions and actions[-1].orders:
            tables = self._with_orders(tables, actions[-1])
        return Layout(
            self.game.name,
            self.game.version,
            self.schema["hash"],
            self.options.to_document(),
            self.players,
            (found.width, found.height),
            tuple(tables),
            tuple(actions or ()),
            LISTED if actions is None else 0,
            tuple(self.planes),
            tuple(self.left_out),
        )

    def _rows(self, name: str) -> tuple[int, int]:
        """Return the number of rows for own objects and for others. Where objects appear, there is room for more."""
        counts, owner = self.found.counts[name], self.found.owners.get(name, "")
        room = 1.5 if name in self.found.born else 1.0
        total = ceil(counts[""][0] * room)
        if not owner:
            return total, 0
        own = ceil(max(counts[owner].values()) * room)
        return own, min(own * (self.players - 1), total)

    def _with_orders(self, tables: Sequence[Table], orders: ActionType) -> list[Table]:
        """Return tables in which a unit's row also says which order the unit has got in the list."""
        made: list[Table] = []
        first = self.players
        for table in tables:
            more = (Columns("order", "order", 1, float(orders.values)),) if table.name == orders.of else ()
            made.append(replace(table, columns=table.columns + more, first=first))
            first += made[-1].rows * made[-1].width
        return made

    # -- observations --------------------------------------------------------------------------------

    def _columns(self, cls: str, rows: Mapping[str, tuple[int, int]]) -> Iterator[Columns]:
        plan = self.schema["classes"][cls]
        owned = cls in self.found.owners
        secret = next(one.secret for kind, one in self.game.state.plan().classes.items() if kind.__name__ == cls)
        if plan["placed"] and self.found.width:
            self.planes += [Plane(cls, "own")] + ([Plane(cls, "others")] if owned else [])
        for name, one in plan["fields"].items():
            seen, kind = self.found.fields[cls][name], one["type"]
            if "shape" in one:
                one = one | {"shape": self._sizes(cls, one["shape"])}
            if self.found.width and kind.rstrip("?") == "[tile]":
                self.planes += [Plane(cls, "own tiles", name)] + ([Plane(cls, "other tiles", name)] if owned else [])
            if symbols := self._symbols(kind, seen):
                self.planes += [Plane(cls, "symbol", name, symbol) for symbol in symbols]
                continue
            if layers := self._layers(cls, name, one, seen):
                self.planes += layers
                continue
            kind += "?" if name in secret and not kind.endswith("?") else ""
            made = self._field(name, one | {"type": kind}, seen, rows, self.bounds.get(f"{cls}.{name}", 0))
            if made is None:
                self.left_out.append(f"{cls}.{name}")
            else:
                yield made

    def _layers(self, cls: str, name: str, one: Document, seen: Seen) -> list[Plane]:
        """Return the layers of an array that has a number, or several, for each tile of the grid."""
        cells = self.found.width * self.found.height
        if "dtype" not in one or not cells or not seen.most or seen.most % cells:
            return []
        sizes = one["shape"]
        if None not in sizes and sizes[-2:] != [self.found.height, self.found.width]:
            return []
        scale = float(self.bounds.get(f"{cls}.{name}", 0) or self._scale(seen))
        layers = range(seen.most // cells)
        return [Plane(cls, "array", name, dtype=one["dtype"], layer=layer, scale=scale) for layer in layers]

    def _sizes(self, cls: str, shape: Sequence[int | str | None]) -> list[int | None]:
        """Return the sizes of an array; None for any size, and for a field that has had several values."""
        own, root = self.found.fields[cls], self.found.fields[self.schema["root"]]
        sizes: list[int | None] = []
        for size in shape:
            if isinstance(size, str):
                seen = own[size] if size in own else root[size]
                sizes.append(int(seen.high) if seen.high is not None and seen.low == seen.high else None)
            else:
                sizes.append(size)
        return sizes

    def _symbols(self, kind: str, seen: Seen) -> list[str]:
        """Return the symbols of a field that has a text for the grid: one long text, or one for each line."""
        width, height = self.found.width, self.found.height
        if not width or not seen.words or kind not in ("str", "[str]"):
            return []
        length = width * height if kind == "str" else width
        if any(len(word) != length for word in seen.words):
            return []
        return sorted({symbol for word in seen.words for symbol in word})

    def _field(
        self, name: str, one: Document, seen: Seen, rows: Mapping[str, tuple[int, int]], bound: float
    ) -> Columns | None:
        kind = one["type"]
        nullable = kind.endswith("?")
        kind = kind.rstrip("?")
        more = int(nullable)
        most = min(max(seen.most, 1), LONGEST)
        grid = max(self.found.width, self.found.height, 1)
        words = tuple(one.get("choices") or seen.words)
        if kind in ("int", "float"):
            is_seat = kind == "int" and self.players <= 16 and seen.low == 0 and seen.high == self.players - 1
            seats = self.players if is_seat else 0
            scale = grid if name in ("x", "y") and self.found.width else bound or self._scale(seen)
            return Columns(name, "number", 1 + seats + more, float(scale), nullable, seats)
        if kind == "bool":
            return Columns(name, "flag", 1 + more, nullable=nullable)
        if kind == "str":
            return Columns(name, "word", len(words), words=words) if words else None
        if kind == "[str]":
            return Columns(name, "words", len(words), float(most), words=words) if words else None
        if kind == "tile":
            return Columns(name, "tile", 2 + more, float(grid), nullable)
        if kind == "[tile]":
            return Columns(name, "tiles", 1 + 2 * most, float(grid))
        if kind in ("[int]", "[float]"):
            return Columns(name, "numbers", 1 + most, float(bound or self._scale(seen)))
        if kind == "array":
            size = prod(size or 0 for size in one["shape"])
            return Columns(name, "array", size, dtype=one["dtype"]) if 0 < size <= ARRAY else None
        if kind in rows:
            return Columns(name, "object", 1, float(sum(rows[kind])), of=kind)
        return None

    def _scale(self, seen: Seen) -> float:
        """Return a power of two that is at least twice as large as everything seen: random play ends early."""
        largest = max(abs(seen.low or 0), abs(seen.high or 0))
        return float(2 ** ceil(log2(2 * largest))) if largest > 1 else 1.0

    # -- actions -------------------------------------------------------------------------------------

    def _actions(self, tables: Mapping[str, Table]) -> list[ActionType] | None:
        """Return the catalogue; None if a parameter has no end, or if it would have too many actions."""
        made: list[ActionType] = []
        orders: list[ActionType] = []
        for cls, plan in self.schema["classes"].items():
            for name, one in plan["actions"].items():
                table = tables.get(cls)
                if table is None:
                    continue  # no object of this class was ever seen
                if any(parameter["type"] in self.records for parameter in one["parameters"]):
                    found = self._orders(name, one, tables)
                    if name in self.found.listed:
                        if found is None or orders:
                            return None
                        orders.append(found)
                    continue
                parameters = [self._parameter(name, parameter, tables) for parameter in one["parameters"]]
                if any(parameter is None for parameter in parameters):
                    if name in self.found.listed:
                        return None
                    continue
                known = tuple(parameter for parameter in parameters if parameter is not None)
                rows = table.own if one["receiver"] else 1
                made.append(ActionType(name, one["receiver"] or "", cls if one["receiver"] else "", rows, known, 0))
        first = 1
        for place, action in enumerate(made := made + orders):
            made[place] = replace(action, first=first)
            first += action.size
        return made if first <= CATALOGUE else None

    def _orders(self, action: str, one: Document, tables: Mapping[str, Table]) -> ActionType | None:
        """Return the numbers of orders; None if an order has no unit or a value without end, or needs more than a list.

        A number is a row of the unit and values of the other fields.
        """
        if one["receiver"] or len(one["parameters"]) != 1:
            return None
        listed = one["parameters"][0]
        fields = self.records[listed["type"]]
        choices = {field["name"]: field for field in self.schema["records"][listed["type"][1:-1]]["fields"]}
        unit = next(((name, kind) for name, kind in fields if kind in tables), None)
        if unit is None:
            return None
        parameters = []
        for name, kind in fields:
            if name != unit[0]:
                keys = [f"{name}.x", f"{name}.y"] if kind == "tile" else [name]
                declared = choices[name] | {"name": f"{listed['name']}.{name}", "keys": keys}
                parameter = self._parameter(action, declared, tables)
                if parameter is None:
                    return None
                parameters.append(replace(parameter, name=name))
        names = [key for name, kind in fields for key in ((f"{name}.x", f"{name}.y") if kind == "tile" else (name,))]
        table = tables[unit[1]]
        return ActionType(action, unit[0], table.name, table.own, tuple(parameters), 0, listed["name"], tuple(names))

    def _parameter(self, action: str, one: Document, tables: Mapping[str, Table]) -> Parameter | None:
        name, keys, kind = one["name"], tuple(one["keys"]), one["type"]
        seen = self.found.parameters[action][name]
        nothing: tuple[Any, ...] = (None,) if kind.endswith("?") else ()
        if kind == "tile" and self.found.width:
            if seen.offsets:
                offsets = _closed(seen.offsets)
                return Parameter(name, keys, "offset", len(offsets), offsets)
            return Parameter(name, keys, "tile", self.found.width * self.found.height)
        kind = kind.rstrip("?")
        if kind in tables:
            return Parameter(name, keys, "object", tables[kind].rows, of=kind)
        if kind[0] == "[":
            values = _lists(_values(kind[1:-1], one, seen, self.players), one["most"])
        else:
            values = tuple(_values(kind, one, seen, self.players))
        if not values:
            return None
        return Parameter(name, keys, "value", len(nothing + values), nothing + values, default=one.get("default"))


def _values(kind: str, one: Document, seen: Seen, players: int) -> Sequence[Any]:
    """Return the values that a parameter or an item can have; none if they have no end.

    Numbers that can be those of players are: random play seldom names all.
    """
    if kind == "bool":
        return (False, True)
    if kind == "int" and seen.low is not None and seen.high is not None and seen.high - seen.low < CATALOGUE:
        if seen.low >= 0 and seen.high < players:
            return range(players)
        return range(int(seen.low), int(seen.high) + 1)
    return one.get("choices") or sorted(seen.words) if kind == "str" else ()


def _lists(items: Sequence[Any], most: int) -> tuple[tuple[Any, ...], ...]:
    """Return all lists of these items, short ones first; none if there are too many."""
    if not items or most > LISTS or sum(len(items) ** length for length in range(most + 1)) > LISTS:
        return ()
    return tuple(found for length in range(most + 1) for found in product(items, repeat=length))


def _closed(seen: Iterable[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """Return distances in all directions: a few as seen, turned and mirrored; of many, all up to the farthest."""
    turned = {(a * p, b * q) for x, y in seen for a, b in ((x, y), (y, x)) for p in (-1, 1) for q in (-1, 1)}
    if len(turned) > FEW:
        far = max(x for x, _ in turned)
        turned = {(x, y) for x in range(-far, far + 1) for y in range(-far, far + 1)}
    return tuple(sorted(turned, key=lambda place: (place[1], place[0])))
