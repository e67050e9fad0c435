"""Generate the source of one typed module."""

import keyword
import re
from typing import Any

from arena_player import light
from arena_player.errors import PlayerError
from arena_player.schema import (
    SCALARS,
    Action,
    FieldType,
    GameClass,
    GameField,
    Parameter,
    Record,
    Schema,
    attribute_name,
)

from .extras import Extras
from .text import WIDTH, action_doc, definition, docstring, escaped, literal, quoted, return_document

_RESERVED = frozenset(
    ("AI", "Tile", "Result", "GAME", "SCHEMA_HASH", "Any", "Literal", "PlacedObject", "World", "State")
)
_RESERVED_MEMBERS = frozenset(("game", "world"))


class Module:
    """The typed module that is being generated."""

    def __init__(self, schema: Schema, extras: Extras) -> None:
        self.schema = schema
        self.extras = extras
        self.aliases: dict[str, tuple[Any, ...]] = {}
        _check_names(schema)

    def source(self) -> str:
        """Return the source of the module."""
        schema = self.schema
        classes = [self._class(entry) for entry in schema.classes.values()]
        records = [self._record(record) for record in schema.records.values()]
        ai = self._ai()
        blocks = [
            *([self._tile()] if schema.grid else []),
            *records,
            *classes,
            self._states(),
            ai,
        ]
        aliases = "\n".join(definition(name, choices) for name, choices in self.aliases.items())
        names = [
            "AI",
            "GAME",
            "SCHEMA_HASH",
            "Result",
            *schema.classes,
            *schema.records,
            *self.aliases,
            *self._grid_names(),
        ]
        names.sort(key=lambda name: (not name.isupper(), not name[0].isupper(), name))
        body = "\n\n\n".join(part for part in (self.extras.body, *blocks) if part)
        head = [
            self._docstring(),
            self._imports(aliases + body),
            f"__all__ = [\n{''.join(f'    {quoted(name)},{chr(10)}' for name in names)}]",
            f"GAME = {quoted(schema.game)}\nSCHEMA_HASH = {quoted(schema.hash)}",
            aliases,
        ]
        return "\n\n".join(part for part in head if part) + "\n\n\n" + body + "\n"

    def _grid_names(self) -> list[str]:
        return ["Tile", "find_path", "reachable"] if self.schema.grid else []

    def _docstring(self) -> str:
        title = f"{self.schema.title} {self.schema.version}".strip()
        name = self.schema.game
        text = (
            f"{title}: the objects of the game, for bots.\n\n"
            f"Written by `arena sdk {name}`. Do not change this file: it is replaced when the game changes.\n\n"
            f"    from {name} import AI\n\n\n"
            "    class MyBot(AI):\n        def run_turn(self) -> None:\n            ..."
        )
        return '"""' + escaped(text) + '\n"""'

    def _imports(self, body: str) -> str:
        """Return the imports that the rest of the module uses, in sorted order."""
        typing = {
            name for name in ("Any", "ClassVar", "Literal", "NamedTuple", "Protocol") if re.search(rf"\b{name}\b", body)
        }
        abstract = {name for name in ("Callable", "Mapping", "Sequence") if re.search(rf"\b{name}\b", body)}
        others = set()
        for line in self.extras.imports:
            module, _, names = line.partition(" import ")
            if module == "from typing":
                typing |= set(names.split(", ")) - {"TYPE_CHECKING"}
            elif module == "from collections.abc":
                abstract |= set(names.split(", "))
            else:
                others.add(line)
        typing.add("TYPE_CHECKING")
        standard = {f"from collections.abc import {', '.join(sorted(abstract))}"} | others
        if rest := typing - set(light.__all__):
            standard.add(f"from typing import {', '.join(sorted(rest))}")
        used = [name for name in ("PlacedObject", "Result", "World") if re.search(rf"\b{name}\b", body)]
        kit = [*used, *(name for name in self._grid_names() if name != "Tile")]
        named = sorted(typing & set(light.__all__), key=lambda name: (not name.isupper(), name))
        searching = "SearchState, SearchTile" if "SearchTile" in body else "SearchState"
        return "\n".join(
            [
                "from __future__ import annotations",
                "",
                *sorted(standard, key=lambda line: (line.startswith("from"), line.split()[1])),
                "",
                "import arena_player",
                f"from arena_player import {', '.join(kit)}",
                f"from arena_player.light import {', '.join(named)}",
                "",
                "if TYPE_CHECKING:",
                "    from random import Random",
                "",
                f"    from arena_player.searching import {searching}",
            ]
        )

    def _bases(self, name: str, base: str) -> str:
        mixin = f"{name}Extras"
        return f"{mixin}, {base}" if mixin in self.extras.classes else base

    # --- classes -------------------------------------------------------------------------

    def _class(self, entry: GameClass) -> str:
        kit = "RootObject" if entry.name == self.schema.root else "GameObject"
        base = "PlacedObject" if entry.placed else f"arena_player.{kit}"
        parts = [f"class {entry.name}({self._bases(entry.name, base)}):", docstring(entry.doc or f"A {entry.name}.", 4)]
        is_root = entry.name == self.schema.root
        if not is_root:
            parts.append(f"\n    game: {self.schema.root}")
            parts.append(docstring("The game.", 4))
        if entry.placed:
            parts.append(f"    tile: {'Tile | None' if self.schema.grid else 'None'}")
            parts.append(docstring("The tile it stands on, or None when it is not on the board.", 4))
        for index, field in enumerate(entry.fields):
            kind = self._annotation(field.type, self._alias(entry.name, field))
            blank = "\n" if is_root and index == 0 else ""
            parts.append(f"{blank}    {field.name}: {kind}")
            doc = f"{field.doc} ({field.array})" if field.array else field.doc
            if doc:
                parts.append(docstring(doc, 4))
        if is_root and self.schema.grid:
            parts += ["    tiles: list[Tile]", docstring("All tiles, row by row.", 4), _ROOT_TILE]
        if is_root:
            parts.append(_FORK)
        parts += [self._action(action) for action in entry.actions]
        return "\n".join(parts)

    def _states(self) -> str:
        """Return the types of a state to search in: its fields, and those of its objects. Only editors see them."""
        parts = ["if TYPE_CHECKING:"]
        for entry in self.schema.classes.values():
            is_root = entry.name == self.schema.root
            base = "SearchState, Protocol" if is_root else "Protocol"
            about = "The game to search in, from `game.fork()`." if is_root else f"A {entry.name} of a state."
            lines = [f"class {'State' if is_root else entry.name + 'State'}({base}):", docstring(about, 4), ""]
            lines += [] if is_root or any(field.name == "id" for field in entry.fields) else ["    id: str"]
            lines += [f"    {field.name}: {self._state_annotation(entry.name, field)}" for field in entry.fields]
            parts.append("\n".join(f"    {line}" if line else "" for line in "\n".join(lines).split("\n")))
        return "\n\n".join(parts)

    def _state_annotation(self, owner: str, field: GameField) -> str:
        """Return the type of a field in the rules: lists are tuples, and objects are those of the state."""
        kind = field.type
        name = self._alias(owner, field) or SCALARS.get(kind.name) or f"{kind.name}State"
        if kind.name == "tile":
            name = "SearchTile"
        elif kind.name == self.schema.root:
            name = "State"
        elif kind.name in self.schema.records:
            name = "Any"
        if kind.inner_nullable:
            name = f"{name} | None"
        if kind.many:
            name = f"tuple[{name}, ...]"
        return f"{name} | None" if kind.nullable and name != "Any" else name

    def _record(self, record: Record) -> str:
        parts = [f"class {record.name}(NamedTuple):", docstring(record.doc or f"A {record.name}.", 4), ""]
        parts += [
            f"    {field.name}: {self._annotation(field.type, self._alias(record.name, field))}"
            for field in record.fields
        ]
        return "\n".join(parts)

    def _tile(self) -> str:
        parts = [
            f"class Tile({self._bases('Tile', 'arena_player.Tile')}):",
            docstring("One square of the board. x grows to the right, y grows downwards, (0, 0) is top left.", 4),
            f"\n    game: {self.schema.root}",
            docstring("The game.", 4),
        ]
        for side, where in (("north", "above"), ("south", "below"), ("east", "to the right"), ("west", "to the left")):
            parts += [f"    {side}: Tile | None", docstring(f"The tile {where}, or None at the edge.", 4)]
        parts += ["    neighbors: list[Tile]", docstring("The tiles to the north, south, east and west that exist.", 4)]
        for entry in self.schema.classes.values():
            if entry.placed:
                name = attribute_name(entry.name)
                parts += [
                    f"    {name}: {entry.name} | None",
                    docstring(f"The {entry.name} on this tile, or None.", 4),
                ]
        return "\n".join(parts)

    def _ai(self) -> str:
        player = self.schema.classes.get("Player")
        mine = "Player" if player and any(field.name == "index" for field in player.fields) else "int"
        listed = "".join(f"    {quoted(name)}: {name},\n" for name in self.schema.classes)
        lines = [
            f"_CLASSES: Mapping[str, type[arena_player.GameObject]] = {{\n{listed}}}\n\n",
            f"class AI({self._bases('AI', 'arena_player.AI')}):",
            docstring(f"A bot for {self.schema.title}. Write a subclass with a method `run_turn`.", 4),
            f"\n    game: {self.schema.root}",
            docstring("The game, always current.", 4),
            f"    player: {mine}",
            docstring("Your player object." if mine == "Player" else "Your number, from 0.", 4),
            f"    me: {mine}",
            docstring("Another name for `player`.", 4),
            "\n    schema_hash = SCHEMA_HASH",
            "    game_classes = _CLASSES",
        ]
        if self.schema.grid:
            lines.append("    tile_class = Tile")
        return "\n".join(lines)

    # --- actions -------------------------------------------------------------------------

    def _action(self, action: Action) -> str:
        result = action.returns or "None"
        entries = [f'"type": {quoted(action.name)}']
        if action.receiver:
            entries.append(f"{quoted(action.receiver)}: self.id")
        for item in action.parameters:
            entries += self._entries(item)
        return "\n".join(
            [
                self._signature(action, result),
                docstring(action_doc(action, result), 8),
                return_document(entries),
            ]
        )

    def _signature(self, action: Action, result: str) -> str:
        """Return the line with `def`. Parameters without a default come first."""
        listed = ["self"]
        for item in sorted(action.parameters, key=lambda item: item.has_default):
            annotation = self._annotation(item.type, self._alias(action.name, item), "Sequence")
            default = () if item.type.many and item.default == [] else item.default
            listed.append(f"{item.name}: {annotation}" + (f" = {quoted(default)}" if item.has_default else ""))
        line = f"\n    def {action.method}({', '.join(listed)}) -> Result[{result}]:"
        if len(line) <= WIDTH:
            return line
        parameters = "".join(f"        {parameter},\n" for parameter in listed)
        return f"\n    def {action.method}(\n{parameters}    ) -> Result[{result}]:"

    def _entries(self, item: Parameter) -> list[str]:
        name = item.name
        is_pair = item.type.name == "tile" and not item.type.many and len(item.keys) == 2
        if is_pair:
            parts = (f"{name}.x", f"{name}.y") if self.schema.grid else (f"{name}[0]", f"{name}[1]")
            return [
                f"{quoted(key)}: " + (f"None if {name} is None else {part}" if item.type.nullable else part)
                for key, part in zip(item.keys, parts, strict=True)
            ]
        if item.type.is_scalar:
            return [f"{quoted(item.keys[0])}: {name}"]
        if record := self.schema.records.get(item.type.name):
            values = ", ".join(field.name for field in record.fields) + ("," if len(record.fields) == 1 else "")
            row = ", ".join(map(self._part, record.fields))
            return [f"{quoted(item.keys[0])}: [[{row}] for {values} in {name}]"]
        one = "list({})" if item.type.name == "tile" else "{}.id"
        if item.type.inner_nullable:
            one = "None if {} is None else " + one
        value = f"[{one.replace('{}', 'item')} for item in {name}]" if item.type.many else one.replace("{}", name)
        if item.type.nullable:
            value = f"None if {name} is None else {value}"
        return [f"{quoted(item.keys[0])}: {value}"]

    def _part(self, field: GameField) -> str:
        """Return the expression for a value of a record, once the record is unpacked."""
        value = field.name
        if field.type.is_scalar:
            return value
        plain = f"[{value}.x, {value}.y]" if self.schema.grid else f"list({value})"
        plain = plain if field.type.name == "tile" else f"{value}.id"
        return f"None if {value} is None else {plain}" if field.type.nullable else plain

    # --- types ---------------------------------------------------------------------------

    def _annotation(self, kind: FieldType, alias: str, many: str = "list") -> str:
        if alias:
            name = alias
        elif kind.name in SCALARS:
            name = SCALARS[kind.name]
        elif kind.name == "tile":
            name = "Tile" if self.schema.grid else "tuple[int, int]"
        elif kind.name in self.schema.classes:
            name = kind.name
        elif record := self.schema.records.get(kind.name):
            values = (self._annotation(field.type, self._alias(record.name, field)) for field in record.fields)
            name = f"{kind.name} | tuple[{', '.join(values)}]"
        else:
            raise PlayerError(f"The schema uses the class {kind.name}, but does not define it.")
        if kind.inner_nullable:
            name = f"{name} | None"
        if kind.many:
            name = f"{many}[{name}]"
        return f"{name} | None" if kind.nullable and name != "Any" else name

    def _alias(self, owner: str, item: Parameter | GameField) -> str:
        """Return the name of an alias for the choices of a parameter or field; "" without choices.

        Items with the same name and choices share an alias. If no name is free, return `Literal[...]` instead.
        """
        choices = item.choices
        if not choices or not all(isinstance(choice, str | int) for choice in choices):
            return ""
        name = item.name.removesuffix("s") if item.type.many else item.name
        short = "".join(part.capitalize() for part in name.split("_"))
        owner = "".join(part[:1].upper() + part[1:] for part in owner.split("_"))
        for alias in (short, f"{owner}{short}"):
            taken = alias in self.schema.classes or alias in self.schema.records or alias in _RESERVED
            if taken or self.aliases.get(alias, choices) != choices:
                continue
            self.aliases[alias] = choices
            return alias
        return literal(choices)


