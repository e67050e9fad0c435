"""The data that the framework computes once for each class of states: types, encoders, copiers, the decoder.

A defect of a game's declarations is found here, when the game is loaded, and never in a match.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from arena.game.action import Action, Decoder, actions_of, class_of
from arena.game.entity import Entity, EntityType, copier, field_kinds, table_kinds
from arena.game.errors import GameError
from arena.game.kinds import Kind
from arena.game.tables import Journal

Encoder = Callable[[Any], object]


class ClassPlan:
    """The computed data of one entity class.

    Attributes:
        kinds: The type of each field.
        encoders: For each field, the function that makes the wire value; None if the value is sent unchanged.
        secret: The names of the secret fields.
        owners: For each secret field that only its owner sees, the name of the field with the owner's number.
        guarded: The names of fields that can differ between players' views: secret fields and references.
        private: The type of each private field.
        tables: The types of the keys and values of each table.
        copy: Copies the fields of an entity to a new object of another state.
    """

    __slots__ = ("cls", "copy", "encoders", "guarded", "kinds", "owners", "private", "secret", "tables")

    def __init__(self, cls: EntityType, root: EntityType) -> None:
        self.cls = cls
        self.kinds: dict[str, Kind] = field_kinds(cls, cls.fields_)
        self.private: dict[str, Kind] = field_kinds(cls, cls.private_)
        self.tables = table_kinds(cls)
        self.encoders: dict[str, Encoder | None] = {name: kind.encoder() for name, kind in self.kinds.items()}
        self.secret = frozenset(name for name, declared in cls.fields_.items() if declared.secret)
        self.owners = {name: declared.owner for name, declared in cls.fields_.items() if declared.owner}
        numbers = {name for name, kind in self.kinds.items() if kind.base == "int" and not kind.many}
        for name, owner in self.owners.items():
            if owner not in numbers:
                raise GameError(f"{cls.__name__}.{name} is secret={owner!r}, but {owner} is no field of the type int.")
        self.guarded = self.secret | {name for name, kind in self.kinds.items() if kind.entity is not None}
        self.copy = copier(cls, self.kinds | self.private, self.tables)
        for name, kind in (self.kinds | self.private).items():
            for size in kind.array.shape if kind.array is not None else ():
                if isinstance(size, str):
                    _check_size(cls, name, cls if size in cls.fields_ else root, size)


def _check_size(cls: EntityType, name: str, owner: EntityType, size: str) -> None:
    """Raise `GameError` unless the field that holds a size of an array is a number that all players know."""
    where = f"{cls.__name__}.{name} has an array with the size {size!r}"
    if size not in owner.fields_:
        raise GameError(f"{where}, but neither {cls.__name__} nor {owner.__name__} has a field with this name.")
    if str(field_kinds(owner, (size,))[size]) != "int" or owner.fields_[size].secret:
        raise GameError(f"{where}, but {owner.__name__}.{size} is not an int that is always there and never secret.")


class Plan:
    """The computed data of one class of states.

    Args:
        root: The class of states.
        classes: The other entity classes of the game.
        functions: The actions that are functions (`State.action_functions`).
        ignore_case: Accept fixed words in actions in any case.
        allow_extra: Ignore unknown keys of actions.

    Attributes:
        classes: Plans by entity class; the state's own class is one of them.
        actions: All actions of the game, those of the state first.
        decoder: Converts documents to calls.

    Raises:
        GameError: The definition of the game has a defect.
    """

    __slots__ = ("actions", "classes", "decoder")

    def __init__(
        self,
        root: EntityType,
        classes: Sequence[EntityType],
        functions: Sequence[Callable[..., Any]],
        *,
        ignore_case: bool,
        allow_extra: bool,
    ) -> None:
        self.classes: dict[type, ClassPlan] = {cls: ClassPlan(cls, root) for cls in (root, *classes)}
        of_class: dict[EntityType, list[Callable[..., Any]]] = {cls: [] for cls in (root, *classes)}
        for function in functions:
            of_class[class_of(function, root, classes)].append(function)
        self.actions: list[Action] = []
        for cls, listed in of_class.items():
            self.actions += actions_of(cls, listed, is_root=cls is root)
        self.decoder = Decoder(self.actions, ignore_case=ignore_case, allow_extra=allow_extra)

    def copy(self, entities: Mapping[str, Entity]) -> dict[str, Entity]:
        """Copy all entities of a state, whose first one is the state itself. The copies have an empty journal."""
        classes = self.classes
        journal = Journal()
        twins: dict[Entity, Any] = {}
        copies: dict[str, Any] = {}
        root: Any = None
        # Two passes: a field can refer to an entity that comes later. The objects are of the twin classes until they
        # are filled, so that nothing is written into the journal.
        for id_, entity in entities.items():
            new: Any = type(entity).plain_()
            if root is None:
                root = new
            new.id = id_
            new._journal = journal
            new.game = root
            twins[entity] = new
            copies[id_] = new
        for entity, new in twins.items():
            cls = type(entity)
            classes[cls].copy(entity, new, twins)
            new.__class__ = cls
        return copies
