"""A position: the fields of the game on one line, a table for each class, and a board if wanted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from string import ascii_lowercase
from typing import Any, Literal

from arena.text.form.values import NOTHING, Things, is_nothing, numbers_of, value_text, word
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
    lines += [f"as at the start: {', '.join(same)}"] if same else []
    return "\n".join(lines if board == "none" else [*lines, *_board(schema, things, is_full=board == "full")])


def parts(schema: Schema, things: Things, start: Things) -> tuple[list[str], list[str]]:
    """Return the lines of a position, and the names of the fields and classes that are left out as at the start."""
    by_class = {kind: _of_class(kind, things) for kind in schema.classes}
    lines, same = _root(schema, things, start, by_class) if ROOT_ID in things else ([], [])
    for kind, mine in by_class.items():
        rows = table(schema.classes[kind], list(mine), things)
        if list(mine.items()) == list(_of_class(kind, start).items()) and len("".join(rows)) >= LONG:
            same.append(kind)
        else:
            lines += rows
    return lines, same


def _of_class(kind: str, things: Things) -> dict[str, dict[str, Any]]:
    return {name: values for name, (its_kind, values) in things.items() if its_kind == kind and name != ROOT_ID}


def _root(
    schema: Schema, things: Things, start: Things, by_class: Mapping[str, Iterable[str]]
) -> tuple[list[str], list[str]]:
    kind, values = things[ROOT_ID]
    before = start[ROOT_ID][1] if ROOT_ID in start else {}
    implied = _implied(schema.classes[kind].fields, values, by_class)
    fields = {field.name: field for field in schema.classes[kind].fields if field.name not in implied}
    texts = {name: f"{name} {value_text(values.get(name), fields[name])}" for name in fields}
    told = [name for name in fields if not is_nothing(values.get(name), fields[name])]
    rows = {name: _rows(values.get(name), *board_size(schema, values), fields[name]) for name in told}
    same = [name for name in told if name in before and before[name] == values.get(name)]
    same = [name for name in same if name in (schema.grid or ()) or rows[name] or len(texts[name]) >= LONG]
    pairs = ", ".join(texts[name] for name in told if name not in same and not rows[name])
    maps = [line for name in told if name not in same and rows[name] for line in (f"{name}:", *rows[name])]
    return [f"{ROOT_ID}: {pairs}" if pairs else ROOT_ID, *maps], same


def _implied(fields: Sequence[GameField], values: dict[str, Any], by_class: Mapping[str, Iterable[str]]) -> set[str]:
    """Return the lists of the game that follow from the tables: of the lists that share out a class, the longest."""
    implied = set()
    for kind, names in by_class.items():
        lists = {field.name: values.get(field.name) for field in fields if field.type.name == kind and field.type.many}
        listed = [name for ids in lists.values() for name in ids or ()]
        if lists and listed and sorted(listed) == sorted(names):
            implied.add(max(lists, key=lambda name: len(lists[name] or ())))
    return implied


def board_size(schema: Schema, values: Mapping[str, Any]) -> tuple[int, int]:
    """Return columns and rows of the board, from the fields of the game; zeros without a board."""
    sides = [side for side in map(values.get, schema.grid or ()) if isinstance(side, int) and side > 0]
    return (sides[0], sides[1]) if len(sides) == 2 else (0, 0)


def _rows(value: Any, width: int, height: int, field: GameField | None = None) -> list[str]:
    """Return the rows of a field that has one character or number for each tile of the grid; nothing for any other."""
    if width and isinstance(value, bytes) and field is not None and field.dtype:
        numbers = [str(number) for number in numbers_of(value, field)]
        wide = max(map(len, numbers), default=0)
        cells = [number.rjust(wide) for number in numbers] if len(numbers) == width * height else []
        return [" ".join(cells[start : start + width]) for start in range(0, len(cells), width)]
    if width and isinstance(value, str) and len(value) == width * height:
        value = [value[start : start + width] for start in range(0, len(value), width)]
    rows = value if isinstance(value, list) and len(value) == height else []
    return rows if all(isinstance(row, str) and len(row) == width and row.isprintable() for row in rows) else []


def table(entry: GameClass, names: Sequence[str], things: Things) -> list[str]:
    """Return the table of a class; for one object, its line; nothing for none."""
    columns = {PLACE: [place(things[name][1]) for name in names]} if entry.placed else {}
    for field in unplaced(entry):
        values = [things[name][1].get(field.name) for name in names]
        if not all(is_nothing(value, field) for value in values):
            columns[field.name] = [value_text(value, field) for value in values]
    if len(names) < 2:
        return [
            f"{word(name)} {entry.name}: {', '.join(pair(key, columns[key][0]) for key in columns)}" for name in names
        ]
    same = [key for key, texts in columns.items() if key != PLACE and len(set(texts)) == 1]
    shared = f" (all: {', '.join(pair(key, columns[key][0]) for key in same)})" if same else ""
    kept = {key: texts for key, texts in columns.items() if key not in same}
    rows = zip(map(word, names), *kept.values(), strict=True)
    return [f"{entry.name} {' '.join(kept)}{shared}", *map(" ".join, rows)]


def pair(key: str, text: str) -> str:
    return f"{PLACE}{text.removeprefix(PLACE)}" if key == PLACE else f"{key} {text}"


def unplaced(entry: GameClass) -> list[GameField]:
    """Return the fields of a class without those of its place."""
    return [field for field in entry.fields if not (entry.placed and field.name in ("x", "y"))]


def place(values: dict[str, Any]) -> str:
    x, y = values.get("x"), values.get("y")
    return NOTHING if x is None or y is None else f"{PLACE}{x},{y}"


def _cells(schema: Schema, things: Things) -> dict[tuple[int, int], list[str]]:
    """Return what is on each tile: the ids of things, then the names of the things or fields that list the tile."""
    placed, listed = [], []
    for name, (kind, values) in things.items():
        entry = schema.classes[kind]
        placed += [(values["x"], values["y"], name)] if entry.placed and place(values) != NOTHING else []
        for field in entry.fields:
            tiles = values.get(field.name) if field.type.name == "tile" and field.type.many else ()
            listed += [(*tile, field.name if name == ROOT_ID else name) for tile in tiles or () if tile]
    cells: dict[tuple[int, int], list[str]] = {}
    for x, y, mark in dict.fromkeys([*placed, *listed]):
        cells.setdefault((x, y), []).append(mark)
    return cells


def _board(schema: Schema, things: Things, *, is_full: bool) -> Iterator[str]:
    """Yield the rows of the board with something on them, or all, tile by tile.

    Then a tile shows the first that it has: an id, the letter of a field, the ground.
    """
    kind, values = things.get(ROOT_ID, (schema.root, {}))
    width, height = board_size(schema, values)
    cells = _cells(schema, things) if width else {}
    if not is_full:
        for row in sorted({y for _, y in cells}):
            tiles = sorted((x, "+".join(map(word, names))) for (x, y), names in cells.items() if y == row)
            yield f"row {row}: {' '.join(f'{x}:{names}' for x, names in tiles)}"
    if not is_full or not width:
        return
    listed = [
        field.name for field in schema.classes[kind].fields if any(field.name in names for names in cells.values())
    ]
    letters = dict(zip(listed, ascii_lowercase, strict=False))
    ground = next(filter(None, (_rows(value, width, height) for value in values.values())), ["." * width] * height)
    marks = {tile: one_line(letters.get(names[0], names[0])) + "+" * (len(names) > 1) for tile, names in cells.items()}
    wide = min(WIDEST_CELL, max(map(len, [*marks.values(), str(width - 1)])))
    yield "    " + " ".join(str(x).rjust(wide) for x in range(width))
    for y in range(height):
        yield f"{y:3} " + " ".join(marks.get((x, y), ground[y][x])[:wide].rjust(wide) for x in range(width))
    yield "Columns are x, rows are y. A tile shows the id of what is there; + means more than one."
    yield from (f"{letter}: {field}" for field, letter in letters.items())
