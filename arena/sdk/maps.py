"""Read map files, valid or not, and write them in a readable layout."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from arena.errors import ArenaError, ExitCode
from arena.game import GameSpec, OptionError
from arena.game.editor import MapEditor, Problem
from arena.game.validation import did_you_mean
from arena.text.reading import read_limited
from arena_replays.files import replace_file

LARGEST_FILE = 1_000_000
MOST_CELLS = 128
"""Limits of the editor. Chosen, not measured: the largest map that comes with a game has 37 cells a side."""
_WIDE = 100


def editor_of(game: GameSpec) -> MapEditor:
    if game.editor is None:
        raise ArenaError(f"{game.name} has no maps that can be edited.", exit_code=ExitCode.BAD_OPTION)
    return game.editor


def read_map(game: GameSpec, reference: str) -> Any:
    """Return the document of one of the game's maps, or of a file. The document does not need to be a valid map."""
    if reference in game.maps and game.load_map is not None:
        return game.load_map(reference)
    path = Path(reference)
    try:
        return json.loads(read_limited(path, LARGEST_FILE))
    except FileNotFoundError:
        raise _bad(f"There is no map and no file {reference}{did_you_mean(reference, game.maps)}.") from None
    except OSError as error:
        raise _bad(f"{reference} cannot be read: {(error.strerror or str(error)).lower()}.") from None
    except (ValueError, RecursionError) as error:
        raise _bad(f"{reference} is not JSON: {error}.") from None


def editable(game: GameSpec, document: Any, source: str) -> dict[str, Any]:
    """Check that the editor can show a document, and return the document. Other defects are not checked."""
    key = editor_of(game).describe()["grid"]["key"]
    rows = document.get(key) if isinstance(document, dict) else None
    if not isinstance(rows, list) or not rows or not all(isinstance(row, str) and row for row in rows):
        raise _bad(f"{source} is not a map of {game.name}: it has no list of {key}.")
    if len(rows) > MOST_CELLS or max(map(len, rows)) > MOST_CELLS:
        raise _bad(f"{source} is too large to be edited. The limit is {MOST_CELLS} x {MOST_CELLS}.")
    result: dict[str, Any] = document
    return result


def problems_of(editor: MapEditor, document: Any) -> list[Problem]:
    """Return the problems of a document. If the game's validator raises an exception, return one problem for it."""
    try:
        return editor.check(document)
    except Exception as error:  # the document can have any form, and a defect of a game must not end the editor
        return [Problem("validator_failed", f"The validator of the game failed: {type(error).__name__}.")]


def layout(document: dict[str, Any]) -> str:
    """Return the text of a map file.

    A list of texts (such as the rows of the board) or of objects has one item on each line. Any other list is on one
    line, or on several lines if it is too long.
    """
    parts = [f"  {_json(key)}: {_value(value)}" for key, value in document.items()]
    return "{\n" + ",\n".join(parts) + "\n}\n"


def _value(value: Any) -> str:
    text = _json(value)
    if not isinstance(value, list) or not value:
        return text
    items = [_json(item) for item in value]
    if all(isinstance(item, str) for item in value) or all(isinstance(item, dict) for item in value):
        return "[\n" + ",\n".join(f"    {item}" for item in items) + "\n  ]"
    return text if len(text) <= _WIDE else f"[{_filled(items)}\n  ]"


def _filled(items: list[str]) -> str:
    """Join short items with commas, in lines of at most `_WIDE` characters."""
    lines = [""]
    for number, item in enumerate(items):
        text = item + ("," if number < len(items) - 1 else "")
        if len(lines) > 1 and len(lines[-1]) + len(text) < _WIDE:
            lines[-1] += f" {text}"
        else:
            lines.append(f"    {text}")
    return "\n".join(lines)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def write_map(path: Path, document: dict[str, Any], *, overwrite: bool = True) -> None:
    """Write a map file in one step. Other programs see the complete old file or the complete new file."""
    if not overwrite and path.exists():
        raise ArenaError(
            f"{path} exists already.", hint="Choose another name, or remove the file.", exit_code=ExitCode.CANNOT_WRITE
        )
    try:
        replace_file(path, layout(document).encode(), sync=False)
    except (OSError, UnicodeEncodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it holds text that is not Unicode"
        raise ArenaError(
            f"{path} cannot be written: {(reason or str(error)).lower()}.", exit_code=ExitCode.CANNOT_WRITE
        ) from None


def settings(pairs: tuple[str, ...]) -> dict[str, str]:
    """Convert ``NAME=VALUE`` texts to a mapping."""
    values = {}
    for text in pairs:
        name, equals, value = text.partition("=")
        if not equals or not name.strip():
            raise _bad(f"{text!r} is not of the form NAME=VALUE.")
        values[name.strip()] = value.strip()
    return values


def blank_map(game: GameSpec, values: dict[str, str]) -> dict[str, Any]:
    try:
        return editor_of(game).blank(values)
    except OptionError as error:
        raise _bad(str(error)) from None


def generated_map(game: GameSpec, values: dict[str, str]) -> dict[str, Any]:
    editor = editor_of(game)
    if editor.generate is None:
        raise _bad(f"{game.name} has no map generator.", hint=f"`arena map new {game.name} FILE` makes a small map.")
    try:
        return editor.generate(values)
    except OptionError as error:
        described = "; ".join(f"{name}: {meaning}" for name, meaning in editor.settings)
        raise _bad(str(error), hint=f"The generator has these settings: {described}.") from None


def _bad(message: str, hint: str = "") -> ArenaError:
    return ArenaError(message, hint=hint, exit_code=ExitCode.BAD_OPTION)
