"""Describe recorded actions in words, with the schema of the game."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from arena.game import Document, State

ENDS = ("end_turn", "pass")
"""Types of actions that are no orders."""
MOST_ACTIONS = 8
BEFORE_A_TARGET = {"move": "to", "walk": "to", "go": "to", "fire": "at", "shoot": "at", "aim": "at", "act": "on"}
"""The word between a verb and what it is done to, where English needs one."""


def line_in_words(
    actions: Sequence[Document], state: State, schema: Document, most: int = MOST_ACTIONS, weights: Sequence[int] = ()
) -> list[str]:
    """Return actions in words. If there are many, return the first ones and the number of the others.

    Args:
        weights: What each action weighs: of many, the heaviest are returned in the place of the first.
    """
    places = sorted(range(len(actions)), key=lambda at: -weights[at] if weights else 0)
    words = [in_words(actions[at], state, schema) for at in sorted(places[:most])]
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


def in_words(action: Document, state: State, schema: Document) -> str:
    """Return an action in words, for example ``Sharpshooter c1 moves to (2, 2)``."""
    if not isinstance(action, dict) or "type" not in action:
        return "leaves the game"
    declared, receiver = _declared(action["type"], schema)
    who = f"{entity_in_words(action.get(receiver), state, schema)} " if receiver else ""
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
    """Return a value as text; for an entity, its kind and id.

    The kind is the value of a field with a fixed list of words, such as a job; otherwise the class name.
    """
    entity = state.entity(value) if isinstance(value, str) else None
    if entity is None:
        return str(value)
    name = type(entity).__name__
    fields = schema["classes"].get(name, {}).get("fields", {})
    kinds = (getattr(entity, field) for field, about in fields.items() if about.get("choices"))
    return f"{next((kind for kind in kinds if isinstance(kind, str) and kind), name)} {value}"


def _third_person(verb: str) -> str:
    if verb.endswith("y") and verb[-2:-1] not in ("a", "e", "o", "u"):
        return f"{verb[:-1]}ies"
    return f"{verb}es" if verb.endswith(("s", "sh", "ch", "x", "o")) else f"{verb}s"
