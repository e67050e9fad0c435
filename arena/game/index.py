"""Which entities are where: an index of each class that declares `Entity.located_by`.

An index follows changes late: a change of a place is one note in `moved`, and `pop` needs no entries of its own in the
journal. While at most two entities have moved, a look-up compares with them. So a search that undoes each move soon
hardly ever changes an index.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from arena.game.entity import CREATED, REMOVED, Entity

_FEW = 2
_UNKNOWN = (0, 1, 2)


class ClassIndex:
    """The entities of one class by place.

    Args:
        cls: The class.
        entities: All entities of the state by id.

    Attributes:
        found: The entities at each place, in the order of their ids, but for those in `moved`.
        moved: The entities that may have been made, moved, removed or restored since then.
    """

    __slots__ = ("_cls", "_entities", "_patience", "_places", "found", "moved")

    def __init__(self, cls: Any, entities: Mapping[str, Entity]) -> None:
        self._cls = cls
        self._entities = entities
        self._patience = 0
        self._places: dict[Any, Any] | None = None
        self.found: dict[Any, tuple[Any, ...]] = {}
        self.moved: set[Any] = set(_UNKNOWN)

    def settle(self, place: tuple[Any, ...]) -> None:
        """Make `found` right for a place. Call it before you read `found`, if there are entities in `moved`."""
        self._patience -= 1
        if self._patience < 0 or len(self.moved) > _FEW or self._concerns(place):
            self._follow()

    def _concerns(self, place: tuple[Any, ...]) -> bool:
        """Return whether an entity has come to a place, or gone from it."""
        place_of = self._cls.place_
        here = self.found.get(place, ())
        for entity in self.moved:  # noqa: SIM110 - `any` with a generator takes twice as long
            if place_of(entity) == place or entity in here:
                return True
        return False

    def _follow(self) -> None:
        entities, found, place_of = self._entities, self.found, self._cls.place_
        if self._places is None:
            self._places = {}
            self.moved = {entity for entity in entities.values() if type(entity) is self._cls}
        places = self._places
        for entity in self.moved:
            old = places.get(entity)
            new = place_of(entity) if entities.get(entity.id) is entity else None
            if new == old:
                continue
            if old is not None:
                here = found.pop(old)
                if len(here) > 1:
                    found[old] = tuple([one for one in here if one is not entity])
            if new is None or None in new:
                places.pop(entity, None)
                continue
            places[entity] = new
            here = found.get(new, ())
            found[new] = tuple(sorted((*here, entity), key=_id_of)) if here else (entity,)
        self.moved.clear()
        self._patience = _FEW


class Places(dict[Any, ClassIndex]):
    """The indexes of one state, by class.

    Args:
        classes: The classes that declare `Entity.located_by`.
        entities: All entities of the state by id.

    Attributes:
        names: The names of the journal entries that can change a place: fields, creations and removals.
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
    """Return the classes with an index, and the names for `Places`."""
    found = tuple(cls for cls in classes if getattr(cls, "located_by", ()))
    names = {name for cls in found for name in cls.located_by}
    return found, frozenset(names | {CREATED, REMOVED}) if found else frozenset()


def _id_of(entity: Entity) -> str:
    return entity.id
