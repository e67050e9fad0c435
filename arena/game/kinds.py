"""The types that fields and parameters can have, their names on the wire, and how values get there and back.

A `Kind` is made of an annotation, once for each field (`kind_of`). Its `encoder` converts values for views, and
`decode` converts them back. Most values are the same on both sides: then there is no encoder, and nothing is called.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Iterator, Mapping
from typing import Annotated, Any, Literal, NamedTuple, TypeAlias, TypedDict, Union, get_args, get_origin

from arena.game.arrays import Array
from arena.game.errors import GameError

Document: TypeAlias = dict[str, Any]
"""A JSON object whose keys and values a specification describes: an action, a state, a map."""

View: TypeAlias = list[Any]
"""Flat triples ``id, field, value``, as docs/protocol.md describes them: a view or a delta."""

Number: TypeAlias = int | float
"""The value of a draw: a whole number or a real number."""


def triples(view: View) -> Iterator[tuple[str, str, Any]]:
    """Yield id, field and value of each triple of a view or delta."""
    parts = iter(view)
    return zip(parts, parts, parts, strict=True)


class _DecidedDocument(TypedDict):
    winner: int | None
    reason: str


class OutcomeDocument(_DecidedDocument, total=False):
    """The JSON document of an outcome, in the form that the specifications of all games use."""

    ranks: list[int]
    teams: list[list[int]]
    payoffs: list[float]
    common: float


SCALARS = {int: "int", bool: "bool", str: "str", float: "float"}


class Tile(NamedTuple):
    """A place on the grid. x grows to the right and y grows downwards, both from 0."""

    x: int
    y: int


class Kind(NamedTuple):
    """One type of the schema.

    Attributes:
        base: ``int``, ``bool``, ``str``, ``float``, ``any``, ``tile``, ``array`` or the name of an entity
            class.
        entity: The entity class, if `base` names one.
        nullable: Whether None is allowed.
        many: Whether the value is a tuple or frozenset of the base.
        choices: The allowed words of a ``Literal``; None for all other types.
        unordered: Whether the value is a frozenset instead of a tuple.
        most: The largest number of items of a parameter that is a list; None for other parameters and for fields.
        record: The `Record` that `base` names; otherwise None.
        array: Type and shape of the numbers, if `base` is ``array``; otherwise None.
    """

    base: str
    entity: type[Any] | None = None
    nullable: bool = False
    many: bool = False
    choices: tuple[str, ...] | None = None
    unordered: bool = False
    array: Array | None = None
    most: int | None = None
    record: Any = None

    def __str__(self) -> str:
        name = f"[{self.base}]" if self.many else self.base
        return name + "?" if self.nullable else name

    def encoder(self) -> Callable[[Any], object] | None:
        """Return the function that converts a field's value to its wire form, or None if no conversion is needed."""
        if self.entity is not None:
            return _encode_ids if self.many else _encode_id
        if self.many:
            return _encode_tiles if self.base == "tile" and not self.unordered else _encode_many
        if self.array is not None:
            return self.array.encode
        return {"tile": _encode_tile, "any": _encode_any}.get(self.base)


def kind_of(annotation: Any, is_entity: Callable[[object], bool], where: str) -> Kind:
    """Return the kind of a resolved annotation.

    Args:
        annotation: The type from `typing.get_type_hints`.
        is_entity: Returns whether a type is an entity class.
        where: Class and field, or class, action and parameter; for the error's message.

    Raises:
        GameError: The type cannot be sent over the wire, for example a mutable container.
    """
    if annotation is Any:
        return Kind("any", nullable=True)
    origin = get_origin(annotation)
    if origin in (Union, types.UnionType):
        parts = [part for part in get_args(annotation) if part is not type(None)]
        if len(parts) == 1:
            return kind_of(parts[0], is_entity, where)._replace(nullable=True)
    elif origin is Annotated:
        array = next((data for data in annotation.__metadata__ if isinstance(data, Array)), None)
        if array is None or annotation.__origin__ is not bytes:
            return kind_of(annotation.__origin__, is_entity, where)
        array.check_declaration(where)
        return Kind("array", array=array)
    elif origin is Literal and all(type(word) is str for word in get_args(annotation)):
        return Kind("str", choices=get_args(annotation))
    elif origin in (tuple, frozenset):
        kind = _kind_of_many(get_args(annotation), is_entity, where)
        return kind._replace(unordered=origin is frozenset)
    elif annotation is Tile:
        return Kind("tile")
    elif annotation in SCALARS:
        return Kind(SCALARS[annotation])
    elif is_entity(annotation):
        return Kind(annotation.__name__, entity=annotation)
    raise GameError(
        f"{where} has the type {annotation}. Use int, bool, str, float, a Literal of words, Tile, an entity, Any, "
        "a tuple or frozenset of these, or Annotated[bytes, Array(...)]."
    )


def _kind_of_many(args: tuple[Any, ...], is_entity: Callable[[object], bool], where: str) -> Kind:
    item_types = [arg for arg in args if arg is not Ellipsis] or [Any]
    kinds = [Kind("any") if type_ is Any else kind_of(type_, is_entity, where) for type_ in item_types]
    kind = kinds[0]
    if any(item.array is not None for item in kinds):
        raise GameError(f"{where}: an array cannot be in a tuple. Use one array with one more dimension.")
    if kind.many or any(type_ != item_types[0] for type_ in item_types):
        if any(item.entity is not None for item in kinds):
            raise GameError(f"{where} has entities beside other values, or in nested tuples. Use one field for each.")
        return Kind("any", many=True)
    if kind.nullable:
        raise GameError(f"{where}: an item cannot be None. Leave such items out, or use tuple[Any, ...] for values.")
    return kind._replace(many=True)


def _encode_id(value: Any) -> str | None:
    return None if value is None else value.id


def _encode_ids(value: Any) -> list[str] | None:
    if isinstance(value, frozenset):
        return sorted(entity.id for entity in value)
    return None if value is None else [entity.id for entity in value]


def _encode_tile(value: Tile | None) -> list[int] | None:
    return None if value is None else [value[0], value[1]]


def _encode_tiles(value: tuple[Tile, ...] | None) -> list[list[int]] | None:
    return None if value is None else [[x, y] for x, y in value]


def _encode_many(value: object) -> object:
    return None if value is None else _encode_any(value)


def _encode_any(value: object) -> Any:
    if isinstance(value, tuple):
        return [_encode_any(item) for item in value]
    if isinstance(value, frozenset):
        return sorted(_encode_any(item) for item in value)
    return value


def decode(kind: Kind, value: Any, entities: Mapping[str, object]) -> object:
    """Convert a wire value to a field's value.

    Args:
        kind: The field's kind.
        value: The value in a view. A delta can also contain changed spans of an array; this function cannot convert
            them.
        entities: All entities by id.

    Raises:
        KeyError: The value refers to an unknown entity.
    """
    if value is None:
        return None
    if kind.many:
        inner = kind._replace(many=False)
        items = (decode(inner, item, entities) for item in value)
        return frozenset(items) if kind.unordered else tuple(items)
    if kind.entity is not None:
        return entities[value]
    if kind.base == "tile":
        return Tile(*value)
    return _freeze(value)


def _freeze(value: object) -> object:
    return tuple(_freeze(item) for item in value) if isinstance(value, list) else value
