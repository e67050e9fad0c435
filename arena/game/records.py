"""Parameters that hold several values: tuples of values or of small records, with a stated maximum.

Orders for hundreds of units come in one action, and reading them takes a good part of a turn. So readers are prepared
once for each parameter: functions that know the type, and for records of simple fields a generated function that reads
correct lists fast. Whatever it cannot read goes through the slow reader, which finds the item and the error.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, Any, NamedTuple, get_args, get_origin, get_type_hints

from arena.game.errors import GameError, MalformedAction
from arena.game.kinds import Kind, Tile, kind_of

_TYPES = {"int": int, "bool": bool, "str": str}

Reader = Callable[[Any, Mapping[str, Any], Callable[[int, int], Tile]], object]
"""Converts a wire value, with all entities and the function that makes tiles. Raises `MalformedAction`."""


class AtMost(NamedTuple):
    """The limit of a list in an action: ``orders: Annotated[tuple[Order, ...], AtMost(200)]``.

    Attributes:
        items: The largest number of items.
    """

    items: int


class Record(NamedTuple):
    """A class of records, a `typing.NamedTuple` whose fields are values. On the wire, a record is a list.

    Attributes:
        cls: The class.
        fields: The name and the type of each field.
    """

    cls: type[Any]
    fields: tuple[tuple[str, Kind], ...]


def parameter_kind(annotation: Any, is_entity: Callable[[object], bool], where: str) -> Kind:
    """Return the kind of a parameter: one value, or a list with a maximum.

    Raises:
        GameError: A parameter cannot have this type.
    """
    most = None
    if get_origin(annotation) is Annotated:
        most = next((data.items for data in annotation.__metadata__ if isinstance(data, AtMost)), None)
        annotation = annotation.__origin__ if most is not None else annotation
    args = get_args(annotation)
    if most is not None and (get_origin(annotation) is not tuple or len(args) != 2 or args[1] is not Ellipsis):
        raise GameError(f"{where}: AtMost is for tuples, as in Annotated[tuple[int, ...], AtMost(20)].")
    if most is not None and most < 1:
        raise GameError(f"{where}: AtMost must allow at least one item.")
    if most is not None and is_record(args[0]):
        return Kind(args[0].__name__, many=True, most=most, record=_record(args[0], is_entity, where))
    kind = kind_of(annotation, is_entity, where)
    if kind.many and most is None:
        raise GameError(f"{where} is a list. State how many items it can have: Annotated[tuple[...], AtMost(20)].")
    if kind.array is not None or kind.unordered or (kind.many and kind.base == "any"):
        raise GameError(f"{where}: a parameter is one value, a tuple of values, or a tuple of a NamedTuple class.")
    return kind._replace(most=most)


def is_record(annotation: object) -> bool:
    """Return whether a type is a NamedTuple class of a game."""
    return (
        isinstance(annotation, type)
        and issubclass(annotation, tuple)
        and hasattr(annotation, "_fields")
        and (annotation is not Tile)
    )


def _record(cls: Any, is_entity: Callable[[object], bool], where: str) -> Record:
    hints = get_type_hints(cls, include_extras=True)
    fields = tuple((name, kind_of(hints[name], is_entity, f"{where}: {cls.__name__}.{name}")) for name in cls._fields)
    for name, kind in fields:
        if kind.many or kind.array is not None:
            raise GameError(f"{where}: {cls.__name__}.{name} must be one value.")
    return Record(cls, fields)


def list_reader(kind: Kind, key: str, *, ignore_case: bool) -> Reader:
    """Return the function that reads the value of a list parameter. Its errors name the item, as ``orders[3].unit``."""
    most = kind.most or 0
    read_item = record_reader(kind.record, ignore_case) if kind.record else value_reader(kind, ignore_case)
    read_quickly = _quick_reader(kind.record) if kind.record else None

    def read(value: Any, entities: Mapping[str, Any], tile: Callable[[int, int], Tile]) -> object:
        if type(value) is not list or len(value) > most:
            raise MalformedAction("wrong_kind", key)
        if read_quickly is not None:
            records = read_quickly(value, entities)
            if records is not None:
                return records
        items: list[object] = []
        try:
            for item in value:
                items.append(read_item(item, entities, tile))
        except MalformedAction as error:
            raise MalformedAction(error.kind, f"{key}[{len(items)}]{error.key}") from None
        return tuple(items)

    return read


def _quick_reader(record: Record) -> Callable[[Any, Mapping[str, Any]], tuple[Any, ...] | None] | None:
    """Generate a function that reads correct records fast. It returns None for all others, whose error is not known.

    Return None if a field has a type that needs more than a look-up or a comparison of types.
    """
    names = [f"v{number}" for number in range(len(record.fields))]
    scope: dict[str, Any] = {"cls": record.cls, "new": tuple.__new__}
    lines: list[str] = []
    for name, (_, kind) in zip(names, record.fields, strict=True):
        allowed = kind.entity or _TYPES.get(kind.base)
        if kind.nullable or allowed is None:
            return None
        if kind.choices is not None:
            scope[f"{name}_choices"] = frozenset(kind.choices)
            lines.append(f"            if {name} not in {name}_choices: return None")
            continue
        scope[f"{name}_type"] = allowed
        if kind.entity:
            lines.append(f"            {name} = get({name})")
        lines.append(f"            if type({name}) is not {name}_type: return None")
    values = f"({', '.join(names)},)"
    source = [
        "def read(rows, entities):",
        "    records, get = [], entities.get",
        "    append = records.append",
        "    try:",
        "        for row in rows:",
        "            if type(row) is not list: return None",
        f"            {values} = row",
        *lines,
        f"            append(new(cls, {values}))",
        "    except (TypeError, ValueError):  # a key that cannot be hashed, or a row of another length",
        "        return None",
        "    return tuple(records)",
    ]
    exec("\n".join(source), scope)
    read: Callable[[Any, Mapping[str, Any]], tuple[Any, ...] | None] = scope["read"]
    return read


def record_reader(record: Record, ignore_case: bool) -> Reader:
    """Return the function that reads one record."""
    names = [name for name, _ in record.fields]
    readers = [value_reader(kind, ignore_case) for _, kind in record.fields]
    count, make = len(readers), record.cls._make

    def read(value: Any, entities: Mapping[str, Any], tile: Callable[[int, int], Tile]) -> object:
        if type(value) is not list or len(value) != count:
            raise MalformedAction("wrong_kind", "")
        parts: list[object] = []
        try:
            for part, reader in zip(value, readers, strict=True):
                parts.append(reader(part, entities, tile))
        except MalformedAction as error:
            raise MalformedAction(error.kind, f".{names[len(parts)]}{error.key}") from None
        return make(parts)

    return read


def value_reader(kind: Kind, ignore_case: bool, key: str = "") -> Reader:
    """Return the function that reads one value. Its errors name the key, which is empty inside of lists."""
    read = _plain_reader(kind, ignore_case, key)
    if not kind.nullable:
        return read
    return lambda value, entities, tile: None if value is None else read(value, entities, tile)


def _plain_reader(kind: Kind, ignore_case: bool, key: str) -> Reader:
    if kind.choices is not None:
        words = {(word.lower() if ignore_case else word): word for word in kind.choices}
        return _word_reader(words, ignore_case, key)
    if kind.entity is not None:
        return _entity_reader(kind.entity, key)
    if kind.base == "tile":
        return _read_tile
    if kind.base == "float":
        return _float_reader(key)
    expected = _TYPES.get(kind.base)

    def read(value: Any, _entities: object, _tile: object) -> object:
        if type(value) is not expected and expected is not None:
            raise MalformedAction("wrong_kind", key)
        return value

    return read


def _float_reader(key: str) -> Reader:
    def read(value: Any, _entities: object, _tile: object) -> object:
        if type(value) not in (float, int):  # JavaScript and JSON do not distinguish ints and floats
            raise MalformedAction("wrong_kind", key)
        return float(value)

    return read


def _word_reader(words: Mapping[str, str], ignore_case: bool, key: str) -> Reader:
    def read(value: Any, _entities: object, _tile: object) -> object:
        word = words.get(value.lower() if ignore_case else value) if type(value) is str else None
        if word is None:
            raise MalformedAction("wrong_kind", key)
        return word

    return read


def _entity_reader(cls: type[Any], key: str) -> Reader:
    def read(value: Any, entities: Mapping[str, Any], _tile: object) -> object:
        entity = entities.get(value) if type(value) is str else None
        if entity is None or not isinstance(entity, cls):
            raise MalformedAction("unknown_id" if type(value) is str else "wrong_kind", key)
        return entity

    return read


def _read_tile(value: Any, _entities: object, tile: Callable[[int, int], Tile]) -> object:
    if type(value) is not list or len(value) != 2 or not all(type(part) is int for part in value):
        raise MalformedAction("wrong_kind", "")
    try:
        return tile(value[0], value[1])
    except MalformedAction as error:
        raise MalformedAction(error.kind, "") from None
