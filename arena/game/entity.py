"""Objects that write each change of a field into a journal.

The journal is used for undo (in searches), for each player's deltas and for replay frames. Reading a field is a plain
slot access.

Each entity class gets a hidden twin class with the same memory layout. Assignments to an object of the twin class are
not journalled. `create`, `clone` and `from_view` fill an object of the twin class, and then set the object's class to
the entity class.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, ClassVar, TypeAlias, get_type_hints

from arena.game.errors import GameError
from arena.game.kinds import Kind, kind_of

JournalEntry: TypeAlias = tuple["Entity | None", Any, Any]
"""One of four kinds of entries:

* A change: the entity, the name of the field, the field's old value.
* A creation: the entity, `CREATED`, None.
* A removal: the entity, `REMOVED`, all entities by id before the removal.
* An event: None, the players who receive it (None for everybody), the event.
"""

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

    __slots__ = ("default", "doc", "name", "secret")

    def __init__(self, doc: str, default: Any, secret: bool) -> None:
        self.name = ""
        self.doc = doc
        self.default = default
        self.secret = secret


class Shared:
    """A declared attribute that all copies of a state share, made by `shared`."""

    __slots__ = ("doc",)

    def __init__(self, doc: str) -> None:
        self.doc = doc


def field(doc: str, default: Any = REQUIRED, *, secret: bool = False) -> Any:
    """Declare a field of an entity. The annotation is the field's type.

    Args:
        doc: The field's meaning, with range and unit; students read it in their editor.
        default: The value at creation. Without a default, `State.create` needs the value. A field of the state itself
            is None until the rules set it.
        secret: Whether the field can be hidden from some players. `State.conceals` decides from which ones.
    """
    return Field(doc, default, secret)


def shared(doc: str) -> Any:
    """Declare an attribute of a state, for a value that never changes after the set-up (a map, tables, options).

    The value is not journalled and not part of views, and all clones share it. `State.share` sets it.
    """
    return Shared(doc)


class _Plain:
    """The base class of the twin classes. It has the attributes that every entity has in addition to its fields."""

    __slots__ = ("_journal", "game", "id")


class EntityType(type):
    """Collects the declared fields of an entity class and makes its twin class."""

    fields_: dict[str, Field]
    shared_: dict[str, Shared]
    plain_: type

    def __new__(cls, name: str, bases: tuple[type, ...], namespace: dict[str, Any], **kwargs: Any) -> EntityType:
        """Make the class and its twin class.

        Raises:
            GameError: A field or a shared attribute has a name that the framework uses.
        """
        own = {key: value for key, value in namespace.items() if isinstance(value, Field)}
        own_shared = {key: value for key, value in namespace.items() if isinstance(value, Shared)}
        for key in (*own, *own_shared):
            del namespace[key]
            if key in _RESERVED:
                raise GameError(f"{name}.{key}: the framework uses this name. Choose another one.")
        parents = [base for base in bases if isinstance(base, EntityType)]
        plain_bases = tuple(parent.plain_ for parent in parents) or (_Plain,)
        plain = type(f"Plain{name}", plain_bases, {"__slots__": (*own, *own_shared)})
        namespace["__slots__"] = ()
        made = super().__new__(cls, name, (plain, *bases), namespace, **kwargs)
        made.plain_ = plain
        made.fields_ = {key: value for parent in parents for key, value in parent.fields_.items()} | own
        made.shared_ = {key: value for parent in parents for key, value in parent.shared_.items()} | own_shared
        for key, value in own.items():
            value.name = key
        return made


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
    _journal: list[JournalEntry]
    receiver: ClassVar[str] = ""
    """The key for this object's id in an action document. If empty, the key is the class's name in snake_case.

    A subclass does not inherit the key.
    """

    def __setattr__(self, name: str, value: Any) -> None:
        old = getattr(self, name)
        if value is old or (value == old and _is_same(value, old)):
            return
        self._journal.append((self, name, old))
        set_plainly(self, name, value)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.id}>"


def _is_same(value: object, old: object) -> bool:
    """Return whether two equal values are of the same type: int, bool, str, bytes, or tuples of such values."""
    if type(value) is not type(old):
        return False
    if isinstance(value, tuple) and isinstance(old, tuple):
        return all(one is other or _is_same(one, other) for one, other in zip(value, old, strict=True))
    return isinstance(value, int | str | bytes)  # other equal values can differ: 0.0 and -0.0, {1} and {True}


def is_entity(annotation: object) -> bool:
    """Return whether an annotation is an entity class."""
    return isinstance(annotation, EntityType)


def field_kinds(cls: EntityType) -> dict[str, Kind]:
    """Resolve the types of all fields of a class, in the order of declaration.

    Raises:
        GameError: A field has no annotation, or a type that cannot be sent over the wire.
    """
    hints = _field_hints(cls)
    kinds = {}
    for name in cls.fields_:
        if name not in hints:
            raise GameError(f"{cls.__name__}.{name} needs a type annotation.")
        kinds[name] = kind_of(hints[name], is_entity, f"{cls.__name__}.{name}")
    return kinds


def _field_hints(cls: EntityType) -> dict[str, Any]:
    """Resolve the annotations of fields only. Other annotations can use names that exist only for type checkers."""
    hints: dict[str, Any] = {}
    for parent in reversed(cls.__mro__):
        annotations = getattr(parent, "__annotations__", {})
        own = {name: annotations[name] for name in annotations if name in cls.fields_}
        if own:
            holder = SimpleNamespace(__annotations__=own)
            hints |= get_type_hints(holder, vars(sys.modules[parent.__module__]), include_extras=True)
    return hints


def copier(cls: EntityType, kinds: dict[str, Kind]) -> Callable[[Any, Any, dict[Any, Any]], None]:
    """Generate the function that copies the fields and shared attributes of one entity to its copy in another state.

    The function takes the old entity, the copy (still an object of the twin class), and the map from old to new
    entities.
    """
    lines = ["def copy(old, new, twins):"]
    for name, kind in kinds.items():
        if kind.entity is None:
            lines.append(f"    new.{name} = old.{name}")
        elif kind.many:
            copied = f"type(old.{name})([twins[entity] for entity in old.{name}])"
            lines.append(f"    new.{name} = {copied} if old.{name} is not None else None")
        else:
            lines.append(f"    new.{name} = twins[old.{name}] if old.{name} is not None else None")
    lines += [f"    new.{name} = old.{name}" for name in cls.shared_]
    scope: dict[str, Any] = {}
    exec("\n".join([*lines, "    return None"]), scope)
    copy: Callable[[Any, Any, dict[Any, Any]], None] = scope["copy"]
    return copy
