"""What one player sees of a state, as a view, and the way back: a state from a view that shows everything.

`deltas` has the changes of views.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from arena.game.action import ROOT_ID
from arena.game.entity import CREATED, Entity, set_plainly, set_private_defaults
from arena.game.errors import GameError
from arena.game.index import Indexes
from arena.game.kinds import View, decode, triples
from arena.game.plan import ClassPlan
from arena.game.tables import Journal

_NOTHING: frozenset[str] = frozenset()

Snapshot = dict[str, tuple[str, dict[str, object]]]
"""Maps an id to the name of the class and the wire values of the fields."""


class Projected(Protocol):
    """What a projection needs of a state."""

    _entities: dict[str, Entity]
    _journal: Journal
    _indexes: Indexes

    def sees(self, player: int, entity: Entity) -> bool:
        """Return whether a player is allowed to know that an entity exists."""

    def conceals(self, player: int, entity: Entity, name: str) -> bool:
        """Return whether a player gets null instead of the value of a ``secret`` field."""


class Projection:
    """A state as one player sees it.

    Args:
        state: The state.
        classes: The plans of the game's classes.
        player: The player; None sees everything.
        sees_all: Whether every player sees all objects, so that only secret fields differ between players.
    """

    __slots__ = ("classes", "player", "sees_all", "state")

    def __init__(
        self, state: Projected, classes: Mapping[type, ClassPlan], player: int | None, *, sees_all: bool = False
    ) -> None:
        self.state = state
        self.classes = classes
        self.sees_all = sees_all or player is None
        self.player = player

    def view(self) -> View:
        """Return everything that the player sees, as a flat list: id, field, value, id, field, value, and so on."""
        flat: View = []
        for id_, (name, fields) in self.snapshot().items():
            flat += (id_, CREATED, name)
            for field, value in fields.items():
                flat += (id_, field, value)
        return flat

    def snapshot(self) -> Snapshot:
        """Return all entities that the player sees: class name and wire values by id."""
        return {
            entity.id: (type(entity).__name__, self.fields_of(entity))
            for entity in self.state._entities.values()
            if self.sees(entity)
        }

    def sees(self, entity: Entity) -> bool:
        """Return whether the player is allowed to know that an entity exists."""
        player = self.player
        return self.sees_all or player is None or entity.id == ROOT_ID or self.state.sees(player, entity)

    def fields_of(self, entity: Entity) -> dict[str, object]:
        """Return the wire values of all fields of an entity, as the player sees them."""
        plan = self.classes[type(entity)]
        guarded = _NOTHING if self.player is None else plan.guarded
        fields: dict[str, object] = {}
        for name, encode in plan.encoders.items():
            if name in guarded:
                fields[name] = self.visible_value(entity, name, plan)
            else:
                value = getattr(entity, name)
                fields[name] = value if encode is None else encode(value)
        return fields

    def visible_value(self, entity: Entity, name: str, plan: ClassPlan) -> object:
        """Return the wire value of a field; None if it is hidden."""
        player = self.player
        if player is not None and name in plan.secret:
            owner = plan.owners.get(name)
            hides = self.state.conceals(player, entity, name) if owner is None else getattr(entity, owner) != player
            if hides:
                return None
        value = getattr(entity, name)
        kind = plan.kinds[name]
        if kind.entity is not None and value is not None:
            if kind.many:
                value = type(value)(item for item in value if self.sees(item))
            elif not self.sees(value):
                return None
        encode = plan.encoders[name]
        return value if encode is None else encode(value)


def fill_from_view(entities: dict[str, Entity], plans: Mapping[type, ClassPlan], view: View) -> None:
    """Create all entities of a view in a blank state and set their fields.

    All entities are created before any field is set, because a field can refer to an entity that comes later.

    Args:
        entities: The entities of the blank state: the state itself.
        plans: The plans of the game's classes.
        view: The view.

    Raises:
        GameError: The view has a class or a field that the game does not have.
        KeyError: The view refers to an unknown entity.
    """
    classes = {cls.__name__: plan for cls, plan in plans.items()}
    plan_of = {plan.cls: plan for plan in plans.values()} | {plan.cls.plain_: plan for plan in plans.values()}
    state = entities[ROOT_ID]
    objects: dict[str, Any] = {}
    for id_, name, value in triples(view):
        if name == CREATED and id_ != ROOT_ID:
            if value not in classes:
                raise GameError(f"The view has an object of the class {value}, which the game does not know.")
            new: Any = classes[value].cls.plain_()
            new.id = id_
            new._journal = state._journal
            new.game = state
            set_private_defaults(new, classes[value].cls)
            objects[id_] = new
    entities |= objects
    for id_, name, value in triples(view):
        if name == CREATED:
            continue
        owner = entities[id_]
        plan = plan_of[type(owner)]
        if name not in plan.kinds:
            raise GameError(f"The view has a field {name} in {plan.cls.__name__}, which the game does not know.")
        set_plainly(owner, name, decode(plan.kinds[name], value, entities))
    for id_, name, value in triples(view):
        if name == CREATED and id_ != ROOT_ID:
            objects[id_].__class__ = classes[value].cls
