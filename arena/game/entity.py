"""Objects that write each change of a field into a journal.

The journal is used for undo (in searches), for each player's deltas and for replay frames. Reading a field is a plain
slot access: rules read fields far more often than they write them.

Each entity class gets a hidden twin class with the same memory layout. Assignments to an object of the twin class are
not journalled. `create`, `clone` and `from_view` fill an object of the twin class, and then set the object's class to
the entity class.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from operator import attrgetter
from types import SimpleNamespace
from typing import Any, ClassVar, get_args, get_origin, get_type_hints

from arena.game.errors import GameError
from arena.game.kinds import Kind, kind_of
from arena.game.sources import line_of, own_annotations
from arena.game.tables import Journal, Table

CREATED = "+"
REMOVED = "-"
_RESERVED = frozenset(("id", "type", "game", "world"))

set_plainly = object.__setattr__


class _Required:
    """The class of `REQUIRED`, the value that means "no default"."""

    def __repr__(self) -> str:
        return "REQUIRED"


REQUIRED = _Required()


class Field:
    """A declared field, made by `field`."""

    __slots__ = ("default", "doc", "name", "owner", "private", "secret")

    def __init__(self, doc: str, default: Any, secret: bool | str, private: bool) -> None:
        self.name = ""
        self.doc = doc
        self.default = default
        self.secret = bool(secret)
        self.owner = secret if isinstance(secret, str) else ""
        self.private = private


class Shared:
    """A declared attribute that all copies of a state share, made by `shared`."""

    __slots__ = ("doc",)

    def __init__(self, doc: str) -> None:
        self.doc = doc


class TableField:
    """A declared table, made by `table`."""

    __slots__ = ("doc",)

    def __init__(self, doc: str) -> None:
        self.doc = doc


def field(doc: str, default: Any = REQUIRED, *, secret: bool | str = False, private: bool = False) -> Any:
    """Declare a field of an entity. The annotation is the field's type.

    A player who does not see an entity (`State.sees`) gets None instead of a reference to it. A tuple or frozenset of
    entities comes without those that the player does not see, so it is shorter, and indices can differ between players.

    Args:
        doc: The field's meaning, with range and unit; students read it in their editor.
        default: The value at creation. Without a default, `State.create` needs the value. A field of the state itself
            is None until the rules set it.
        secret: Whether the field can be hidden from some players. `State.conceals` decides from which ones. With the
            name of another field of the entity, only the player whose number is in that field sees the value.
        private: Whether the field belongs to the rules alone. It is not part of views and replays. `pop` restores it,
            `clone` copies it, and `State.derive` computes it where a state is made from a view or a document.
    """
    return Field(doc, default, secret, private)


def table(doc: str) -> Any:
    """Declare a private dictionary, such as an index of what stands where. The annotation is ``dict[KEY, VALUE]``.

    ``standing: dict[Tile, Unit] = table("The unit on each tile.")`` starts empty. Rules change it in place:
    ``self.standing[unit.tile] = unit``. As with private fields, nobody is sent a table, `pop` undoes its changes,
    `clone` copies it, and `State.derive` fills it. It has no order: look things up, and iterate over entities instead.
    """
    return TableField(doc)


def shared(doc: str) -> Any:
    """Declare an attribute of a state, for a value that never changes after the set-up (a map, tables, options).

    The value is not journalled and not part of views, and all clones share it. `State.share` sets it.
    """
    return Shared(doc)


_COLLECTIONS = ("fields_", "private_", "tables_", "shared_")
"""The attributes of a class that hold its declarations, its own and the inherited ones."""


def _collection_of(declaration: Field | Shared | TableField) -> str:
    if isinstance(declaration, Field):
        return "private_" if declaration.private else "fields_"
    return "tables_" if isinstance(declaration, TableField) else "shared_"


class _Plain:
    """The base class of the twin classes. It has the attributes that every entity has in addition to its fields."""

    __slots__ = ("_journal", "game", "id")


class EntityType(type):
    """Collects the declared fields of an entity class and makes its twin class."""

    fields_: dict[str, Field]
    private_: dict[str, Field]
    tables_: dict[str, TableField]
    shared_: dict[str, Shared]
    plain_: type
    location_: Callable[[Any], Any]

    def __new__(cls, name: str, bases: tuple[type, ...], namespace: dict[str, Any], **kwargs: Any) -> EntityType:
        """Make the class and its twin class.

        Raises:
            GameError: A field or a shared attribute has a name that the framework uses.
        """
        declared = {key: value for key, value in namespace.items() if isinstance(value, Field | Shared | TableField)}
        for key, declaration in declared.items():
            del namespace[key]
            if key in _RESERVED:
                raise GameError(f"{name}.{key}: the framework uses this name. Choose another one.")
            if isinstance(declaration, Field):
                declaration.name = key
        parents = [base for base in bases if isinstance(base, EntityType)]
        plain_bases = tuple(parent.plain_ for parent in parents) or (_Plain,)
        plain = type(f"Plain{name}", plain_bases, {"__slots__": tuple(declared)})
        namespace["__slots__"] = ()
        if namespace.get("located_by"):
            namespace["__setattr__"] = _located_setter(frozenset(namespace["located_by"]))
        new_class = super().__new__(cls, name, (plain, *bases), namespace, **kwargs)
        new_class.plain_ = plain
        for attribute in _COLLECTIONS:
            collection: dict[str, Any] = {}
            for parent in parents:
                collection |= getattr(parent, attribute)
            collection |= {key: value for key, value in declared.items() if _collection_of(value) == attribute}
            setattr(new_class, attribute, collection)
        located_by: tuple[str, ...] = namespace.get("located_by", ())
        for key in located_by:
            if key not in new_class.fields_:
                raise GameError(f"{name}.located_by names {key}, which is not a field of {name}.")
        if located_by:
            new_class.location_ = _location_reader(located_by)
        return new_class


class Entity(metaclass=EntityType):
    """A game object with declared, typed, documented fields.

    Assigning a field writes the old value to the state's journal. An assignment is ignored in two cases:

    * The new value is the same object as the old value.
    * The new value equals the old value and has the same type: int, bool, str, bytes, or a tuple of such values.

    Authors of games must keep to these rules, which the framework does not check completely:

    * Assign scalars, bytes, tuples, frozensets and entities. Never assign a mutable container: changes inside a
      container are not journalled, and clones share the container.
    * Make entities only with `State.create`.
    * Give a new entity an id that no entity of this game has had before. `State.create` refuses the ids of present
      entities, and the ids of entities that were removed since the last `State.commit`.
    * Never assign ``id`` or ``game``.

    Attributes:
        id: The specification's id; unique in the game, also among removed entities.
        game: The state that the entity belongs to. Annotate it in your subclass (``game: Race``) for your type checker.
    """

    id: str
    game: Any
    _journal: Journal
    receiver: ClassVar[str] = ""
    """The key for this object's id in an action document. If empty, the key is the class's name in snake_case.

    A subclass does not inherit the key.
    """
    located_by: ClassVar[tuple[str, ...]] = ()
    """The fields that say where such an object is: ``("x", "y")``, or one field of the type `Tile`.

    `State.one_at` and `State.all_at` then find objects by place, however many there are.
    """

    def __setattr__(self, name: str, value: Any) -> None:
        old = getattr(self, name)
        if value is old or (value == old and _is_same(value, old)):
            return
        self._journal.append((self, name, old))
        set_plainly(self, name, value)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.id}>"


def _located_setter(names: frozenset[str]) -> Callable[[Any, str, Any], None]:
    """Return what replaces `Entity.__setattr__` in a class whose location is indexed."""

    def assign(self: Any, name: str, value: Any) -> None:
        old = getattr(self, name)
        if value is old or (value == old and _is_same(value, old)):
            return
        self._journal.append((self, name, old))
        set_plainly(self, name, value)
        if name in names:
            self.game._indexes[type(self)].moved.add(self)

    return assign


def _location_reader(names: tuple[str, ...]) -> Callable[[Any], Any]:
    """Return the function that reads the location of an entity, as a tuple; None if its only field is None."""
    read = attrgetter(*names)
    if len(names) > 1:
        return read

    def read_one(entity: Any) -> Any:
        value = read(entity)
        return value if value is None or isinstance(value, tuple) else (value,)

    return read_one


def _is_same(value: object, old: object) -> bool:
    """Return whether two equal values are of the same type: int, bool, str, bytes, or tuples of such values."""
    if type(value) is not type(old):
        return False
    if isinstance(value, tuple) and isinstance(old, tuple):
        return all(item is old_item or _is_same(item, old_item) for item, old_item in zip(value, old, strict=True))
    return isinstance(value, int | str | bytes)  # other equal values can differ: 0.0 and -0.0, {1} and {True}


def set_private_defaults(entity: Any, cls: EntityType) -> None:
    """Give a new object of the twin class its private fields and empty tables. It has its journal already."""
    for name, declared in cls.private_.items():
        setattr(entity, name, None if declared.default is REQUIRED else declared.default)
    for name in cls.tables_:
        setattr(entity, name, Table(entity._journal, {}))


def is_entity(annotation: object) -> bool:
    """Return whether an annotation is an entity class."""
    return isinstance(annotation, EntityType)


def field_kinds(cls: EntityType, names: Iterable[str]) -> dict[str, Kind]:
    """Resolve the types of fields of a class, in the order of declaration.

    Raises:
        GameError: A field has no annotation, or a type that cannot be sent over the wire.
    """
    hints = _hints_of(cls, names)
    return {name: _kind_of_field(cls, name, hints) for name in names}


def _kind_of_field(cls: EntityType, name: str, hints: dict[str, Any]) -> Kind:
    where = f"{cls.__name__}.{name}"
    try:
        if name not in hints:
            raise GameError(f"{where} needs a type annotation.")
        return kind_of(hints[name], is_entity, where)
    except GameError as error:
        raise GameError(f"{error} {line_of(cls, name)}".rstrip()) from None


def table_kinds(cls: EntityType) -> dict[str, tuple[Kind, Kind]]:
    """Resolve the types of the keys and values of all tables of a class.

    Raises:
        GameError: The annotation is not a dict, or the type of keys or values is not a type that fields can have.
    """
    hints = _hints_of(cls, cls.tables_)
    kinds = {}
    for name in cls.tables_:
        types = get_args(hints.get(name)) if get_origin(hints.get(name)) is dict else ()
        try:
            if len(types) != 2:
                raise GameError(f"{cls.__name__}.{name} is a table; its annotation must be dict[KEY, VALUE].")
            key, value = (kind_of(type_, is_entity, f"{cls.__name__}.{name}") for type_ in types)
            if key.entity is not None:
                raise GameError(f"{cls.__name__}.{name}: an entity cannot be a key. Use its id.")
        except GameError as error:
            raise GameError(f"{error} {line_of(cls, name)}".rstrip()) from None
        kinds[name] = key, value
    return kinds


def _hints_of(cls: EntityType, names: Iterable[str]) -> dict[str, Any]:
    """Resolve the annotations of these names only. Others can use names that exist only for type checkers."""
    hints: dict[str, Any] = {}
    for parent in reversed(cls.__mro__):
        annotations = own_annotations(parent)
        own = {name: annotations[name] for name in annotations if name in names}
        for name, annotation in own.items():
            holder = SimpleNamespace(__annotations__={name: annotation})
            try:
                hints |= get_type_hints(holder, vars(sys.modules[parent.__module__]), include_extras=True)
            except (NameError, TypeError, SyntaxError) as error:
                problem = f"{cls.__name__}.{name}: its type {annotation!r} cannot be read: {error}."
                raise GameError(f"{problem} {line_of(parent, name)}".rstrip()) from None
    return hints


def copier(
    cls: EntityType, kinds: dict[str, Kind], tables: dict[str, tuple[Kind, Kind]]
) -> Callable[[Any, Any, dict[Any, Any]], None]:
    """Generate the function that copies the fields, tables and shared attributes of one entity to its copy.

    The function takes the old entity, the copy in another state (still an object of the twin class), and the map from
    old to new entities.
    """
    lines = ["def copy(old, new, twins):"]
    for name, kind in kinds.items():
        lines.append(f"    new.{name} = {_copied(f'old.{name}', kind)}")
    for name, (_, kind) in tables.items():
        values = f"old.{name}"
        if kind.entity is not None:
            values = f"{{key: {_copied('value', kind)} for key, value in items({values})}}"
        lines.append(f"    new.{name} = Table(new._journal, {values})")
    lines += [f"    new.{name} = old.{name}" for name in cls.shared_]
    scope: dict[str, Any] = {"Table": Table, "items": dict.items}
    exec("\n".join([*lines, "    return None"]), scope)
    copy: Callable[[Any, Any, dict[Any, Any]], None] = scope["copy"]
    return copy


def _copied(value: str, kind: Kind) -> str:
    """Return the expression that copies a value to another state."""
    if kind.entity is None:
        return value
    copied = f"type({value})([twins[entity] for entity in {value}])" if kind.many else f"twins[{value}]"
    return f"{copied} if {value} is not None else None"
