"""Actions in words: one action, all that are legal, and how each is written."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any

from arena.game.forms import choices_of
from arena.text.form.values import ranges, tile_text, word
from arena_player.schema import Action, GameClass, Parameter, Schema


def all_actions(schema: Schema) -> Iterator[tuple[GameClass, Action]]:
    """Yield the actions of all classes, each with its class."""
    for entry in schema.classes.values():
        for action in entry.actions:
            yield entry, action


def declared(schema: Schema, document: Mapping[str, Any]) -> Action | None:
    """Return the declaration of an action's document; None if there is none. Rules may add keys that explain it."""
    for _, action in all_actions(schema):
        required = {parameter.keys[0] for parameter in action.parameters if not parameter.has_default}
        required |= {action.receiver} if action.receiver is not None else set()
        if action.name == document.get("type") and required <= document.keys():
            return action
    return None


def order(schema: Schema, action: Mapping[str, Any]) -> str:
    """Return an action in words: who acts, the action, its arguments. `read` returns the same action for it.

    A document that is no action of the game is written as JSON.
    """
    entry = declared(schema, action)
    if entry is None:
        return json.dumps(action, ensure_ascii=True, default=repr)
    return " ".join([head(schema, action), *_arguments(schema, entry, action)])


def head(schema: Schema, action: Mapping[str, Any]) -> str:
    """Return who acts, and the action."""
    entry = declared(schema, action)
    actor = "" if entry is None or entry.receiver is None else f"{word(str(action.get(entry.receiver, '?')))} "
    return f"{actor}{action['type']}"


def _arguments(schema: Schema, entry: Action, action: Mapping[str, Any]) -> list[str]:
    """Return the arguments of an action. At the end, those that have their defaults are left out."""
    parameters = list(entry.parameters)
    while parameters and _is_default(parameters[-1], action):
        parameters.pop()
    return [argument(schema, parameter, action) for parameter in parameters]


def _is_default(parameter: Parameter, action: Mapping[str, Any]) -> bool:
    value = action.get(parameter.keys[0], parameter.default)
    return parameter.has_default and value == parameter.default


def argument(schema: Schema, parameter: Parameter, action: Mapping[str, Any]) -> str:
    """Return one argument of an action in words."""
    values = [action.get(key, parameter.default if parameter.has_default else None) for key in parameter.keys]
    if len(values) > 1:
        return "-" if None in values else tile_text(values)
    (value,) = values
    groups = choices_of(value)
    if groups is not None:
        listed = [_alternatives([item_text(schema, parameter, item) for item in group]) for group in groups if group]
        return f"{'one' if value.get('all') else 'at most one'} of each: {' '.join(f'({group})' for group in listed)}"
    if parameter.type.many and isinstance(value, list | tuple):
        return " ".join(item_text(schema, parameter, item) for item in value) or "-"
    return item_text(schema, parameter, value)


def item_text(schema: Schema, parameter: Parameter, value: Any) -> str:
    """Return one item of an argument in words. The parts of a record are joined with colons."""
    record = schema.records.get(parameter.type.name)
    if record is not None and isinstance(value, list | tuple):
        texts = zip(value, record.fields, strict=False)
        return ":".join(tile_text(part) if field.type.name == "tile" and part else _one(part) for part, field in texts)
    return tile_text(value) if parameter.type.name == "tile" and value else _one(value)


def _one(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str):
        return word(value)
    return json.dumps(value) if isinstance(value, list | dict) else str(value)


def _alternatives(texts: Sequence[str]) -> str:
    """Return texts as alternatives. What they share up to the last colon is written once."""
    head = texts[0].rpartition(":")[0]
    if len(texts) > 1 and head and all(text.rpartition(":")[0] == head for text in texts):
        return f"{head}:" + "|".join(text.rpartition(":")[2] for text in texts)
    return "|".join(texts)


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
    wanted = words.casefold().split()
    groups: dict[str, list[tuple[str, ...]]] = {}
    for action in legal:
        entry = declared(schema, action)
        text = order(schema, action).casefold()
        if not all(part in text for part in wanted):
            continue
        begin = order(schema, action) if entry is None else head(schema, action)
        groups.setdefault(begin, []).append(() if entry is None else tuple(_arguments(schema, entry, action)))
    return "\n".join(line for begin, rows in groups.items() for line in _lines(begin, rows))


def _lines(head: str, rows: list[tuple[str, ...]]) -> Iterator[str]:
    """Yield the lines of the actions of one kind: those that form a product of alternatives share a line."""
    by_length: dict[int, list[tuple[str, ...]]] = {}
    for row in rows:
        by_length.setdefault(len(row), []).append(row)
    for length, same in by_length.items():
        if length == 1:
            yield f"{head} {' '.join(ranges([row[0] for row in same]))}"
        elif length == 0:
            yield head
        else:
            yield from (f"{head} {' '.join('|'.join(ranges(texts)) for texts in part)}" for part in _products(same))


def _products(rows: list[tuple[str, ...]]) -> Iterator[list[list[str]]]:
    """Yield products of alternatives that have all rows, for rows of two or more arguments."""
    columns = [list(dict.fromkeys(column)) for column in zip(*rows, strict=True)]
    if len(set(product(*columns))) == len(set(rows)):
        yield columns
        return
    by_first: dict[tuple[tuple[str, ...], ...], list[str]] = {}
    for first in columns[0]:
        rest = tuple(row[1:] for row in rows if row[0] == first)
        by_first.setdefault(rest, []).append(first)
    for rest, firsts in by_first.items():
        if len(rest[0]) == 1:
            yield [firsts, [row[0] for row in rest]]
        else:
            yield from ([firsts, *tail] for tail in _products(list(rest)))


def usage(action: Action, schema: Schema) -> str:
    """Return how an action is written: who acts in capitals, the action, its arguments. Brackets can be left out."""
    words = [] if action.receiver is None else [action.receiver.upper()]
    words.append(action.name)
    for parameter in action.parameters:
        text = _usage_of(parameter, schema)
        words.append(f"[{text}]" if parameter.has_default else text)
    return " ".join(words)


def _usage_of(parameter: Parameter, schema: Schema) -> str:
    record = schema.records.get(parameter.type.name)
    if parameter.choices:
        text = "|".join(word(str(choice)) for choice in parameter.choices if choice != "")
    elif record is not None:
        text = ":".join(
            "|".join(map(str, field.choices)) or ("X,Y" if field.type.name == "tile" else field.name.upper())
            for field in record.fields
        )
    elif parameter.type.name == "tile":
        text = "X,Y"
    elif parameter.type.name == "bool":
        text = "yes|no"
    else:
        text = parameter.name.upper()
    return f"{text} ..." if parameter.type.many else text
