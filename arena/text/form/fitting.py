"""Fit the words of one order to the legal actions, or else to the parameters of an action."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from arena.game.forms import is_form
from arena.text.form.words import COORDINATES, VALUES, Word, plain
from arena_player.schema import Action, FieldType, Parameter, Schema

Document = dict[str, Any]
NUMBERS = ("int", "float", "any")
LONGEST_ITEM = 100
"""Words that one item of a list can take: many more than a record has fields."""


def values_of(words: Sequence[Word]) -> list[Word]:
    return [word for word in words if word.kind in VALUES]


def keys_of(entry: Action) -> list[str]:
    """Return the keys that an action's document can have, who acts first."""
    receiver = [] if entry.receiver is None else [entry.receiver]
    return receiver + [key for parameter in entry.parameters for key in parameter.keys]


def agrees(entry: Action, document: Document, words: Sequence[Word]) -> list[int] | None:
    """Return the places of the values in a legal action that the words of an order name; None if they contradict it.

    Numbers without labels are the first ones of the action, and both parts of a place belong together. Who is named
    before the action acts. All else may be in any order, or missing. Ids that rules add to the action are known too.
    """
    keys = keys_of(entry)
    if is_form(document) or not _is_named(document["type"], words):
        return None
    extra = [value for key, value in document.items() if key not in keys and key != "type"]
    defaults = {key: parameter.default for parameter in entry.parameters for key in parameter.keys}
    left = {key: document.get(key, defaults.get(key)) for key in keys}
    taken: list[str] = []
    words_left: list[Word] = []
    for word in values_of(words):
        key = _key(word, left)
        if key is None and word.is_sure and word.label in map(plain, document):
            if not any(_is_same(value, word) for value in extra):
                return None
        elif key is None or (key == entry.receiver and not word.is_sure):
            words_left.append(word)
        elif not word.is_sure and isinstance(left[key], str) == (word.kind == "number"):
            words_left.append(word)
        elif not _is_same(left.pop(key), word):
            return None
        else:
            taken.append(key)
    for word in words_left:
        numeric = word.kind == "number"
        same = next((key for key, value in left.items() if _is_same(value, word)), None)
        first = next((key for key, value in left.items() if type(value) in (int, float)), None)
        if same is not None and (not numeric or same == first):
            del left[same]
            taken.append(same)
        elif word.value is not None and (numeric or not any(_is_same(value, word) for value in extra)):
            return None
    is_whole = all(len({key in taken for key in parameter.keys}) == 1 for parameter in entry.parameters)
    return [keys.index(key) for key in taken] if is_whole and _acts(entry, document, words) else None


def _is_named(name: str, words: Sequence[Word]) -> bool:
    """Return whether the words name an action, or parts of its name, or no action at all."""
    parts = {plain(part) for part in name.split("_")}
    said = {plain(word.value) for word in words if word.kind == "part"}
    named = {word.value for word in words if word.kind == "action"}
    return (named <= {name} and (bool(named) or said <= parts)) or (bool(said) and said | set(map(plain, named)) <= parts)


def _acts(entry: Action, document: Document, words: Sequence[Word]) -> bool:
    """Return whether who is named right before the action is who acts in a legal one."""
    kinds = [word.kind for word in words]
    before = [word for word in words[: kinds.index("action")] if word.kind == "id"] if "action" in kinds else []
    return entry.receiver is None or not before or _is_same(document.get(entry.receiver), before[-1])


def _is_same(value: Any, word: Word) -> bool:
    if word.value is None:
        return value in (None, "")
    return type(value) in (int, float) if word.kind == "number" and value == word.value else value == word.value


def _key(word: Word, keys: Mapping[str, Any] | Sequence[str]) -> str | None:
    """Return the key that the label of a value means: its name, or the last part of it, such as ``x``."""
    if not word.label:
        return None
    name = COORDINATES.get(word.label, word.label)
    return next((key for key in keys if plain(key) == name), None) or next(
        (key for key in keys if key.rpartition("_")[2] == name), None
    )


