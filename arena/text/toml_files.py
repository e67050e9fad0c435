"""Read TOML files, and find the lines of their values for error messages.

The parser of the standard library tells no lines of values, so `line_of` looks for them in the text. It is right for
files as people write them, and otherwise names the table.
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from arena.errors import ArenaError, ExitCode
from arena.game.validation import Anything, Defect, TableOf, Validator, Word
from arena.text.reading import MIB, read_limited, text_of

LARGEST = MIB


def config_text(path: Path, hint: str) -> str:
    """Return the text of a configuration. What is wrong with the file is an `ArenaError`."""
    try:
        return text_of(read_limited(path, LARGEST)).replace("\r\n", "\n")
    except FileNotFoundError as error:
        raise ArenaError(f"There is no {path}.", hint=hint, exit_code=ExitCode.BAD_LEAGUE) from error
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise ArenaError(f"{path} cannot be read: {reason}.", exit_code=ExitCode.BAD_LEAGUE) from error
    except ValueError as error:
        raise ArenaError(f"{path} cannot be read: it is {error}.", exit_code=ExitCode.BAD_LEAGUE) from None


def known_tables(path: Path) -> dict[str, Any]:
    """Return the document of a TOML file; empty if it cannot be read, which is reported where it is used."""
    try:
        return tomllib.loads(text_of(read_limited(path, LARGEST)))
    except (OSError, ValueError, RecursionError):
        return {}


def parsed(text: str, source: str, defects: Callable[[Any], Iterable[Defect]], hint: str) -> dict[str, Any]:
    """Return the document in a TOML text, after a check for defects."""
    try:
        document = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise ArenaError(f"{source} is not valid TOML: {error}.", exit_code=ExitCode.BAD_LEAGUE) from error
    if errors := located(defects(document), text, source):
        raise ArenaError("\n".join(errors), hint=hint, exit_code=ExitCode.BAD_LEAGUE)
    return document


def located(defects: Iterable[Defect], text: str, source: str) -> list[str]:
    """Return a message for each defect, with the file, and with the line if `line_of` finds it."""
    messages = []
    for defect in defects:
        line = line_of(text, defect.path)
        messages.append(f"{source}:{line}: {defect}" if line else f"{source}: {defect}")
    return messages


def line_of(text: str, path: str) -> int:
    """Return the line number of a path such as ``stages[1].rounds``, from 1.

    If there is no such line, return the first of these that exists: the line of the second ``[[stages]]``, the line of
    the first ``[[stages]]``, 0.
    """
    head, _, key = path.rpartition(".")
    match = re.fullmatch(r"(\w*)(?:\[(\d+)\])?", head or path)
    if match is None:
        return line_of(text, head)  # the value is part of another value
    table, number = match[1], int(match[2] or 0)
    table_of_key = (table, number) if head else None
    assignment = re.compile(rf"\s*{re.escape(key)}\s*=")
    current: tuple[str, int] | None = None
    counts: Counter[str] = Counter()
    table_line = 0
    for line_number, line in enumerate(text.splitlines(), 1):
        if header := re.match(r"\s*\[+\s*([\w.-]+)\s*\]+", line):
            current = (header[1], counts[header[1]])
            counts[header[1]] += 1
            if current == (table, number):
                table_line = line_number
        elif current == table_of_key and assignment.match(line):
            return line_number
    return table_line or (line_of(text, table) if head else 0)


class Variants(Validator):
    """A table in which the word at one key, such as the ``format`` of a stage, defines the other allowed keys.

    If the word is missing or unknown, the keys of all variants are allowed.
    """

    __slots__ = ("_missing", "_of_any", "_tables", "key")

    def __init__(
        self,
        key: str,
        variants: Mapping[str, Mapping[str, Validator]],
        common: Mapping[str, Validator],
        required: tuple[str, ...],
        needed: Mapping[str, tuple[str, ...]],
    ) -> None:
        super().__init__("a table")
        self.key = key
        word = Word(tuple(variants))
        self._tables = {
            name: TableOf({**common, key: word, **fields}, (*required, *needed.get(name, ())), "a table")
            for name, fields in variants.items()
        }
        of_any: dict[str, Validator] = {**common, key: word}
        for fields in variants.values():
            for name, field in fields.items():  # if variants have different validators, accept any value
                of_any[name] = field if of_any.get(name, field) is field else Anything()
        self._of_any = TableOf(of_any, required, "a table")
        self._missing = f"is missing. It must be {word.description}."

    def defects(self, value: object, path: str = "") -> Iterator[Defect]:
        word: Any = value.get(self.key) if isinstance(value, Mapping) else None
        table = self._tables.get(word) if isinstance(word, str) else None
        yield from (table or self._of_any).defects(value, path)
        if isinstance(value, Mapping) and self.key not in value:
            yield Defect(f"{path}.{self.key}", self._missing, "missing")
