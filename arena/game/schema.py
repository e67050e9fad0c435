"""The schema of a game: classes, fields and actions as plain JSON.

Typed modules for bots in all languages are made of it, and the viewer and the pages read it: what they know of a game
is in the schema, or they do not know it.
"""

from __future__ import annotations

import json

from arena.game.action import Action, Parameter
from arena.game.entity import REQUIRED
from arena.game.kinds import Document
from arena.game.plan import ClassPlan
from arena.game.records import Record
from arena.game.state import State


def schema_of(state: type[State], *, name: str, title: str, version: str) -> Document:
    """Describe a game for clients, viewers and documents.

    The key ``hash`` identifies the schema. A bot's typed module contains this hash. Changes of titles and explanations
    do not change the hash, but all other changes of the schema do.
    """
    plan = state.plan()
    grid = state.grid
    document: Document = {
        "game": name,
        "title": title,
        "version": version,
        "root": state.__name__,
        "grid": None if grid is None else {"width": grid[0], "height": grid[1]},
        "hidden_information": state.hidden_information,
        "classes": {cls.__name__: _class(class_plan, plan.actions) for cls, class_plan in plan.classes.items()},
    }
    kinds = [parameter.kind for action in plan.actions for parameter in action.parameters]
    records = {kind.base: _record(kind.record) for kind in kinds if kind.record is not None}
    if records:
        document["records"] = records
    text = json.dumps(_without_texts(document), sort_keys=True, separators=(",", ":"))
    import hashlib

    document["hash"] = hashlib.sha256(text.encode()).hexdigest()[:16]
    return document


def _without_texts(value: object) -> object:
    """Return a part of the schema without the texts for people: titles and explanations."""
    if isinstance(value, dict):
        return {
            key: _without_texts(part)
            for key, part in value.items()
            if not (key in ("doc", "title") and isinstance(part, str))
        }
    return [_without_texts(part) for part in value] if isinstance(value, list) else value


def _class(plan: ClassPlan, actions: list[Action]) -> Document:
    return {
        "doc": clean(plan.cls.__doc__),
        "placed": "x" in plan.kinds and "y" in plan.kinds,
        "fields": {name: _field(plan, name) for name in plan.kinds},
        "actions": {action.type: _action(action) for action in actions if action.owner is plan.cls},
    }


def _field(plan: ClassPlan, name: str) -> Document:
    kind = plan.kinds[name]
    document: Document = {"type": str(kind), "doc": plan.cls.fields_[name].doc}
    if kind.choices is not None:
        document["choices"] = list(kind.choices)
    if kind.array is not None:
        document |= {"dtype": kind.array.dtype, "shape": list(kind.array.shape)}
    return document


def _action(action: Action) -> Document:
    return {
        "doc": clean(action.doc),
        "receiver": action.receiver,
        "parameters": [_parameter(parameter) for parameter in action.parameters],
        "returns": None if action.returns is None else action.returns.__name__,
    }


def _record(record: Record) -> Document:
    fields = [
        {"name": name, "type": str(kind)} | ({} if kind.choices is None else {"choices": list(kind.choices)})
        for name, kind in record.fields
    ]
    return {"doc": clean(record.cls.__doc__), "fields": fields}


def _parameter(parameter: Parameter) -> Document:
    document: Document = {
        "name": parameter.name,
        "type": str(parameter.kind),
        "keys": list(parameter.keys),
        "doc": parameter.doc,
    }
    if parameter.kind.choices is not None:
        document["choices"] = list(parameter.kind.choices)
    if parameter.kind.most is not None:
        document["most"] = parameter.kind.most
    if parameter.default is not REQUIRED:
        default = parameter.default
        document["default"] = list(default) if isinstance(default, tuple) else default
    return document


def clean(docstring: str | None) -> str:
    """Remove the indentation of a docstring."""
    lines = (docstring or "").expandtabs().splitlines()
    margins = [len(line) - len(line.lstrip()) for line in lines[1:] if line.strip()]
    margin = min(margins, default=0)
    return "\n".join([line.strip() for line in lines[:1]] + [line[margin:].rstrip() for line in lines[1:]]).strip()
