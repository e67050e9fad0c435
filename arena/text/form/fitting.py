"""Fit the words of one order to the legal actions, or else to the parameters of an action."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from arena.game.forms import is_form
from arena.text.form.words import SMALL, VALUES, Word, plain
from arena_player.schema import Action, FieldType, Parameter, Schema

Document = dict[str, Any]
LONGEST_ITEM = 100
"""Words that one item of a list can take: many more than a record has fields."""


def values_of(words: Iterable[Word]) -> list[Word]:
    return [word for word in words if word.kind in VALUES]


def slots_of(entry: Action) -> list[Parameter]:
    """Return the parameters of an action, and before them who acts."""
    name = entry.receiver or ""
    actor = Parameter(name, FieldType("", False, False), (name,), "", (), None, False)
    return [actor, *entry.parameters][not name :]


def keys_of(entry: Action) -> list[str]:
    """Return the keys of an action's document, who acts first."""
    return [key for slot in slots_of(entry) for key in slot.keys]


def leaves_defaults(entry: Action, document: Document, taken: Sequence[int]) -> bool:
    """Return whether what an order leaves out has its default in an action."""
    left = [slot for slot in slots_of(entry) if keys_of(entry).index(slot.keys[0]) not in taken]
    slots = [slot for slot in left if slot.name != entry.receiver]
    return all(slot.has_default and document.get(slot.keys[0], slot.default) == slot.default for slot in slots)


def agreement(entry: Action, document: Document, words: Sequence[Word]) -> list[int] | None:
    """Return which values of a legal action the words of an order name, in their order; None if they contradict it.

    Numbers without labels are the first ones of the action, and both parts of a place belong together. Who is named
    before the action acts. All else may be in any order, or missing. Ids that rules add to the action are known too.
    """
    if is_form(document) or not is_named(entry.name, words):
        return None
    keys = keys_of(entry)
    defaults = {key: parameter.default for parameter in entry.parameters for key in parameter.keys}
    left = {key: document.get(key, defaults.get(key)) for key in keys}
    added = [value for key, value in document.items() if key not in (*keys, "type") and isinstance(value, str)]
    taken = []
    for word in sorted(values_of(words), key=lambda word: not word.label):
        key = _key(word, left)
        is_loose = key is not None and (key == entry.receiver or isinstance(left[key], str) == (word.kind == "number"))
        if key is not None and (word.is_sure or not is_loose):
            able = [key]
        elif word.kind == "number":
            able = [key for key, value in left.items() if type(value) in (int, float)][:1]
        else:
            able = list(left)
        same = next((key for key in able if _is_same(left[key], word)), None)
        if same is not None:
            del left[same]
            taken.append(same)
        elif word.value is not None and word.value not in added:
            return None
    before = [word for word in _before(words) if word.kind == "id"]
    acts = entry.receiver is None or not before or _is_same(document.get(entry.receiver), before[-1])
    is_whole = all(len({key in taken for key in parameter.keys}) == 1 for parameter in entry.parameters)
    return [keys.index(key) for key in taken] if acts and is_whole else None


def is_named(name: str, words: Sequence[Word], *, in_full: bool = False) -> bool:
    """Return whether words name an action, or parts of its name, or no action at all; `in_full`: all parts."""
    named = {word.value for word in words if word.kind == "action"}
    said = {word.value for word in words if word.kind == "part"}
    parts = set(name.split("_"))
    if in_full:
        return name in named if named else bool(said) and parts <= said.union(SMALL.split())
    return (named <= {name} and (bool(named) or said <= parts)) or (bool(said) and said | named <= parts)


def fitted(schema: Schema, entry: Action, words: Sequence[Word]) -> tuple[Document, str, list[Word]]:
    """Return the action with the values that words give, the first parameter without a value, and the words left."""
    before = _before(words)
    left = [word for word in (*words[len(before) :], *before) if word.kind in VALUES or word.kind == "noise"]
    document: Document = {"type": entry.name}
    missing = []
    if entry.receiver is not None:
        ids = [word for word in before[::-1] if word.kind in ("id", "text") and not _key(word, keys_of(entry)[1:])]
        first = set(map(id, ids))
        left = [*ids, *(word for word in left if id(word) not in first)]
    for slot in slots_of(entry):
        found = _argument(schema, slot, left)
        if found is not None:
            document |= dict(zip(slot.keys, found, strict=True))
        elif not slot.has_default:
            missing.append(slot.name)
    return document, "".join(missing[:1]), [word for word in values_of(left) if word.value is not None]


def _argument(schema: Schema, slot: Parameter, left: list[Word]) -> list[Any] | None:
    """Take the values of a parameter, one for each of its keys, from words; None if they do not have them."""
    if slot.type.many:
        items: list[Any] = []
        left[:] = values_of(left)
        while item := _value(schema, slot.type._replace(many=False), slot.choices, left):
            items.append(item[0])
            del left[: item[1]]
        return [items] if items or any(word.value is None for word in left) else None
    if len(slot.keys) > 1:
        named = [word for key in slot.keys for word in left if _key(word, [key])]
        numbers = named or [word for word in left if word.kind == "number" and not word.label][: len(slot.keys)]
        left[:] = [word for word in left if not any(word is number for number in numbers)]
        return [word.value for word in numbers] if len(numbers) == len(slot.keys) else None
    places = [at for at, word in enumerate(left) if _key(word, slot.keys)]
    for at in places + [at for at, word in enumerate(left) if not word.is_sure]:
        if found := _value(schema, slot.type, slot.choices, left[at : at + LONGEST_ITEM]):
            del left[at : at + found[1]]
            return [found[0]]
    return None


def _value(schema: Schema, kind: FieldType, choices: Sequence[Any], words: Sequence[Word]) -> tuple[Any, int] | None:
    """Return the value of a type with which words begin, and how many it takes; None if they begin with another."""
    record = schema.records.get(kind.name)
    if record is not None:
        parts, size = [], 0
        for field in record.fields:
            part = _value(schema, field.type, field.choices, words[size : size + LONGEST_ITEM])
            if part is None:
                return None
            parts.append(part[0])
            size += part[1]
        return parts, size
    if kind.name == "tile":
        pair = [word.value for word in words[:2] if word.kind == "number"]
        return (pair, 2) if len(pair) == 2 else None
    return (words[0].value, 1) if words and _fits(words[0], kind, choices) else None


def _fits(word: Word, kind: FieldType, choices: Sequence[Any]) -> bool:
    if word.value is None:
        return kind.nullable
    if choices:
        return word.value in choices or (word.is_sure and word.kind == "id")
    kinds = {"int": ("number",), "float": ("number",), "bool": ("constant",), "str": ("id", "choice", "text", "noise")}
    return word.kind in kinds.get(kind.name, (*VALUES, "noise") if kind.name == "any" else ("id", "text"))


def _before(words: Sequence[Word]) -> Sequence[Word]:
    return words[: next((index for index, word in enumerate(words) if word.kind == "action"), 0)]


def _is_same(value: Any, word: Word) -> bool:
    if word.value is None:
        return value in (None, "")
    return bool(value == word.value) and isinstance(value, bool) == isinstance(word.value, bool)


def _key(word: Word, keys: Iterable[str]) -> str | None:
    """Return the key that the label of a value means: its name, or the last part of it, such as ``x``."""
    ways = [key for key in keys if word.label in (plain(key), key.rpartition("_")[2])]
    return min(ways, key=lambda key: plain(key) != word.label, default=None) if word.label else None
