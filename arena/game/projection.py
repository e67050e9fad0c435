"""The view of one player: whole views, and deltas from the journal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from arena.game.action import ROOT_ID
from arena.game.arrays import difference
from arena.game.data import View
from arena.game.entity import CREATED, REMOVED, Entity, JournalEntry, set_plainly
from arena.game.plan import ClassPlan
from arena.game.tables import Table

TABLE = "[]"

Snapshot = dict[str, tuple[str, dict[str, object]]]
"""Maps an id to the name of the class and the wire values of the fields."""

_Undone = tuple[Any, str, Any]


class Projected(Protocol):
    """What a projection needs of a state."""

    _entities: dict[str, Entity]
    _journal: list[JournalEntry]

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

    def delta(self, mark: int) -> View:
        """Return the changes that the player sees since a mark of the journal, as a flat list of triples.

        The list differs from that of `view` in two points: ``id, "-", None`` removes an object, and the value of an
        array can be a list of changed spans (see `difference`).
        """
        if self.player is None:
            return self._delta_from_journal(mark)
        assigned = self._assigned(mark)
        undone = _rewind(self.state, mark)
        before = {entity: self._guarded(entity) for entity in self._seen()}
        _replay(self.state, undone)
        born: View = []
        changed: View = []
        after = self._seen()
        for entity in after:
            known = before.get(entity)
            if known is None:
                born += (entity.id, CREATED, type(entity).__name__)
                for field, value in self._fields(entity).items():
                    born += (entity.id, field, value)
                continue
            guarded = self._guarded(entity)
            old = assigned.get(entity)
            if old is None and guarded == known:
                continue
            self._compare(entity, known | (old or {}), guarded, changed)
        still = set(after)
        gone = [part for entity in before if entity not in still for part in (entity.id, REMOVED, None)]
        return born + changed + gone

    def _seen(self) -> list[Entity]:
        """Return all entities that the player sees, in their order."""
        entities = self.state._entities.values()
        return list(entities) if self.sees_all else [entity for entity in entities if self._sees(entity)]

    def _guarded(self, entity: Entity) -> dict[str, object]:
        """Return the wire values of the fields whose visible value can differ between players."""
        plan = self.classes[type(entity)]
        names = plan.secret if self.sees_all else plan.guarded
        return {name: self._visible_value(entity, name, plan) for name in names}

    def _assigned(self, mark: int) -> dict[Entity, dict[str, object]]:
        """Return the old wire values of the fields that were assigned after a mark, without the `_guarded` fields."""
        found: dict[Entity, dict[str, object]] = {}
        for entity, name, old in self.state._journal[mark:]:
            if entity is None or name in (CREATED, REMOVED):
                continue
            plan = self.classes[type(entity)]
            if name in plan.encoders and name not in (plan.secret if self.sees_all else plan.guarded):
                fields = found.setdefault(entity, {})
                if name not in fields:
                    encode = plan.encoders[name]
                    fields[name] = old if encode is None else encode(old)
        return found

    def _compare(self, entity: Entity, before: dict[str, object], guarded: dict[str, object], changed: View) -> None:
        """Append the changed fields of an entity with their new values, in the order of declaration."""
        for name, encode in self.classes[type(entity)].encoders.items():
            if name not in before:
                continue
            if name in guarded:
                value = guarded[name]
            else:
                value = getattr(entity, name) if encode is None else encode(getattr(entity, name))
            old = before[name]
            if value != old or type(value) is not type(old):
                changed += (entity.id, name, difference(old, value))

    def snapshot(self) -> Snapshot:
        """Return all entities that the player sees: class name and wire values by id."""
        return {
            entity.id: (type(entity).__name__, self._fields(entity))
            for entity in self.state._entities.values()
            if self._sees(entity)
        }

    def _sees(self, entity: Entity) -> bool:
        player = self.player
        return self.sees_all or player is None or entity.id == ROOT_ID or self.state.sees(player, entity)

    def _fields(self, entity: Entity) -> dict[str, object]:
        plan = self.classes[type(entity)]
        if self.player is None:
            return {
                name: getattr(entity, name) if encode is None else encode(getattr(entity, name))
                for name, encode in plan.encoders.items()
            }
        guarded = plan.guarded
        return {
            name: self._visible_value(entity, name, plan)
            if name in guarded
            else getattr(entity, name)
            if encode is None
            else encode(getattr(entity, name))
            for name, encode in plan.encoders.items()
        }

    def _visible_value(self, entity: Entity, name: str, plan: ClassPlan) -> object:
        player = self.player
        if player is not None and name in plan.secret and self.state.conceals(player, entity, name):
            return None
        value = getattr(entity, name)
        kind = plan.kinds[name]
        if kind.entity is not None and value is not None:
            if kind.many:
                value = type(value)(one for one in value if self._sees(one))
            elif not self._sees(value):
                return None
        encode = plan.encoders[name]
        return value if encode is None else encode(value)

    def _delta_from_journal(self, mark: int) -> View:
        """Compute the changes since a mark from the journal.

        A field appears once, and only if its value differs from the value at the mark.
        """
        first: dict[tuple[Entity, str], object] = {}
        born: dict[Entity, None] = {}
        gone: dict[Entity, None] = {}
        for entity, name, old in self.state._journal[mark:]:
            if entity is None or name in type(entity).private_:
                continue
            if name == CREATED:
                born[entity] = None
            elif name == REMOVED:
                gone[entity] = None
            else:
                first.setdefault((entity, name), old)
        classes = self.classes
        flat: View = []
        for entity in born:
            if entity not in gone:
                flat += (entity.id, CREATED, type(entity).__name__)
                for field, value in self._fields(entity).items():
                    flat += (entity.id, field, value)
        for (entity, name), old in first.items():
            if entity in born or entity in gone:
                continue
            value = getattr(entity, name)
            if value is old or (value == old and type(value) is type(old)):
                continue
            encode = classes[type(entity)].encoders[name]
            flat += (entity.id, name, value if encode is None else difference(old, encode(value)))
        for entity in gone:
            if entity not in born:
                flat += (entity.id, REMOVED, None)
        return flat


def put_back(entities: dict[str, Entity], before: dict[str, Entity]) -> None:
    """Undo the removal of an entity: restore all entities in the same order as before the removal."""
    entities.clear()
    entities.update(before)


def _rewind(state: Projected, mark: int) -> list[_Undone]:
    """Undo all changes since a mark, and return the data for `_replay`."""
    entities = state._entities
    undone: list[_Undone] = []
    for entity, name, old in reversed(state._journal[mark:]):
        if entity is None:
            if type(name) is Table:
                undone.append((name, TABLE, name.revert(old)))
            continue
        if name == CREATED:
            del entities[entity.id]
            undone.append((entity, name, None))
        elif name == REMOVED:
            put_back(entities, old)
            undone.append((entity, name, None))
        else:
            undone.append((entity, name, getattr(entity, name)))
            set_plainly(entity, name, old)
    return undone


def _replay(state: Projected, undone: list[_Undone]) -> None:
    """Redo the changes that `_rewind` has undone. Neither function changes the journal."""
    entities = state._entities
    for entity, name, value in reversed(undone):
        if name == TABLE:
            entity.revert(value)
        elif name == CREATED:
            entities[entity.id] = entity
        elif name == REMOVED:
            del entities[entity.id]
        else:
            set_plainly(entity, name, value)
