"""The data that the framework computes once for each class of states: types, encoders, copiers, the decoder."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

from arena.game.action import Action, Decoder, actions_of, class_of
from arena.game.entity import Entity, EntityType, JournalEntry, copier, field_kinds, set_plainly
from arena.game.kinds import Kind

if TYPE_CHECKING:
    from arena.game.state import State

S = TypeVar("S", bound="State")

Encoder = Callable[[Any], object]


class ClassPlan:
    """The computed data of one entity class.

    Attributes:
        kinds: The type of each field.
        encoders: For each field, the function that makes the wire value; None if the value is sent unchanged.
        secret: The names of the secret fields.
        guarded: The names of fields that can differ between players' views: secret fields and references.
        copy: Copies the fields of an entity to a new object of another state.
    """

    __slots__ = ("cls", "copy", "encoders", "guarded", "kinds", "secret")

    def __init__(self, cls: EntityType) -> None:
        self.cls = cls
        self.kinds: dict[str, Kind] = field_kinds(cls)
        self.encoders: dict[str, Encoder | None] = {name: kind.encoder() for name, kind in self.kinds.items()}
        self.secret = frozenset(name for name, declared in cls.fields_.items() if declared.secret)
        self.guarded = self.secret | {name for name, kind in self.kinds.items() if kind.entity is not None}
        self.copy = copier(cls, self.kinds)


class Plan:
    """The computed data of one class of states.

    Attributes:
        classes: Plans by entity class; the state's own class is one of them.
        actions: All actions of the game, those of the state first.
        decoder: Converts documents to calls.
    """

    __slots__ = ("actions", "classes", "decoder", "root")

    def __init__(self, root: type[State]) -> None:
        self.root = root
        everything: tuple[EntityType, ...] = (root, *root.classes)
        self.classes: dict[type, ClassPlan] = {cls: ClassPlan(cls) for cls in everything}
        functions: dict[EntityType, list[Callable[..., Any]]] = {cls: [] for cls in everything}
        for function in root.action_functions:
            functions[class_of(function, root, root.classes)].append(function)
        self.actions: list[Action] = []
        for cls in everything:
            self.actions += actions_of(cls, functions[cls], is_root=cls is root)
        self.decoder = Decoder(self.actions, ignore_case=root.ignore_case, allow_extra=root.allow_extra_keys)

    def clone(self, state: S) -> S:
        """Copy a whole state; the copy's journal is empty."""
        entities = state._entities
        classes = self.classes
        journal: list[JournalEntry] = []
        twins: dict[Entity, Any] = {}
        copies: dict[str, Any] = {}
        root: Any = None
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
        copy: Any = root
        set_plainly(copy, "_entities", copies)
        set_plainly(copy, "_removed", set())
        set_plainly(copy, "_value", None)  # the old value can be an entity of the original state
        made: S = copy
        return made


@cache
def plan_of(root: type[State]) -> Plan:
    """Return the plan of a class of states.

    Raises:
        GameError: The definition of the game has a defect.
    """
    return Plan(root)
