"""Actions in words: one action, all that are legal, and how each is written."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any

from arena.game.forms import choices_of
from arena.text.form.values import NOTHING, ranges, text_of, word
from arena_player.schema import Action, GameField, Parameter, Schema


def actions_of(schema: Schema) -> list[Action]:
    """Return the actions of all classes."""
    return [action for entry in schema.classes.values() for action in entry.actions]


def declared(schema: Schema, document: Mapping[str, Any]) -> Action | None:
    """Return the declaration of an action's document; None if there is none. Rules may add keys that explain it."""
    for action in actions_of(schema):
        required = {action.receiver, *(slot.keys[0] for slot in action.parameters if not slot.has_default)} - {None}
        if action.name == document.get("type") and required <= document.keys():
            return action
    return None


def order(schema: Schema, action: Mapping[str, Any]) -> str:
    """Return an action in words: who acts, the action, its arguments. `read` returns the same action for it.

    A document that is no action of the game is written as JSON.
    """
    return " ".join(_words(schema, action))


def head(schema: Schema, action: Mapping[str, Any]) -> str:
    """Return who acts, and the action."""
    return _words(schema, action)[0]


def _words(schema: Schema, action: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the head of an order, and its arguments. At the end, those that have their defaults are left out."""
    entry = declared(schema, action)
    if entry is None:
        return (json.dumps(action, ensure_ascii=True, default=repr),)
    actor = "" if entry.receiver is None else f"{word(str(action[entry.receiver]))} "
    slots = list(entry.parameters)
    while slots and slots[-1].has_default and action.get(slots[-1].keys[0], slots[-1].default) == slots[-1].default:
        slots.pop()
    return f"{actor}{entry.name}", *(argument(schema, slot, action) for slot in slots)


def argument(schema: Schema, slot: Parameter, action: Mapping[str, Any]) -> str:
    """Return one argument of an action in words. The parts of a record are joined with colons."""
    record = schema.records.get(slot.type.name)

    def text(item: Any) -> str:
        if record is None or not isinstance(item, list | tuple):
            return text_of(item, slot.type._replace(many=False))
        return ":".join(text_of(part, field.type) for part, field in zip(item, record.fields, strict=False))

    values = [action.get(key, slot.default) for key in slot.keys]
    value: Any = values[0] if len(values) == 1 else None if None in values else values
    groups = choices_of(value)
    if groups is not None:
        listed = " ".join(f"({_alternatives(list(map(text, group)))})" for group in groups if group)
        return f"{'one' if value.get('all') else 'at most one'} of each: {listed}"
    return (
        (" ".join(map(text, value)) or NOTHING) if slot.type.many and isinstance(value, list | tuple) else text(value)
    )


def _alternatives(texts: Sequence[str]) -> str:
    """Return texts as alternatives. What they share up to the last colon is written once."""
    begins = {text.rpartition(":")[0] for text in texts}
    begin = f"{begins.pop()}:" if len(texts) > 1 and len(begins) == 1 and "" not in begins else ""
    return begin + "|".join(text.removeprefix(begin) for text in texts)


def actions(schema: Schema, legal: Sequence[Mapping[str, Any]], words: str = "") -> str:
    """Return the legal actions, with a line for each kind of action of each thing; empty for none.

    Several values of one argument follow one another, and numbers in a row are a range: ``c1 move 2,1 2,2 3,1``,
    ``bid 3..9``. If an action has several arguments, their alternatives are joined with bars:
    ``c1 act 2,1|3,1 North|East``.

    Args:
        schema: The game's schema.
        legal: The documents of the actions, forms too.
        words: If given, only the actions that contain all these words.
    """
    groups: dict[tuple[str, int], list[tuple[str, ...]]] = {}
    for begin, *rest in (_words(schema, action) for action in legal):
        text = " ".join([begin, *rest]).casefold()
        if all(part in text for part in words.casefold().split()):
            groups.setdefault((begin, len(rest)), []).append(tuple(rest))
    lines = []
    for (begin, length), rows in groups.items():
        bar = "|" if length > 1 else " "
        lines += [" ".join([begin, *(bar.join(ranges(column)) for column in part)]) for part in _products(rows)]
    return "\n".join(lines)


def _products(rows: Sequence[tuple[str, ...]]) -> Iterator[list[list[str]]]:
    """Yield products of alternatives that have all rows."""
    columns = [list(dict.fromkeys(column)) for column in zip(*rows, strict=True)]
    if len(set(product(*columns))) == len(set(rows)):
        yield columns
        return
    by_rest: dict[tuple[tuple[str, ...], ...], list[str]] = {}
    for first in columns[0]:
        by_rest.setdefault(tuple(row[1:] for row in rows if row[0] == first), []).append(first)
    for rest, firsts in by_rest.items():
        yield from ([firsts, *tail] for tail in _products(rest))


def usage(action: Action, schema: Schema) -> str:
    """Return how an action is written: who acts in capitals, the action, its arguments. Brackets can be left out."""
    words = [action.name] if action.receiver is None else [action.receiver.upper(), action.name]
    for slot in action.parameters:
        fields = schema.records[slot.type.name].fields if slot.type.name in schema.records else (slot,)
        text = ":".join(map(_usage_of, fields)) + " ..." * slot.type.many
        words.append(f"[{text}]" if slot.has_default else text)
    return " ".join(words)


def _usage_of(slot: Parameter | GameField) -> str:
    choices = "|".join(word(str(choice)) for choice in slot.choices if choice != "")
    return choices or {"tile": "X,Y", "bool": "yes|no"}.get(slot.type.name, slot.name.upper())
