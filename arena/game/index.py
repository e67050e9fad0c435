"""Which entities are where: an index of each class that declares `Entity.located_by`.

An index follows changes late: a change of a location is one note in `moved`, and `pop` needs no entries of its own in
the journal. While at most two entities have moved, a look-up compares with them. So a search that undoes each move soon
hardly ever changes an index.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from arena.game.entity import CREATED, REMOVED, Entity

_FEW = 2
"""How many moved entities a look-up compares with before the index follows them, and how often it does that in a row.

Two is what one move of a search changes: the unit that moves, and the unit that it hits. Chosen, not measured."""
_UNKNOWN = (0, 1, 2)
"""Stands in `moved` of a new index, which has read no entity yet: more than `_FEW`, so that the first look-up does."""


class ClassIndex:
    """The entities of one class by location.

    Args:
        cls: The class.
        entities: All entities of the state by id.

    Attributes:
        by_location: The entities at each location, in the order of their ids, but for those in `moved`.
        moved: The entities that may have been made, moved, removed or restored since then.
    """

    __slots__ = ("_cls", "_entities", "_location_of", "_patience", "by_location", "moved")

    def __init__(self, cls: Any, entities: Mapping[str, Entity]) -> None:
        self._cls = cls
        self._entities = entities
        self._patience = 0
        self._location_of: dict[Any, Any] | None = None
        self.by_location: dict[Any, tuple[Any, ...]] = {}
        self.moved: set[Any] = set(_UNKNOWN)

    def settle(self, location: tuple[Any, ...]) -> None:
        """Make `by_location` right for a location. Call it before you read it, if there are entities in `moved`."""
        self._patience -= 1
        if self._patience < 0 or len(self.moved) > _FEW or self._concerns(location):
            self._follow()

    def _concerns(self, location: tuple[Any, ...]) -> bool:
        """Return whether an entity has come to a location, or gone from it."""
        location_of = self._cls.location_
        here = self.by_location.get(location, ())
        for entity in self.moved:  # noqa: SIM110 - `any` with a generator takes twice as long
            if location_of(entity) == location or entity in here:
                return True
        return False

    def _follow(self) -> None:
        entities, by_location, location_of = self._entities, self.by_location, self._cls.location_
        if self._location_of is None:
            self._location_of = {}
            self.moved = {entity for entity in entities.values() if type(entity) is self._cls}
        locations = self._location_of
        for entity in self.moved:
            old = locations.get(entity)
            new = location_of(entity) if entities.get(entity.id) is entity else None
            if new == old:
                continue
            if old is not None:
                here = by_location.pop(old)
                if len(here) > 1:
                    by_location[old] = tuple([other for other in here if other is not entity])
            if new is None or None in new:
                locations.pop(entity, None)
                continue
            locations[entity] = new
            here = by_location.get(new, ())
            by_location[new] = tuple(sorted((*here, entity), key=_id_of)) if here else (entity,)
        self.moved.clear()
        self._patience = _FEW


class Indexes(dict[Any, ClassIndex]):
    """The indexes of one state, by class.

    Args:
        classes: The classes that declare `Entity.located_by`.
        entities: All entities of the state by id.

    Attributes:
        names: The names of the journal entries that can change a location: fields, creations and removals.
    """

    __slots__ = ("names",)

    def __init__(self, classes: Iterable[Any], names: frozenset[str], entities: Mapping[str, Entity]) -> None:
        super().__init__([(cls, ClassIndex(cls, entities)) for cls in classes])
        self.names = names

    def note(self, entity: Entity) -> None:
        """Note that an entity may have made a move."""
        if index := self.get(type(entity)):
            index.moved.add(entity)


def located(classes: Iterable[Any]) -> tuple[tuple[Any, ...], frozenset[str]]:
    """Return the classes with an index, and the names for `Indexes`."""
    with_index = tuple(cls for cls in classes if getattr(cls, "located_by", ()))
    names = {name for cls in with_index for name in cls.located_by}
    return with_index, frozenset(names | {CREATED, REMOVED}) if with_index else frozenset()


def _id_of(entity: Entity) -> str:
    return entity.id
