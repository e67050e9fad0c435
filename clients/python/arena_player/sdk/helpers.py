"""The helpers of a game, with their types: the pure methods and properties that its extras add to the classes of a bot.

A bot in Python inherits the extras. A bot in another language has methods of the same names, which ask the rules
service (`arena_player.helpers`). Their types come from the annotations in the source of the extras. A helper with a
type that not every language has is missing there, and `Helpers.missing` says why.
"""

import ast
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from arena_player import ai, grid, objects
from arena_player.schema import SCALARS, Schema

LISTS = ("list", "set", "frozenset", "Collection", "Iterable", "Iterator", "Sequence")
MAPS = ("dict", "Mapping")


class Kind(NamedTuple):
    """The type of an argument or a result.

    Attributes:
        name: A scalar of the schema, "tile", "list", "map", "thing" (an object of one of several classes, or a tile),
            "result" (of actions that a helper sends), or the name of a class of the game or of a `Value`.
        parts: The type of the items of a list, the types of the keys and values of a map, or the types of a thing.
        nullable: True if it can be None.
    """

    name: str
    parts: "tuple[Kind, ...]" = ()
    nullable: bool = False

    @property
    def has_tile(self) -> bool:
        """Whether it is a thing that can be a tile."""
        return self.name == "thing" and any(part.name == "tile" for part in self.parts)

    @property
    def floats(self) -> bool:
        """Whether all its numbers are floats. In Python, they can be integers."""
        names = {part.name for part in self.all()}
        return "float" in names and "int" not in names

    def all(self) -> "list[Kind]":
        """Return this type and all types in it."""
        return [self, *(one for part in self.parts for one in part.all())]


class Argument(NamedTuple):
    """A parameter of a helper. `many` is true for `*name`, which is the last parameter and takes a list elsewhere."""

    name: str
    type: Kind
    has_default: bool
    many: bool = False


class Helper(NamedTuple):
    """A method or property that the extras add to a class."""

    name: str
    doc: str
    parameters: tuple[Argument, ...]
    type: Kind
    is_property: bool


class Value(NamedTuple):
    """A class of the extras that helpers return, with its annotated attributes."""

    name: str
    doc: str
    fields: dict[str, Kind]


class Helpers(NamedTuple):
    """The helpers of a game.

    Attributes:
        classes: The helpers of each class by its name; also those of `Tile` and of `AI`.
        values: The classes of values that helpers return, by name.
        missing: The reason why other languages lack a helper, by its name such as ``Unit.move``.
        wants_legal_actions: Whether the bots of the game get their legal actions by default.
    """

    classes: dict[str, tuple[Helper, ...]]
    values: dict[str, Value]
    missing: dict[str, str]
    wants_legal_actions: bool


class UnsupportedError(Exception):
    """Other languages cannot have the helper. The message says why."""


def find_helpers(schema: Schema, extras_source: str, aliases: Mapping[str, tuple[Any, ...]]) -> Helpers:
    """Return the helpers of a game.

    Args:
        schema: The game's schema.
        extras_source: The source of its extras.
        aliases: The choices behind each alias of the typed module.
    """
    tree = ast.parse(extras_source)
    nodes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
    finder = _Finder(schema, nodes, aliases)
    classes = {}
    for name in (*schema.classes, *(["Tile"] if schema.grid else []), "AI"):
        own = finder.members(name, nodes[f"{name}Extras"]) if f"{name}Extras" in nodes else {}
        base = finder.members("Tile", _tile_of_the_kit()) if name == "Tile" else {}
        base.pop("distance_to", None)  # the kits have `distance`, which asks nobody
        classes[name] = tuple((base | own).values())
    wants = (
        any(_assigns_true(node, "wants_legal_actions") for node in nodes["AIExtras"].body)
        if "AIExtras" in nodes
        else False
    )
    return Helpers(classes, finder.values, finder.missing, wants)


def _tile_of_the_kit() -> ast.ClassDef:
    """Return the class of tiles in the kit, whose helpers use those of the game's extras: `is_passable` for example."""
    tree = ast.parse(Path(grid.__file__).read_text(encoding="utf-8"))
    return next(node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == "Tile")


def _assigns_true(node: ast.stmt, name: str) -> bool:
    target = (
        node.target if isinstance(node, ast.AnnAssign) else node.targets[0] if isinstance(node, ast.Assign) else None
    )
    value = getattr(node, "value", None)
    return (
        isinstance(target, ast.Name) and target.id == name and isinstance(value, ast.Constant) and value.value is True
    )


