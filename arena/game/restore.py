"""Rebuild a state from a view that shows everything."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from arena.game.action import ROOT_ID
from arena.game.data import View, triples
from arena.game.entity import CREATED, REQUIRED, Entity
from arena.game.errors import GameError
from arena.game.kinds import decode
from arena.game.plan import ClassPlan
from arena.game.tables import Table


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
            for table in classes[value].tables:
                setattr(new, table, Table(new._journal, {}))
            for private, declared in classes[value].cls.private_.items():
                setattr(new, private, None if declared.default is REQUIRED else declared.default)
            objects[id_] = new
    entities |= objects
    for id_, name, value in triples(view):
        if name == CREATED:
            continue
        owner = entities[id_]
        plan = next(plan for plan in classes.values() if plan.cls is type(owner) or plan.cls.plain_ is type(owner))
        if name not in plan.kinds:
            raise GameError(f"The view has a field {name} in {plan.cls.__name__}, which the game does not know.")
        object.__setattr__(owner, name, decode(plan.kinds[name], value, entities))
    for id_, name, value in triples(view):
        if name == CREATED and id_ != ROOT_ID:
            objects[id_].__class__ = classes[value].cls
