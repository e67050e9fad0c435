"""Fit the words of one order to the parameters of an action."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from arena.text.form.words import VALUES, AnswerWord, has, plain
from arena_player.schema import Action, FieldType, Parameter, Schema

Document = dict[str, Any]
LONGEST = 100
"""Words that an order without a list can have, and an item of a list: many more than an action has parameters."""


def values_of(words: Iterable[AnswerWord]) -> list[AnswerWord]:
    return [word for word in words if word.kind in VALUES]


def named(entries: Iterable[Action], words: Sequence[AnswerWord]) -> list[Action]:
    """Return the actions that words name: by parts of the name, as in "fires at the base", or by all of it."""
    names = {word.value for word in words if word.kind == "action"}
    said = {word.value for word in words if word.kind == "part"}
    by_parts = [entry for entry in entries if said and said | names <= set(entry.name.split("_"))]
    return by_parts or [entry for entry in entries if entry.name in names]


def slots_of(entry: Action) -> list[Parameter]:
    """Return the parameters of an action, and before them who acts."""
    name = entry.receiver or ""
    actor = Parameter(name, FieldType("", False, False), (name,), "", (), None, False)
    return [actor, *entry.parameters][not name :]


def fitted(
    schema: Schema, entry: Action, words: Sequence[AnswerWord], legal: Sequence[Mapping[str, Any]]
) -> tuple[Document, list[str], list[AnswerWord]]:
    """Return an action with the values that words give, the parameters without a value, and the words left.

    Who is named right before the action acts. Other ids go where they are legal, and else, like all values without a
    label, to the first parameter of their type.
    """
    at = next((index for index, word in enumerate(words) if word.kind == "action"), 0)
    keys = [key for slot in entry.parameters for key in slot.keys]
    actors = [] if entry.receiver is None else [action.get(entry.receiver) for action in legal]
    label = plain(entry.receiver or "")
    words = [_numbered(word, label, actors) if word.label else word for word in words]
    able = [word for word in words[:at] if word.kind == "id" and entry.receiver is not None and not _key(word, keys)]
    left = [word for word in (*words[at:], *words[:at]) if word.kind in (*VALUES, "noise")]
    left = [
        word
        for word in left
        if not able or (word is not able[-1] and (word.label, word.value) != (label, able[-1].value))
    ]
    left = left if any(slot.type.many for slot in entry.parameters) else left[:LONGEST]
    document: Document = {"type": entry.name}
    missing = []
    known = {slot.name: [action.get(slot.keys[0]) for action in legal] for slot in slots_of(entry)}
    for slot in slots_of(entry):
        free = able[-1:] if slot.name == entry.receiver and able else left
        others = [value for name, values in known.items() if name != slot.name for value in values]
        found = _argument(schema, slot, free, known[slot.name], others)
        if found is not None:
            document |= dict(zip(slot.keys, found, strict=True))
        elif not slot.has_default:
            missing.append(slot.name)
    left = [word for word in values_of(left) if word.value is not None]
    is_place = [word.kind for word in left] == ["number"] * 2 and has(words, "action") and not missing
    return document, missing, [] if is_place and _is_place(schema, entry, words) else left


def _numbered(word: AnswerWord, label: str, ids: Iterable[Any]) -> AnswerWord:
    """Return a number behind the label of who acts as the only id that ends with it, as in "snake 0"."""
    if word.kind != "number" or not label or word.label != label:
        return word
    ways = {
        name
        for name in ids
        if isinstance(name, str) and name.removesuffix(word.text).isalpha() and name.endswith(word.text)
    }
    return word._replace(kind="id", value=ways.pop()) if len(ways) == 1 else word


def _is_place(schema: Schema, entry: Action, words: Sequence[AnswerWord]) -> bool:
    """Return whether two numbers with a comma only say where something is, since the action has no number."""
    has_number = any(
        slot.type.many or slot.type.name in ("tile", "int", "float", "any", *schema.records)
        for slot in entry.parameters
    )
    triples = zip(words, words[1:], words[2:], strict=False)
    return not has_number and any((a.kind, b.text, c.kind) == ("number", ",", "number") for a, b, c in triples)


def agrees(
    entry: Action, legal: Document, action: Document, left: Sequence[AnswerWord], *, in_full: bool = False
) -> bool:
    """Return whether a legal action has all values of another one, and the words that are left among what rules add.

    Args:
        in_full: Whether what the other one leaves out must have its default.
    """
    defaults = {key: slot.default for slot in entry.parameters if slot.has_default for key in slot.keys}
    said = {**defaults, **action} if in_full else action
    whole = {**defaults, **legal}
    same = all(whole.get(key) == value or (value is None and whole.get(key) == "") for key, value in said.items())
    added = [value for key, value in legal.items() if isinstance(value, str) and key not in action]
    return same and all(word.value in added for word in left)


def _argument(
    schema: Schema, slot: Parameter, left: list[AnswerWord], known: Sequence[Any], others: Sequence[Any]
) -> list[Any] | None:
    """Take the values of a parameter, one for each of its keys, from words; None if they do not have them."""
    if slot.type.many:
        items: list[Any] = []
        left[:] = values_of(left)
        while item := _value(schema, slot.type._replace(many=False), slot.choices, left[:LONGEST]):
            items.append(item[0])
            del left[: item[1]]
        return [items] if items or any(word.value is None for word in left) else None
    if len(slot.keys) > 1:
        labelled = [word for key in slot.keys for word in left if _key(word, [key])]
        free = [word for word in left if word.kind == "number" and word.label in ("", slot.name)]
        numbers = labelled or free[: len(slot.keys)]
        if len(numbers) != len(slot.keys):
            return None
        left[:] = [word for word in left if not any(word is number for number in numbers)]
        return [word.value for word in numbers]
    ways = [(not _key(word, slot.keys), word.kind == "id" and word.value not in known) for word in left]
    for at in sorted(range(len(left)), key=ways.__getitem__):
        found = _value(schema, slot.type, slot.choices, left[at : at + LONGEST])
        if found and not (ways[at][0] and (left[at].is_sure or (ways[at][1] and left[at].value in others))):
            del left[at : at + found[1]]
            return [found[0]]
    return None


def _value(
    schema: Schema, kind: FieldType, choices: Sequence[Any], words: Sequence[AnswerWord]
) -> tuple[Any, int] | None:
    """Return the value of a type with which words begin, and how many it takes; None if they begin with another."""
    if kind.name in schema.records:
        parts, size = [], 0
        for field in schema.records[kind.name].fields:
            part = _value(schema, field.type, field.choices, words[size:])
            if part is None:
                return None
            parts.append(part[0])
            size += part[1]
        return parts, size
    if kind.name == "tile":
        pair = [word.value for word in words[:2] if word.kind == "number"]
        return (pair, 2) if len(pair) == 2 else None
    return (words[0].value, 1) if words and _fits(words[0], kind, choices) else None


def _fits(word: AnswerWord, kind: FieldType, choices: Sequence[Any]) -> bool:
    if word.value is None:
        return kind.nullable
    if choices:
        return word.value in choices or (word.is_sure and word.kind == "id")
    kinds = {"int": ("number",), "float": ("number",), "bool": ("constant",), "str": ("id", "choice", "text", "noise")}
    return word.kind in kinds.get(kind.name, (*VALUES, "noise") if kind.name == "any" else ("id", "text"))


def _key(word: AnswerWord, keys: Iterable[str]) -> str | None:
    """Return the key that the label of a value means: its name, or the last part of it, such as ``x``."""
    ways = [key for key in keys if word.label in (plain(key), key.rpartition("_")[2])]
    return min(ways, key=lambda key: plain(key) != word.label, default=None) if word.label else None