class _Finder:
    def __init__(
        self, schema: Schema, nodes: Mapping[str, ast.ClassDef], aliases: Mapping[str, tuple[Any, ...]]
    ) -> None:
        self.schema = schema
        self.nodes = nodes
        self.aliases = aliases
        self.values: dict[str, Value] = {}
        self.missing: dict[str, str] = {}

    def members(self, owner: str, node: ast.ClassDef) -> dict[str, Helper]:
        """Return the helpers that a class definition adds to a class of the game."""
        found = {}
        for item in node.body:
            if not isinstance(item, ast.FunctionDef) or item.name.startswith("_"):
                continue
            try:
                found[item.name] = self._helper(owner, item)
            except UnsupportedError as reason:
                self.missing[f"{owner}.{item.name}"] = str(reason)
        return found

    def _helper(self, owner: str, node: ast.FunctionDef) -> Helper:
        if self._is_taken(owner, node.name):
            raise UnsupportedError("every kit has it already")
        decorators = [ast.unparse(decorator) for decorator in node.decorator_list]
        is_property = decorators in (["property"], ["cached_property"])
        if decorators and not is_property:
            raise UnsupportedError(f"it is a {decorators[0]}")
        result = self._result(node.returns, owner)
        if any(kind.has_tile for kind in result.all()):
            raise UnsupportedError(f"its result can be a tile or an object: {ast.unparse(node.returns or node)}")
        return Helper(node.name, ast.get_docstring(node) or "", self._parameters(node.args, owner), result, is_property)

    def _result(self, node: ast.expr | None, owner: str) -> Kind:
        """Return the type of what a helper returns. Only the helper itself can be the result of an action."""
        if isinstance(node, ast.Subscript) and ast.unparse(node.value) == "Result":
            return Kind("result")
        return self._kind(node, owner)

    def _is_taken(self, owner: str, name: str) -> bool:
        if owner == "AI":
            return hasattr(ai.AI, name) or name in ai.AI.__annotations__
        if owner == "Tile":
            return False
        entry = self.schema.classes[owner]
        if owner == self.schema.root and hasattr(objects.RootObject, name):
            return True
        fields = {field.name for field in entry.fields} | {action.method for action in entry.actions}
        return name in fields | {"id", "present", "class_name"} | ({"x", "y", "tile"} if entry.placed else set())

    def _parameters(self, arguments: ast.arguments, owner: str) -> tuple[Argument, ...]:
        listed = arguments.args[1:]
        without = len(listed) - len(arguments.defaults)
        nodes = [(item, place >= without, False) for place, item in enumerate(listed)]
        nodes += [
            (item, default is not None, False)
            for item, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
        ]
        if arguments.vararg:
            if listed:
                raise UnsupportedError(f"it has other parameters beside *{arguments.vararg.arg}")
            nodes.append((arguments.vararg, False, True))
        found = []
        for item, has_default, many in nodes:
            try:
                kind = self._kind(item.annotation, owner)
                if any(one.name == "map" or one.name in self.values for one in kind.all()):
                    raise UnsupportedError(f"its parameter {item.arg} is a {ast.unparse(item.annotation or item)}")
            except UnsupportedError:
                if has_default:
                    continue
                raise
            found.append(Argument(item.arg, Kind("list", (kind,)) if many else kind, has_default or many, many))
        return tuple(sorted(found, key=lambda one: one.has_default))

    # --- types ---------------------------------------------------------------------------

    def _kind(self, node: ast.expr | None, owner: str = "") -> Kind:
        if node is None:
            raise UnsupportedError("it has a parameter or a result without a type")
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            node = ast.parse(node.value, mode="eval").body
        if isinstance(node, ast.BinOp):
            return self._union(node, owner)
        if isinstance(node, ast.Subscript):
            return self._of_several(ast.unparse(node.value), node.slice, owner)
        name = ast.unparse(node)
        name = {"Any": "any", "Tile": "tile", "Self": "tile" if owner == "Tile" else owner}.get(name, name)
        if name == "tile" or (name in SCALARS and name != "array") or name in self.schema.classes:
            return Kind(name)
        if name == "Located":
            placed = (Kind(entry.name) for entry in self.schema.classes.values() if entry.placed)
            return Kind("thing", (Kind("tile"), *placed))
        if name in self.aliases:
            return Kind(type(self.aliases[name][0]).__name__)
        if name in self.nodes and not name.endswith("Extras"):
            return self._value(name)
        raise UnsupportedError(f"it uses the type {name}")

    def _of_several(self, name: str, inner: ast.expr, owner: str) -> Kind:
        parts = inner.elts if isinstance(inner, ast.Tuple) else [inner]
        if name == "Literal":
            return Kind(type(ast.literal_eval(parts[0])).__name__)
        if name in LISTS:
            return Kind("list", (self._kind(parts[0], owner),))
        if name in MAPS:
            return Kind("map", (self._kind(parts[0], owner), self._kind(parts[1], owner)))
        if name == "tuple":
            kinds = {self._kind(part, owner) for part in parts if ast.unparse(part) != "..."}
            return Kind("list", (kinds.pop() if len(kinds) == 1 else Kind("any"),))
        raise UnsupportedError(f"it uses the type {name}")

    def _union(self, node: ast.BinOp, owner: str) -> Kind:
        nodes: list[ast.expr] = [node]
        while isinstance(first := nodes[0], ast.BinOp):
            nodes[:1] = [first.left, first.right]
        kinds = [self._kind(one, owner) for one in nodes if ast.unparse(one) != "None"]
        nullable = len(kinds) < len(nodes)
        if len(kinds) == 1:
            return kinds[0]._replace(nullable=nullable)
        if all(kind.name == "tile" or kind.name in self.schema.classes for kind in kinds):
            return Kind("thing", tuple(kinds), nullable)
        raise UnsupportedError(f"it uses the type {ast.unparse(node)}")

    def _value(self, name: str) -> Kind:
        """Return the type of a class of values, and keep its annotated attributes."""
        if name not in self.values:
            node = self.nodes[name]
            self.values[name] = Value(name, ast.get_docstring(node) or "", {})
            self.values[name].fields.update(self._attributes(node))
            self.values[name] = self.values.pop(name)  # after those that its attributes use
        return Kind(name)

    def _attributes(self, node: ast.ClassDef) -> dict[str, Kind]:
        found = {}
        start = [item for item in node.body if isinstance(item, ast.FunctionDef) and item.name == "__init__"]
        # In `__init__`, a name alone is a local variable.
        for body, form in ((node.body, ast.Name), (start[0].body if start else [], ast.Attribute)):
            for item in body:
                if isinstance(item, ast.AnnAssign) and isinstance(item.target, form):
                    name = ast.unparse(item.target).removeprefix("self.")
                    if not name.startswith("_") and name.isidentifier():
                        found[name] = self._kind(item.annotation)
        return found
