"""The validator of tables with variants: stages by their format, items of a rubric by their kind."""

from collections.abc import Iterator, Mapping
from typing import Any

from arena.game.validation import Anything, Defect, Table, Validator, Word


class Variants(Validator):
    """A table in which the word at one key, such as ``format``, defines the other allowed keys.

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
            name: Table({**common, key: word, **fields}, (*required, *needed.get(name, ())), "a table")
            for name, fields in variants.items()
        }
        of_any: dict[str, Validator] = {**common, key: word}
        for fields in variants.values():
            for name, field in fields.items():  # if variants have different validators, accept any value
                of_any[name] = field if of_any.get(name, field) is field else Anything()
        self._of_any = Table(of_any, required, "a table")
        self._missing = f"is missing. It must be {word.description}."

    def defects(self, value: object, place: str = "") -> Iterator[Defect]:
        word: Any = value.get(self.key) if isinstance(value, Mapping) else None
        table = self._tables.get(word) if isinstance(word, str) else None
        yield from (table or self._of_any).defects(value, place)
        if isinstance(value, Mapping) and self.key not in value:
            yield Defect(f"{place}.{self.key}", self._missing, "missing")
