"""The view of one player. See `deltas` for its changes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from arena.game.action import ROOT_ID
from arena.game.entity import CREATED, Entity, JournalEntry
from arena.game.index import Places
from arena.game.kinds import View
from arena.game.plan import ClassPlan

Snapshot = dict[str, tuple[str, dict[str, object]]]
"""Maps an id to the name of the class and the wire values of the fields."""


class Projected(Protocol):
    """What a projection needs of a state."""

    _entities: dict[str, Entity]
    _journal: list[JournalEntry]
    _places: Places

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
        if self.player is None:
            return {
                name: getattr(entity, name) if encode is None else encode(getattr(entity, name))
                for name, encode in plan.encoders.items()
            }
        guarded = plan.guarded
        return {
            name: self.visible_value(entity, name, plan)
            if name in guarded
            else getattr(entity, name)
            if encode is None
            else encode(getattr(entity, name))
            for name, encode in plan.encoders.items()
        }

    def visible_value(self, entity: Entity, name: str, plan: ClassPlan) -> object:
        """Return the wire value of a field; None if it is hidden."""
        player = self.player
        if player is not None and name in plan.secret:
            owner = plan.owners.get(name)
            if self.state.conceals(player, entity, name) if owner is None else getattr(entity, owner) != player:
                return None
        value = getattr(entity, name)
        kind = plan.kinds[name]
        if kind.entity is not None and value is not None:
            if kind.many:
                value = type(value)(one for one in value if self.sees(one))
            elif not self.sees(value):
                return None
        encode = plan.encoders[name]
        return value if encode is None else encode(value)