def fitted(schema: Schema, entry: Action, words: Sequence[Word]) -> tuple[Document, str, list[Word]]:
    """Return the action with the values that words give, the first parameter without a value, and the words left."""
    kinds = [word.kind for word in words]
    at = kinds.index("action") if "action" in kinds else 0
    arguments = keys_of(entry)[entry.receiver is not None :]
    before = [word for word in words[:at] if word.kind == "id" and _key(word, arguments) is None]
    left = [word for word in (*words[at:], *words[:at]) if word.kind in VALUES or word.kind == "noise"]
    document: Document = {"type": entry.name}
    missing = ""
    if entry.receiver is not None:
        named = [word for word in left if word.is_sure and _key(word, [entry.receiver])]
        able = [word for word in left if word.kind in ("id", "text") and _key(word, arguments) is None]
        actor = next(iter([*named, *before[::-1], *able]), None)
        if actor is None:
            missing = entry.receiver
        else:
            left.remove(actor)
            document[entry.receiver] = actor.value
    for parameter in entry.parameters:
        found = _argument(schema, parameter, left)
        if found is not None:
            document |= dict(zip(parameter.keys, found, strict=True))
        elif not parameter.has_default:
            missing = missing or parameter.name
    return document, missing, [word for word in left if word.kind in VALUES and word.value is not None]


def _argument(schema: Schema, parameter: Parameter, left: list[Word]) -> list[Any] | None:
    """Take the values of a parameter, one for each of its keys, from the words; None if they do not have them."""
    kind = parameter.type
    if kind.many:
        items, size = [], 0
        words = values_of(left)
        while item := _value(schema, kind._replace(many=False), parameter.choices, words[size : size + LONGEST_ITEM]):
            items.append(item[0])
            size += item[1]
        is_none = not items and any(word.value is None for word in words)
        left[:] = words[size:]
        return [items] if items or is_none else None
    if len(parameter.keys) > 1:
        labelled = [next((word for word in left if _key(word, [key])), None) for key in parameter.keys]
        named = [word for word in labelled if word is not None and type(word.value) is int]
        numbers = named or [word for word in left if type(word.value) is int and word.kind == "number" and not word.label]
        numbers = numbers[: len(parameter.keys)]
        left[:] = [word for word in left if not any(word is number for number in numbers)]
        return [word.value for word in numbers] if len(numbers) == len(parameter.keys) else None
    order = [word for word in left if _key(word, parameter.keys)] + [word for word in left if not word.is_sure]
    for word in order:
        at = next(index for index, other in enumerate(left) if other is word)
        if found := _value(schema, kind, parameter.choices, left[at : at + LONGEST_ITEM]):
            del left[at : at + found[1]]
            return [found[0]]
    return None


def _value(schema: Schema, kind: FieldType, choices: Sequence[Any], words: Sequence[Word]) -> tuple[Any, int] | None:
    """Return the value of a type with which words begin, and how many it takes; None if they begin with another."""
    record = schema.records.get(kind.name)
    if record is not None:
        parts, size = [], 0
        for field in record.fields:
            part = _value(schema, field.type, field.choices, words[size:])
            if part is None:
                return None
            parts.append(part[0])
            size += part[1]
        return parts, size
    if kind.name == "tile":
        pair = [word.value for word in words[:2] if type(word.value) is int]
        return (pair, 2) if len(pair) == 2 else None
    return (words[0].value, 1) if words and _fits(words[0], kind, choices) else None


def _fits(word: Word, kind: FieldType, choices: Sequence[Any]) -> bool:
    if word.value is None:
        return kind.nullable or "" in choices
    if kind.name in NUMBERS and word.kind == "number":
        return kind.name != "int" or type(word.value) is int
    if kind.name == "bool":
        return word.kind == "constant"
    if choices:
        return word.value in choices or (word.is_sure and word.kind == "id")
    if kind.name in ("str", "any"):
        return word.kind in ("id", "choice", "text", "noise")
    return kind.name not in NUMBERS and word.kind in ("id", "text")
