"""Show a player's view, its changes and the legal actions as text. This needs only the schema of the game."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from arena.play.seats.waiting import Action, Things
from arena.text.printable import one_line
from arena_player.schema import Action as ActionSchema
from arena_player.schema import GameClass, Schema
from arena_player.world import ROOT_ID

__all__ = ["board", "tables"]
WIDTH = 110
"""Columns of wrapped lines: most terminals have more, and a longer line is hard to read."""
LONGEST_VALUE = 160
"""Characters of a value: two lines of a narrow terminal."""
WIDEST_CELL = 5
"""Characters of a tile: the usual ids, so that a board of 20 columns has 120 characters."""
MOST_CHANGES = 60
"""Lines about changes: about a screen. `show` has the rest."""


def board(schema: Schema, things: Things) -> list[str]:
    """Return the lines of the board, then the meaning of its marks. A game without a grid has no lines.

    A tile shows the first of these that it has: the id of a thing on it, the mark of a field that lists it, the ground.
    """
    if schema.grid is None or ROOT_ID not in things:
        return []
    root = things[ROOT_ID][1]
    width, height = (root.get(field) for field in schema.grid)
    if not (isinstance(width, int) and isinstance(height, int)):
        return []
    cells, marks = _cells(schema, things)
    ground = _ground(root, width, height)
    longest = max([len(name) for names in cells.values() for name in names], default=1)
    size = min(WIDEST_CELL, max(longest, len(str(width - 1))))
    lines = ["    " + " ".join(str(x).rjust(size) for x in range(width))]
    for y in range(height):
        row = []
        for x in range(width):
            names = cells.get((x, y), [ground[y][x]])
            row.append((names[0] if len(names) == 1 else f"{names[0]}+")[:size].rjust(size))
        lines.append(f"{y:3} " + " ".join(row))
    lines.append("Columns are x, rows are y. A tile shows the id of what is there; + means more than one.")
    return lines + [f"{mark}: {field}" for mark, field in marks.items()]


def _cells(schema: Schema, things: Things) -> tuple[dict[tuple[int, int], list[str]], dict[str, str]]:
    """Return the ids and then the marks on each tile, and the name of the field that each mark shows."""
    cells: dict[tuple[int, int], list[str]] = {}
    marks: dict[str, str] = {}
    marked: list[tuple[tuple[int, int], str]] = []
    for name, (kind, fields) in things.items():
        entry = schema.classes[kind]
        if entry.placed and fields.get("x") is not None and fields.get("y") is not None:
            cells.setdefault((fields["x"], fields["y"]), []).append(name)
        for field in entry.fields:
            if field.type.name != "tile" or not field.type.many:
                continue
            mark = name
            if name == ROOT_ID and fields[field.name]:
                mark = "abcdefghijklmnopqrstuvwxyz"[len(marks) % 26]
                marks[mark] = field.name
            marked += [((tile[0], tile[1]), mark) for tile in fields[field.name] or () if tile]
    for tile, mark in marked:
        names = cells.setdefault(tile, [])
        if mark not in names:
            names.append(mark)
    return cells, marks


def _ground(root: dict[str, Any], width: int, height: int) -> Sequence[str]:
    """Return the rows of a field that has one character for each tile. Without such a field, return rows of dots."""
    for value in root.values():
        if isinstance(value, str) and len(value) == width * height > 0:
            return [value[start : start + width] for start in range(0, len(value), width)]
        if isinstance(value, list) and [len(row) for row in value if isinstance(row, str)] == [width] * height:
            return value
    return ["." * width] * height


def tables(schema: Schema, things: Things) -> list[str]:
    """Return all things with their fields: a line for each field of the game, and a table for each other class.

    A field of the game is left out if the things that it lists have a table.
    """
    lines = []
    by_class: dict[str, list[str]] = {}
    for name, (kind, _) in things.items():
        if name != ROOT_ID:
            by_class.setdefault(kind, []).append(name)
    if ROOT_ID in things:
        kind, fields = things[ROOT_ID]
        for field in schema.classes[kind].fields:
            if field.type.name not in by_class or not field.type.many:
                lines.append(f"{field.name}: {value_text(fields.get(field.name))}".rstrip())
    for kind, names in by_class.items():
        columns = [field.name for field in schema.classes[kind].fields]
        rows = [[kind, *columns]]
        rows += [[name, *(value_text(things[name][1].get(column), 40) for column in columns)] for name in names]
        sizes = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines.append("")
        lines += ["  ".join(text.ljust(size) for text, size in zip(row, sizes, strict=True)).rstrip() for row in rows]
    return lines


def details(schema: Schema, things: Things, name: str) -> list[str]:
    kind, fields = things[name]
    entry = schema.classes[kind]
    lines = [f"{name} is of the class {kind}. {entry.doc}".strip()]
    return lines + [f"  {field.name}: {value_text(fields.get(field.name))}   ({field.doc})" for field in entry.fields]


def changes(before: Things, after: Things) -> list[str]:
    """Return what has changed between two views, with one line for each thing, up to `MOST_CHANGES` lines."""
    lines = []
    for name, (kind, fields) in after.items():
        old = before.get(name)
        if old is None:
            lines.append(f"{name} ({kind}) is new: {_pairs(fields.items())}")
            continue
        changed = [
            f"{field} {value_text(old[1].get(field), 40)} -> {value_text(value, 40)}"
            for field, value in fields.items()
            if old[1].get(field) != value
        ]
        if changed:
            lines.append(f"{name} ({kind}): {', '.join(changed)}")
    lines += [f"{name} ({kind}) is gone" for name, (kind, _) in before.items() if name not in after]
    more = len(lines) - MOST_CHANGES
    return [*lines[:MOST_CHANGES], *([f"... and {more} more"] if more > 0 else [])]


def events(happened: Iterable[dict[str, Any]]) -> list[str]:
    return [
        f"{event.get('kind', 'event')}: {_pairs((key, value) for key, value in event.items() if key != 'kind')}"
        for event in happened
    ]


def actions(schema: Schema, legal: Sequence[Action], text: str = "") -> list[str]:
    """Return the numbered legal actions. Actions of the same kind for the same thing share a line.

    Args:
        text: If given, return only actions that contain all these words. Their numbers stay the same.
    """
    words = text.lower().split()
    groups: dict[str, list[str]] = {}
    for number, action in enumerate(legal, 1):
        title, argument = describe(schema, action)
        if all(word in f"{title} {argument}".lower() for word in words):
            groups.setdefault(title, []).append(f"{number} {argument}" if argument else str(number))
    lines = []
    for title, entries in groups.items():
        joined = " | ".join(entry.replace(" ", "\0") for entry in entries)
        wrapped = textwrap.wrap(f"  {title}: {joined}", WIDTH, subsequent_indent="    ", break_long_words=False)
        lines += [line.replace("\0", " ") for line in wrapped]
    return lines or ["  (none)"]


def describe(schema: Schema, action: Action) -> tuple[str, str]:
    """Return an action in two parts: the receiver and the kind of the action, then its arguments."""
    rest = {key: value for key, value in action.items() if key != "type"}
    entry = _schema_of(schema, action)
    title = str(action.get("type"))
    parts = []
    if entry is not None:
        if entry.receiver is not None:
            title = f"{rest.pop(entry.receiver, '?')} {title}"
        for parameter in entry.parameters:
            values = [rest.pop(key, None) for key in parameter.keys]
            if any(value is not None for value in values):
                texts = ",".join(map(value_text, values))
                parts.append(f"({texts})" if len(values) > 1 else texts)
    extras = [f"{key} {value_text(value)}" for key, value in rest.items() if value is not None]
    if extras:
        parts.append(f"[{', '.join(extras)}]")
    return title, " ".join(filter(None, parts))


def _schema_of(schema: Schema, action: Action) -> ActionSchema | None:
    entries = [entry for _, entry in all_actions(schema) if entry.name == action.get("type")]
    with_receiver = [entry for entry in entries if entry.receiver in action]
    return next(iter([*with_receiver, *entries]), None)


def all_actions(schema: Schema) -> Iterator[tuple[GameClass, ActionSchema]]:
    for entry in schema.classes.values():
        for action in entry.actions:
            yield entry, action


def value_text(value: Any, longest: int = LONGEST_VALUE) -> str:
    """Return the value of a field as one line of text, with line ends, tabs and control characters escaped."""
    if isinstance(value, bytes):
        return f"{len(value)} bytes"
    if value is None:
        return "-"
    text = value if isinstance(value, str) else json.dumps(value, default=repr)
    text = one_line(text).replace("\t", r"\x09")
    return text if len(text) <= longest else f"{text[: longest - 3]}..."


def _pairs(items: Iterable[tuple[str, Any]]) -> str:
    return ", ".join(f"{key} {value_text(value, 60)}" for key, value in items)
