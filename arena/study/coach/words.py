"""Describe recorded actions in words, with the schema of the game."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from arena.game import Document, Entity, State

ENDS = ("end_turn", "pass")
"""Types of actions that are no orders."""
MOST_ACTIONS = 8
BEFORE_A_TARGET = {"move": "to", "walk": "to", "go": "to", "fire": "at", "shoot": "at", "aim": "at", "act": "on"}
"""The word between a verb and what it is done to, where English needs one."""


def line_in_words(
    actions: Sequence[Document],
    state: State,
    schema: Document,
    most: int = MOST_ACTIONS,
    weights: Sequence[int] = (),
    units: Sequence[str | None] = (),
) -> list[str]:
    """Return actions in words. If there are many, return the first ones and the number of the others.

    Args:
        weights: What each action weighs: of many, the heaviest are returned in the place of the first.
        units: Who carries each action out, where the action itself does not say it.
    """
    places = sorted(range(len(actions)), key=lambda at: -weights[at] if weights else 0)
    words = [in_words(actions[at], state, schema, units[at] if units else None) for at in sorted(places[:most])]
    more = len(actions) - len(words)
    return [*words, f"and {more} more"] if more else words


def not_among(actions: Sequence[Document], others: Sequence[Document]) -> list[bool]:
    """Return for each action whether the others lack it. A third shot is lacking where there are two."""
    left, lacking = list(others), []
    for action in actions:
        lacking.append(action not in left)
        if action in left:
            left.remove(action)
    return lacking


def in_words(action: Document, state: State, schema: Document, unit: str | None = None) -> str:
    """Return an action in words, for example ``Sharpshooter c1 moves to (2, 2)``.

    Args:
        unit: Who carries it out, if the action does not say it.
    """
    if not isinstance(action, dict) or "type" not in action:
        return "leaves the game"
    declared, receiver = _declared(action["type"], schema)
    doer = action.get(receiver) if receiver else unit
    who = f"{entity_in_words(doer, state, schema)} " if doer is not None else ""
    verb, *rest = action["type"].split("_")
    words = [_third_person(verb), *rest]
    for parameter in declared.get("parameters", ()):
        keys = parameter.get("keys") or [parameter["name"]]
        values = [action[key] for key in keys if action.get(key) is not None]
        if values and words == [_third_person(verb)] and verb in BEFORE_A_TARGET and not parameter.get("choices"):
            words.append(BEFORE_A_TARGET[verb])
        if parameter["type"].startswith("tile") and len(values) == 2:
            words.append(f"({values[0]}, {values[1]})")
        elif values:
            words.append(entity_in_words(values[0], state, schema))
    return who + " ".join(words)


def _declared(name: str, schema: Document) -> tuple[Document, str | None]:
    for entry in schema["classes"].values():
        if (found := entry.get("actions", {}).get(name)) is not None:
            return found, found.get("receiver")
    return {}, None


def entity_in_words(value: Any, state: State, schema: Document) -> str:
    """Return a value as text; for an entity, its kind and id."""
    entity = state.entity(value) if isinstance(value, str) else None
    return str(value) if entity is None else f"{kind_in_words(entity, schema)} {value}"


def kind_in_words(entity: Entity, schema: Document) -> str:
    """Return the value of a field with a fixed list of words, such as a job; otherwise the name of the class."""
    name = type(entity).__name__
    fields = schema["classes"].get(name, {}).get("fields", {})
    kinds = (getattr(entity, field) for field, about in fields.items() if about.get("choices"))
    return next((kind for kind in kinds if isinstance(kind, str) and kind), name)


def _third_person(verb: str) -> str:
    if verb.endswith("y") and verb[-2:-1] not in ("a", "e", "o", "u"):
        return f"{verb[:-1]}ies"
    return f"{verb}es" if verb.endswith(("s", "sh", "ch", "x", "o")) else f"{verb}s"
