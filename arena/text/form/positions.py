"""A position: the fields of the game on one line, a table for each class, and a board if wanted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Literal

from arena.text.form.values import NOTHING, Things, is_nothing, value_text, word
from arena.text.printable import one_line
from arena_player.schema import GameClass, GameField, Schema
from arena_player.world import ROOT_ID

Board = Literal["none", "sparse", "full"]
"""How a position shows the board: not at all, as the rows with something on them, or tile by tile."""

LONG = 40
"""From so many characters on, what is as it was at the start of the match is not said again."""
PLACE = "@"
WIDEST_CELL = 5
"""Characters of a tile of a board: the usual ids, so that a board of 20 columns has 120 characters."""


def position(schema: Schema, things: Things, start: Things | None = None, board: Board = "none") -> str:
    """Return what a player sees as text.

    Args:
        schema: The game's schema.
        things: The view.
        start: The view that the text `first` was made of. What is long and still the same is only named then.
        board: Whether to add the board, if the game has a grid.
    """
    lines, same = parts(schema, things, start or {})
    if same:
        lines.append(f"as at the start: {', '.join(same)}")
    if board == "sparse":
        lines += _sparse_board(schema, things)
    elif board == "full":
        lines += _full_board(schema, things)
    return "\n".join(lines)


def parts(schema: Schema, things: Things, start: Things) -> tuple[list[str], list[str]]:
    """Return the lines of a position, and the names of the fields and classes that are left out as at the start."""
    by_class: dict[str, list[str]] = {}
    for name, (kind, _) in things.items():
        if name != ROOT_ID:
            by_class.setdefault(kind, []).append(name)
    lines, same = _root(schema, things, start, by_class) if ROOT_ID in things else ([], [])
    for kind in schema.classes:
        if names := by_class.get(kind):
            lines_of_kind = table(schema.classes[kind], names, things)
            before = [name for name, (kind_then, _) in start.items() if kind_then == kind and name != ROOT_ID]
            is_same = before == names and all(start[name] == things[name] for name in names)
            if is_same and len("".join(lines_of_kind)) >= LONG:
                same.append(kind)
            else:
                lines += lines_of_kind
    return lines, same


def _root(schema: Schema, things: Things, start: Things, by_class: dict[str, list[str]]) -> tuple[list[str], list[str]]:
    kind, values = things[ROOT_ID]
    fields = schema.classes[kind].fields
    implied = _implied(fields, values, by_class)
    size = tuple(values.get(name) for name in schema.grid or ())
    pairs: list[str] = []
    maps: list[str] = []
    same: list[str] = []
    for field in fields:
        value = values.get(field.name)
        if field.name in implied or is_nothing(value, field):
            continue
        rows = _rows(value, size)
        text = f"{field.name} {value_text(value, field)}"
        is_same = ROOT_ID in start and start[ROOT_ID][1].get(field.name) == value
        if is_same and (field.name in (schema.grid or ()) or rows or len(text) >= LONG):
            same.append(field.name)
        elif rows:
            maps += [f"{field.name}:", *rows]
        else:
            pairs.append(text)
    return [f"{ROOT_ID}: {', '.join(pairs)}" if pairs else ROOT_ID, *maps], same


def _implied(fields: Sequence[GameField], values: dict[str, Any], by_class: dict[str, list[str]]) -> set[str]:
    """Return the lists of the game that follow from the tables: of the lists that share out a class, the longest."""
    implied = set()
    for kind, names in by_class.items():
        lists = {field.name: values.get(field.name) for field in fields if field.type.name == kind and field.type.many}
        listed = [name for ids in lists.values() for name in ids or ()]
        if lists and sorted(listed) == sorted(names):
            implied.add(max(lists, key=lambda name: len(lists[name] or ())))
    return implied


def _rows(value: Any, size: tuple[Any, ...]) -> list[str]:
    """Return the rows of a field that has one character for each tile of the grid; nothing for any other field."""
    if len(size) != 2 or not all(isinstance(side, int) and side > 0 for side in size):
        return []
    width, height = size
    if isinstance(value, str) and len(value) == width * height:
        value = [value[start : start + width] for start in range(0, len(value), width)]
    is_map = isinstance(value, list) and len(value) == height
    is_map = is_map and all(isinstance(row, str) and len(row) == width and row.isprintable() for row in value)
    return list(value) if is_map and isinstance(value, list) else []


def table(entry: GameClass, names: Sequence[str], things: Things) -> list[str]:
    """Return the table of a class; for one object, its line; nothing for none."""
    if not names:
        return []
    if len(names) == 1:
        return [f"{word(names[0])} {entry.name}: {', '.join(pairs_of(entry, things[names[0]][1]))}"]
    columns: dict[str, list[str]] = {}
    shared: list[str] = []
    if entry.placed:
        columns[PLACE] = [place(things[name][1]) for name in names]
    for field in unplaced(entry):
        values = [things[name][1].get(field.name) for name in names]
        if all(is_nothing(value, field) for value in values):
            continue
        texts = [value_text(value, field) for value in values]
        if len(set(texts)) == 1:
            shared.append(f"{field.name} {texts[0]}")
        else:
            columns[field.name] = texts
    head = f"{entry.name} {' '.join(columns)}" + (f" (all: {', '.join(shared)})" if shared else "")
    return [head, *(" ".join(row) for row in zip(map(word, names), *columns.values(), strict=True))]


def pairs_of(entry: GameClass, values: dict[str, Any]) -> Iterator[str]:
    """Yield the fields of an object that are not nothing, its place first."""
    if entry.placed:
        yield place(values)
    for field in unplaced(entry):
        value = values.get(field.name)
        if not is_nothing(value, field):
            yield f"{field.name} {value_text(value, field)}"


def unplaced(entry: GameClass) -> list[GameField]:
    """Return the fields of a class without those of its place."""
    return [field for field in entry.fields if not (entry.placed and field.name in ("x", "y"))]


def place(values: dict[str, Any]) -> str:
    x, y = values.get("x"), values.get("y")
    return NOTHING if x is None or y is None else f"{PLACE}{x},{y}"


# Boards.


def _cells(schema: Schema, things: Things) -> dict[tuple[int, int], list[str]]:
    """Return what is on each tile: the ids of things, then the names of the things or fields that list the tile."""
    cells: dict[tuple[int, int], list[str]] = {}
    marks: list[tuple[Sequence[int], str]] = []
    for name, (kind, values) in things.items():
        entry = schema.classes[kind]
        if entry.placed and values.get("x") is not None and values.get("y") is not None:
            cells.setdefault((values["x"], values["y"]), []).append(name)
        for field in entry.fields:
            if field.type.name == "tile" and field.type.many:
                mark = field.name if name == ROOT_ID else name
                marks += [(tile, mark) for tile in values.get(field.name) or () if tile]
    for (x, y), mark in marks:
        names = cells.setdefault((x, y), [])
        if mark not in names:
            names.append(mark)
    return cells


def _size(schema: Schema, things: Things) -> tuple[int, int]:
    if schema.grid is None or ROOT_ID not in things:
        return 0, 0
    width, height = (things[ROOT_ID][1].get(name) for name in schema.grid)
    return (width, height) if isinstance(width, int) and isinstance(height, int) else (0, 0)


def _sparse_board(schema: Schema, things: Things) -> list[str]:
    cells = _cells(schema, things) if all(_size(schema, things)) else {}
    lines = []
    for row in sorted({y for _, y in cells}):
        tiles = sorted((x, names) for (x, y), names in cells.items() if y == row)
        lines.append(f"row {row}: " + " ".join(f"{x}:{'+'.join(map(word, names))}" for x, names in tiles))
    return lines


def _full_board(schema: Schema, things: Things) -> list[str]:
    """Return the board tile by tile. A tile shows the first that it has: an id, the mark of a field, the ground."""
    width, height = _size(schema, things)
    if not (width and height):
        return []
    cells = _cells(schema, things)
    fields = [field.name for field in schema.classes[things[ROOT_ID][0]].fields]
    listed = [field for field in fields if any(field in names for names in cells.values())]
    letters = {field: "abcdefghijklmnopqrstuvwxyz"[number % 26] for number, field in enumerate(listed)}
    grounds = (_rows(value, (width, height)) for value in things[ROOT_ID][1].values())
    ground = next(filter(None, grounds), ["." * width] * height)
    marks = {tile: letters.get(names[0], names[0]) + "+" * (len(names) > 1) for tile, names in cells.items()}
    wide = min(WIDEST_CELL, max(map(len, [*marks.values(), str(width - 1)])))
    lines = ["    " + " ".join(str(x).rjust(wide) for x in range(width))]
    for y in range(height):
        row = (one_line(marks.get((x, y), ground[y][x]))[:wide].rjust(wide) for x in range(width))
        lines.append(f"{y:3} " + " ".join(row))
    lines.append("Columns are x, rows are y. A tile shows the id of what is there; + means more than one.")
    return lines + [f"{letter}: {field}" for field, letter in letters.items()]
