"""A game's schema: its classes, fields and actions, as a player reads them from the schema document.

The document is all that rules and players share: this library is installed without the rules, and rules without this
library. So `Action` and `Parameter` exist twice. Here they hold what the document says; those of `arena.game` hold the
function of the rules, its classes, and what its arguments must be.
"""

from collections.abc import Mapping
from keyword import iskeyword

from .errors import PlayerError
from .light import Any, NamedTuple

SCALARS = {"int": "int", "bool": "bool", "str": "str", "float": "float", "any": "Any", "array": "memoryview"}

ARRAYS = {
    "int8": "b",
    "uint8": "B",
    "int16": "h",
    "uint16": "H",
    "int32": "i",
    "uint32": "I",
    "int64": "q",
    "uint64": "Q",
    "float32": "f",
    "float64": "d",
}
"""The types of numbers in arrays, with their letters in `memoryview`. `arena.game.arrays` has the same."""


class FieldType(NamedTuple):
    """The type of a field or parameter, split into its parts.

    Attributes:
        name: A scalar, "tile" or the name of a class.
        many: True for a list of such values.
        nullable: True if the value can be null.
        inner_nullable: True if entries of the list can be null.
    """

    name: str
    many: bool
    nullable: bool
    inner_nullable: bool = False

    @property
    def is_scalar(self) -> bool:
        """Whether the type is neither a tile nor a class. An array is a scalar too."""
        return self.name in SCALARS


def parse_type(text: str) -> FieldType:
    """Parse a type of the schema, such as `int`, `str?`, `Cowboy`, `[tile]` or `[Cowboy]?`.

    Raises:
        PlayerError: The type has another form.
    """
    nullable = text.endswith("?")
    core = text[:-1] if nullable else text
    many = core.startswith("[") and core.endswith("]")
    inner = core[1:-1] if many else core
    inner_nullable = many and inner.endswith("?")
    name = inner[:-1] if inner_nullable else inner
    if not name.isidentifier():
        raise PlayerError(f"The schema has a type {text!r} that this version of arena-player does not know.")
    return FieldType(name, many, nullable, inner_nullable)


class Parameter(NamedTuple):
    """One parameter of an action."""

    name: str
    type: FieldType
    keys: tuple[str, ...]
    doc: str
    choices: tuple[Any, ...]
    default: Any
    has_default: bool

    def entries(self, value: Any) -> dict[str, Any]:
        """Return the entries that an argument adds to the action's document."""
        if self.type.name == "tile" and not self.type.many and len(self.keys) == 2:
            x, y = (None, None) if value is None else value
            return {self.keys[0]: x, self.keys[1]: y}
        return {self.keys[0]: self._encode(value)}

    def _encode(self, value: Any) -> Any:
        if value is None or self.type.is_scalar:
            return value
        if self.type.many:
            return [self._encode_one(item) for item in value]
        return self._encode_one(value)

    def _encode_one(self, value: Any) -> Any:
        if value is None:
            return None
        if isinstance(value, list | tuple) and self.type.name != "tile":  # a record
            return [_wire(part) for part in value]
        return list(value) if self.type.name == "tile" else getattr(value, "id", value)


def _wire(value: Any) -> Any:
    """Return the wire value of a part of a record."""
    if hasattr(value, "x") and not hasattr(value, "id"):
        return [value.x, value.y]
    return list(value) if isinstance(value, tuple) else getattr(value, "id", value)


class Action(NamedTuple):
    """One action of a class."""

    name: str
    doc: str
    receiver: str | None
    parameters: tuple[Parameter, ...]
    returns: str | None

    @property
    def method(self) -> str:
        """The name of the method: the action's name, with an underscore if it is a Python keyword, such as `pass_`."""
        return f"{self.name}_" if iskeyword(self.name) else self.name


class GameField(NamedTuple):
    """One field of a class."""

    name: str
    type: FieldType
    doc: str
    choices: tuple[Any, ...]
    dtype: str = ""
    shape: tuple[int | str | None, ...] = ()

    @property
    def array(self) -> str:
        """Type and sizes of an array, such as `uint8, height x width`; empty for other fields."""
        sizes = " x ".join("any" if size is None else str(size) for size in self.shape)
        return f"{self.dtype}, {sizes}" if self.dtype else ""


class GameClass(NamedTuple):
    """One class of a game."""

    name: str
    doc: str
    placed: bool
    fields: tuple[GameField, ...]
    actions: tuple[Action, ...]


class Record(NamedTuple):
    """A class of records: the items of a list in an action. On the wire, a record is a list of its values."""

    name: str
    doc: str
    fields: tuple[GameField, ...]


class Schema(NamedTuple):
    """A game's classes, fields and actions."""

    game: str
    title: str
    version: str
    hash: str
    root: str
    grid: tuple[str, str] | None
    classes: dict[str, GameClass]
    records: dict[str, Record]


def parse_schema(document: Mapping[str, Any]) -> Schema:
    """Read a schema document.

    Raises:
        PlayerError: The document is not a schema.
    """
    try:
        grid = document.get("grid")
        return Schema(
            game=document["game"],
            title=document.get("title", document["game"]),
            version=document.get("version", ""),
            hash=document["hash"],
            root=document["root"],
            grid=(grid["width"], grid["height"]) if grid else None,
            classes={name: _parse_class(name, entry) for name, entry in document["classes"].items()},
            records={name: _parse_record(name, entry) for name, entry in document.get("records", {}).items()},
        )
    except (KeyError, TypeError, AttributeError, IndexError) as error:
        raise PlayerError(f"The document is not the schema of a game ({type(error).__name__}: {error}).") from None


def _parse_class(name: str, entry: Mapping[str, Any]) -> GameClass:
    return GameClass(
        name=name,
        doc=entry.get("doc", ""),
        placed=bool(entry.get("placed")),
        fields=tuple(
            GameField(
                name=field,
                type=parse_type(about["type"]),
                doc=about.get("doc", ""),
                choices=tuple(about.get("choices") or ()),
                dtype=about.get("dtype", ""),
                shape=tuple(about.get("shape") or ()),
            )
            for field, about in entry["fields"].items()
        ),
        actions=tuple(_parse_action(action, about) for action, about in entry.get("actions", {}).items()),
    )


def _parse_record(name: str, entry: Mapping[str, Any]) -> Record:
    fields = tuple(
        GameField(about["name"], parse_type(about["type"]), "", tuple(about.get("choices") or ()))
        for about in entry["fields"]
    )
    return Record(name, entry.get("doc", ""), fields)


def _parse_action(name: str, about: Mapping[str, Any]) -> Action:
    return Action(
        name=name,
        doc=about.get("doc", ""),
        receiver=about.get("receiver"),
        parameters=tuple(
            Parameter(
                name=parameter["name"],
                type=parse_type(parameter["type"]),
                keys=tuple(parameter.get("keys") or (parameter["name"],)),
                doc=parameter.get("doc", ""),
                choices=tuple(parameter.get("choices") or ()),
                default=parameter.get("default"),
                has_default="default" in parameter,
            )
            for parameter in about.get("parameters", ())
        ),
        returns=about.get("returns"),
    )


def attribute_name(class_name: str) -> str:
    """Return the name of the attribute in which a tile holds an object of this class: `young_gun` for YoungGun."""
    parts = []
    for index, letter in enumerate(class_name):
        if letter.isupper() and index and not class_name[index - 1].isupper():
            parts.append("_")
        parts.append(letter.lower())
    return "".join(parts)