_ROOT_TILE = '''
    def tile(self, x: int, y: int) -> Tile | None:
        """Return the tile at (x, y), or None if it is off the board."""
        found: Tile | None = super().tile(x, y)
        return found'''

_FORK = '''
    def fork(self, rng: Random | None = None) -> State:
        """Return a copy of the game to search in. The page "Searching" of the documentation shows how.

        Args:
            rng: A random generator for guesses at hidden information and for dice. The default is a new one.
        """
        state: State = super().fork(rng)
        return state'''


def _check_names(schema: Schema) -> None:
    """Raise `PlayerError` for names that are invalid or that `arena_player` uses itself."""
    for name in schema.records:
        if name in _RESERVED or name in SCALARS or name in schema.classes:
            raise PlayerError(f"The record {name} needs another name: a class or the kit uses this one.")
    for entry in schema.classes.values():
        if entry.name in _RESERVED or entry.name in SCALARS:
            raise PlayerError(f"The class {entry.name} needs another name: the kit uses this one.")
        fields = {field.name for field in entry.fields}
        for action in entry.actions:
            if action.method in fields:
                raise PlayerError(f"{entry.name}: {action.name!r} is both a field and an action. Rename one of them.")
        members = [*(field.name for field in entry.fields), *(action.method for action in entry.actions)]
        parameters = [item.name for action in entry.actions for item in action.parameters]
        for name in (entry.name, *members, *parameters):
            if name in _RESERVED_MEMBERS and name not in parameters:
                raise PlayerError(f"{entry.name}: {name!r} needs another name: the kit uses this one.")
            if not name.isidentifier() or keyword.iskeyword(name) or name.startswith("_"):
                raise PlayerError(f"{entry.name}: {name!r} cannot be a name in Python. Rename it.")
