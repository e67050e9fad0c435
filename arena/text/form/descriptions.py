"""What is said once: the first text of a match, and the card of a game."""

from __future__ import annotations

import re

from arena.game.sources import parse_docstring
from arena.text.form.orders import actions_of, usage
from arena.text.form.positions import parts
from arena.text.form.values import Things, value_text, word
from arena_player.schema import GameField, Schema

_PICTURE = re.compile(r"^!\[[^\n]*\]\([^\n]*\)\n*", re.MULTILINE)
SIGNS = """\
Words: @x,y is a place; x grows to the right, y downwards, from 0. "-" is nothing, "?" is hidden from you. What is not
shown is nothing, no or empty. "all:" is true of each row of a table. u0..u3 are all ids from u0 to u3. News have new
values; of long lists, + came and - went."""


def first(schema: Schema, things: Things, rules: str = "") -> str:
    """Return what a player reads once, at the start of a match: the rules, how to write, and what seldom changes.

    Args:
        schema: The game's schema.
        things: The view at the start of the match. Give it to `position` in each turn.
        rules: The rules in Markdown, such as `GameSpec.rules_text`. Without them, the text has the `card`.
    """
    lines = [_PICTURE.sub("", rules).strip() or card(schema), "", "# Orders", ""]
    lines += ["One on each line:", *(f"- {usage(action, schema)}" for action in actions_of(schema))]
    lines += ["", SIGNS, "", "# The start", "", *parts(schema, things, {})[0]]
    return "\n".join(lines)


def card(schema: Schema) -> str:
    """Return the classes, fields and actions of a game, one on each line, with the first sentence of each text."""
    lines = []
    for entry in schema.classes.values():
        lines.append(f"{entry.name}: {_sentence(entry.doc)}".rstrip(": "))
        lines += [f"  {_field(field)}: {_sentence(field.doc)}".rstrip(": ") for field in entry.fields]
        lines += [f"  > {usage(action, schema)}: {_sentence(action.doc)}".rstrip(": ") for action in entry.actions]
    return "\n".join(lines)


def details(schema: Schema, things: Things, name: str) -> str:
    """Return one thing with all its fields, one on each line, and their meaning."""
    kind, values = things[name]
    entry = schema.classes[kind]
    lines = [f"{word(name)} {kind}: {_sentence(entry.doc)}".rstrip(": ")]
    lines += [f"  {field.name} {value_text(values.get(field.name), field)}: {field.doc}" for field in entry.fields]
    return "\n".join(lines)


def _field(field: GameField) -> str:
    kind = "|".join(word(str(choice)) for choice in field.choices if choice != "")
    kind = kind or field.array or field.type.name
    kind = f"[{kind}]" if field.type.many else kind
    return f"{field.name} {kind}{'?' if field.type.nullable else ''}"


def _sentence(doc: str) -> str:
    """Return the first sentence of a docstring on one line."""
    text = " ".join(parse_docstring(doc).text.split())
    return re.split(r"(?<=[.!?]) (?=[A-Z`])", text, maxsplit=1)[0]
