"""Check the values of fields: types, immutability, references."""

from __future__ import annotations

import math
from random import Random
from typing import Any

from arena.game import Array, Chance, Entity, NoChance, State
from arena.game.kinds import SCALARS, Kind
from arena.game.tables import Table, pairs
from arena.study.checks.contract.report import Ledger
from arena.study.replaying.difference import show

_TYPES = {name: cls for cls, name in SCALARS.items()}
_MUTABLE = (list, dict, set, bytearray)


def check_values(state: State, ledger: Ledger) -> None:
    plans = state.plan().classes
    for entity in state.entities():
        id_ = entity.id
        name = type(entity).__name__
        if state.entity(id_) is not entity or entity.game is not state or entity._journal is not state._journal:
            ledger.add("reference", f"{name} {id_} does not belong to the state that lists it")
        if type(entity) not in plans:
            ledger.add("definition", f"{name} {id_} is of a class that State.classes does not list")
            continue
        plan = plans[type(entity)]
        for field, kind in (plan.kinds | plan.private).items():
            check_value(state, f"{name} {id_}: the field {field}", getattr(entity, field), kind, ledger)
            if kind.array is not None:
                _check_sizes(entity, field, kind.array, ledger)
        for field, (key, kind) in plan.tables.items():
            _check_table(state, f"{name} {id_}: the table {field}", getattr(entity, field), key, kind, ledger)


def _check_sizes(entity: Entity, field: str, array: Array, ledger: Ledger) -> None:
    """Compare an array with the fields that hold its sizes."""
    value, own = getattr(entity, field), type(entity).fields_
    names = [size for size in array.shape if isinstance(size, str)]
    sizes = {name: getattr(entity if name in own else entity.game, name) for name in names}
    if not array.is_valid(value) or not all(type(size) is int for size in sizes.values()):
        return  # reported as a wrong type
    if not array.is_valid(value, sizes):
        known = ", ".join(f"{name} is {size}" for name, size in sizes.items())
        where = f"{type(entity).__name__} {entity.id}: the field {field}"
        ledger.add("field_type", f"{where} holds {len(value)} bytes, but its type is an array of {array}, and {known}")


def _check_table(state: State, where: str, value: Any, key: Kind, kind: Kind, ledger: Ledger) -> None:
    if type(value) is not Table:
        ledger.add("mutable_field", f"{where} was set to a {type(value).__name__}; change its keys instead")
        return
    for key_value, held in pairs(value):
        check_value(state, f"{where}: a key", key_value, key, ledger)
        check_value(state, f"{where}[{show(key_value)}]", held, kind, ledger)


def check_value(state: State, where: str, value: Any, kind: Kind, ledger: Ledger) -> None:
    if isinstance(value, _MUTABLE):
        ledger.add("mutable_field", f"{where} holds the {type(value).__name__} {show(value)}")
    elif value is None:
        if not kind.nullable:
            ledger.add("field_type", f"{where} is None, but its type is {kind}")
    elif kind.many:
        _check_many(state, where, value, kind, ledger)
    elif kind.entity is not None:
        _check_reference(state, where, value, kind.entity, ledger)
    elif kind.base == "any":
        _check_any(where, value, ledger)
    elif kind.base == "tile":
        if not (isinstance(value, tuple) and len(value) == 2 and all(type(part) is int for part in value)):
            ledger.add("field_type", f"{where} holds {show(value)}, which is not a tile")
    elif not _fits(value, kind):
        ledger.add("field_type", f"{where} holds {show(value)}, but its type is {_wanted(kind)}")


def _fits(value: Any, kind: Kind) -> bool:
    if kind.choices is not None:
        return type(value) is str and value in kind.choices
    if kind.array is not None:
        return kind.array.is_valid(value) and kind.array.is_finite(value)
    if kind.base == "float":
        return type(value) in (int, float) and math.isfinite(value)
    return type(value) is _TYPES[kind.base]


def _wanted(kind: Kind) -> str:
    if kind.array is not None:
        return f"an array of {kind.array}, without NaN and infinity"
    return str(kind) if kind.choices is None else "one of " + ", ".join(kind.choices)


def _check_many(state: State, where: str, value: Any, kind: Kind, ledger: Ledger) -> None:
    container = frozenset if kind.unordered else tuple
    if not isinstance(value, container):
        ledger.add("field_type", f"{where} holds the {type(value).__name__} {show(value)}, not a {container.__name__}")
        return
    inner = kind._replace(many=False, nullable=kind.base == "any")
    for item in value:
        check_value(state, where, item, inner, ledger)


def _check_reference(state: State, where: str, value: Any, cls: type, ledger: Ledger) -> None:
    if not isinstance(value, Entity) or not isinstance(value, cls):
        ledger.add("field_type", f"{where} holds {value!r}, which is not a {cls.__name__}")
    elif state.entity(value.id) is not value:
        ledger.add("reference", f"{where} refers to {value!r}, which is not in the game")


def _check_any(where: str, value: Any, ledger: Ledger) -> None:
    if isinstance(value, _MUTABLE):
        ledger.add("mutable_field", f"{where} holds the {type(value).__name__} {show(value)}")
    elif isinstance(value, Entity):
        ledger.add(
            "reference", f"{where} holds {value!r}, but its type names no entity class, so a clone cannot copy it"
        )
    elif isinstance(value, tuple | frozenset):
        for item in value:
            _check_any(where, item, ledger)
    elif value is not None and type(value) not in (int, bool, str, float):
        ledger.add("field_type", f"{where} holds {value!r}, which cannot be sent as JSON")


def check_foresight(state: State, ledger: Ledger) -> None:
    for entity in state.entities():
        cls = type(entity)
        for name in {*cls.fields_, *cls.private_, *cls.shared_} - {"_source"}:  # a clone's `_source` is independent
            value = getattr(entity, name)
            if isinstance(value, Random) or (isinstance(value, Chance) and not isinstance(value, NoChance)):
                ledger.add("foresight", f"{cls.__name__}.{name} holds the generator {value!r}")
