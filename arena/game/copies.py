"""Copies that go on as the original does: with its journal and the same draws, for `copy.deepcopy` and `pickle`.

A state is packed into plain values first: each entity becomes a row, and each reference to an entity the number of its
row. So neither the copier nor the pickler follows references from entity to entity, which would end at Python's limit
of recursion. `State.clone` is faster and serves searches; it has an empty journal and dice of its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from arena.game.entity import CREATED, REMOVED, Entity
from arena.game.tables import Journal, Table, pairs

_TABLE = "[]"
"""The name of a change of a table in a packed journal; no field has it."""


class Reference(NamedTuple):
    """Stands for an entity in a packed state: the number of its row."""

    row: int


class Packed(NamedTuple):
    """A state as plain values.

    Attributes:
        rows: Class, id, values of all fields, and all tables of each entity: first those that the state has, then those
            that only the journal knows.
        present: How many entities the state has.
        shared: The shared attributes that the game declares, and the options.
        journal: The journal.
        actor: The player whose action ran last.
        value: The result of the last action.
    """

    rows: list[tuple[type[Entity], str, list[Any], list[dict[Any, Any]]]]
    present: int
    shared: dict[str, Any]
    journal: list[tuple[Any, Any, Any]]
    actor: int
    value: Any


def packed(state: Any) -> Packed:
    """Return a state as plain values. They share no mutable value with the state but those of `shared`."""
    entities: dict[Any, Reference] = {entity: Reference(row) for row, entity in enumerate(state.entities())}
    present = len(entities)
    for entity, _, _ in state._journal:
        if entity is not None and entity not in entities:
            entities[entity] = Reference(len(entities))
    tables: dict[int, tuple[Reference, str]] = {}
    rows = []
    for entity, reference in entities.items():
        cls = type(entity)
        values = [_translated(getattr(entity, name), entities) for name in _names(cls)]
        own = [getattr(entity, name) for name in cls.tables_]
        tables |= {id(table): (reference, name) for table, name in zip(own, cls.tables_, strict=True)}
        contents = [{key: _translated(value, entities) for key, value in pairs(table)} for table in own]
        rows.append((cls, entity.id, values, contents))
    journal: list[tuple[Any, Any, Any]] = []
    for entity, name, old in state._journal:
        if entity is None:
            if type(name) is Table:
                key, value = old
                journal.append((tables[id(name)], _TABLE, (key, _translated(value, entities))))
            else:
                journal.append((None, name, old))
        elif name is REMOVED:
            journal.append((entities[entity], name, [entities[other] for other in old.values()]))
        else:
            journal.append((entities[entity], name, _translated(old, entities)))
    shared = {name: getattr(state, name) for name in type(state).shared_ if name[0] != "_"}
    return Packed(rows, present, shared, journal, state._actor, entities.get(state._value))


def unpacked(packed: Packed) -> tuple[dict[str, Any], Journal, Any]:
    """Return new entities by id with their journal, and the result of the last action.

    The first entity is the state. It still needs its shared attributes.
    """
    made: dict[Any, Any] = {Reference(row): line[0].plain_() for row, line in enumerate(packed.rows)}
    root = made[Reference(0)]
    journal = Journal()
    for entity, (cls, id_, values, tables) in zip(made.values(), packed.rows, strict=True):
        entity.id = id_
        entity._journal = journal
        entity.game = root
        for name, value in zip(_names(cls), values, strict=True):
            setattr(entity, name, _translated(value, made))
        for name, table in zip(cls.tables_, tables, strict=True):
            setattr(entity, name, Table(journal, {key: _translated(value, made) for key, value in table.items()}))
        entity.__class__ = cls
    entities = list(made.values())
    for place, name, old in packed.journal:
        if place is None:
            journal.append((None, name, old))
        elif name == CREATED:
            journal.append((made[place], CREATED, None))  # `State.pop` compares these names by identity
        elif name == REMOVED:
            journal.append((made[place], REMOVED, {made[other].id: made[other] for other in old}))
        elif name == _TABLE:
            entity, attribute = place
            key, value = old
            journal.append((None, getattr(made[entity], attribute), (key, _translated(value, made))))
        else:
            journal.append((made[place], name, _translated(old, made)))
    value = None if packed.value is None else made[packed.value]
    return {entity.id: entity for entity in entities[: packed.present]}, journal, value


def _names(cls: Any) -> list[str]:
    return [*cls.fields_, *cls.private_]


def _translated(value: Any, entities: Mapping[Any, Any]) -> Any:
    """Return the value of a field with other entities: those of the mapping."""
    if isinstance(value, Entity | Reference):
        return entities[value]
    if isinstance(value, tuple | frozenset | list) and any(isinstance(item, Entity | Reference) for item in value):
        items: Any = [entities[item] if isinstance(item, Entity | Reference) else item for item in value]
        return type(value)(items)
    return value
