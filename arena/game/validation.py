"""Validators: declarations that check options, maps, and configuration files.

A check finds all defects at once and names each by its path in the data, such as ``stages[1].rounds``. The same
declarations check what people write and what comes from a file of somebody else, so no check is left to the code that
uses the values (docs/decisions/012-one-validator.md).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from math import isfinite
from typing import Any, Literal, NamedTuple

_LONGEST_VALUE = 80


class Defect(NamedTuple):
    """An error in data.

    Attributes:
        path: Where the value is, such as ``stages[1].rounds``; empty for the data as a whole.
        message: What is wrong, without the path: "must be a whole number from 1 to 9, not 12."
        kind: ``wrong`` value, ``unknown`` key, or ``missing`` key.
    """

    path: str
    message: str
    kind: Literal["wrong", "unknown", "missing"] = "wrong"

    def __str__(self) -> str:
        return f"{self.path} {self.message}" if self.path else self.message


class Validator:
    """The base class of all validators. A subclass implements `accepts` or `defects`.

    Validators never change after creation. They are not frozen dataclasses, because dataclasses make the import of this
    module nine times as slow.

    Args:
        description: The accepted values, in words that can follow "must be".
    """

    __slots__ = ("description",)

    def __init__(self, description: str = "any value") -> None:
        self.description = description

    def accepts(self, value: object) -> bool:
        """Return whether a value is valid."""
        return not any(self.defects(value))

    def defects(self, value: object, path: str = "") -> Iterator[Defect]:
        """Find all defects of a value.

        Args:
            value: Anything that JSON or TOML can hold.
            path: Where the value is in the data.
        """
        if not self.accepts(value):
            yield Defect(path, f"must be {self.description}, not {shortened(value)}.")


class Whole(Validator):
    """A whole number. True and false are not accepted."""

    __slots__ = ("greatest", "least")

    def __init__(self, least: float | None = None, greatest: float | None = None) -> None:
        super().__init__("a whole number" + _range(least, greatest))
        self.least = least
        self.greatest = greatest

    def accepts(self, value: object) -> bool:
        """Return whether a value is valid."""
        return type(value) is int and _is_within(value, self.least, self.greatest)


class Number(Validator):
    """A finite number, whole or not.

    Args:
        least: The smallest value.
        greatest: The largest value.
        unit: The unit to name in the message, such as "seconds".
    """

    __slots__ = ("greatest", "least")

    def __init__(self, least: float | None = None, greatest: float | None = None, unit: str = "") -> None:
        super().__init__("a number" + (f" of {unit}" if unit else "") + _range(least, greatest))
        self.least = least
        self.greatest = greatest

    def accepts(self, value: object) -> bool:
        """Return whether a value is valid."""
        if type(value) is not int and not (type(value) is float and isfinite(value)):
            return False
        return _is_within(value, self.least, self.greatest)


class Flag(Validator):
    """True or false."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__("true or false")

    def accepts(self, value: object) -> bool:
        """Return whether a value is valid."""
        return type(value) is bool


class Text(Validator):
    """A text.

    Args:
        pattern: A regular expression for the whole text; empty for any text.
        description: The description of such a text, for the message.
    """

    __slots__ = ("pattern",)

    def __init__(self, pattern: str = "", description: str = "a text") -> None:
        super().__init__(description)
        self.pattern = pattern

    def accepts(self, value: object) -> bool:
        """Return whether a value is valid."""
        return isinstance(value, str) and (not self.pattern or re.fullmatch(self.pattern, value) is not None)


NON_EMPTY = Text(r"(?s).+", "a text that is not empty")


class Word(Validator):
    """One of several words."""

    __slots__ = ("words",)

    def __init__(self, words: tuple[str, ...]) -> None:
        super().__init__("one of " + ", ".join(word or '""' for word in words))
        self.words = words

    def accepts(self, value: object) -> bool:
        """Return whether a value is valid."""
        return type(value) is str and value in self.words


class Anything(Validator):
    """Any value."""

    __slots__ = ()

    def accepts(self, value: object) -> bool:
        """Return whether a value is valid."""
        del value
        return True


class OrElse(Validator):
    """One fixed value, such as None or "none", or a value that another validator accepts."""

    __slots__ = ("validator", "value")

    def __init__(self, value: str | None, validator: Validator) -> None:
        super().__init__(f"{validator.description}, or " + ("null" if value is None else f'"{value}"'))
        self.value = value
        self.validator = validator

    def accepts(self, value: object) -> bool:
        """Return whether a value is valid."""
        return (type(value) is type(self.value) and value == self.value) or self.validator.accepts(value)


class ListOf(Validator):
    """A list whose items all pass one validator.

    Args:
        item: The validator of each item.
        description: The description of the list, for one message about the list. If empty, each wrong item has its own
            message.
        lengths: The smallest and the largest number of items.
        unique: Refuse repeated items. Lists and tables are compared by value.
    """

    __slots__ = ("item", "lengths", "one_message", "unique")

    def __init__(
        self, item: Validator, description: str = "", lengths: tuple[int, int] = (0, 1_000_000), unique: bool = False
    ) -> None:
        super().__init__(description or ("a list without repeated items" if unique else "a list"))
        self.item = item
        self.lengths = lengths
        self.unique = unique
        self.one_message = bool(description)

    def defects(self, value: object, path: str = "") -> Iterator[Defect]:
        """Find all defects of a value."""
        least, most = self.lengths
        if not isinstance(value, list | tuple) or not least <= len(value) <= most:
            yield Defect(path, f"must be {self.description}, not {shortened(value)}.")
            return
        defects: list[Defect] = []
        for index, item in enumerate(value):
            defects += self.item.defects(item, f"{path}[{index}]")
        repeats = self.unique and not defects and len(set(map(_hashable, value))) < len(value)
        if repeats or (defects and self.one_message):
            yield Defect(path, f"must be {self.description}, not {shortened(value)}.")
        else:
            yield from defects


class TableOf(Validator):
    """A table (in JSON: an object) with known keys.

    Args:
        fields: The validator of each known key's value.
        required: The required keys.
        description: The description of the table, for the message.
        others: The validator of all other keys; None to refuse them.
    """

    __slots__ = ("fields", "others", "required")

    def __init__(
        self,
        fields: Mapping[str, Validator],
        required: tuple[str, ...] = (),
        description: str = "an object",
        others: Validator | None = None,
    ) -> None:
        super().__init__(description)
        self.fields = fields
        self.required = required
        self.others = others

    def defects(self, value: object, path: str = "") -> Iterator[Defect]:
        """Find all defects of a value: first wrong values and unknown keys, in their order, then missing keys."""
        if not isinstance(value, Mapping):
            yield Defect(path, f"must be {self.description}, not {shortened(value)}.")
            return
        start = f"{path}." if path else ""
        for key, field in value.items():
            validator = self.fields.get(key, self.others)
            if validator is None:
                yield Defect(f"{start}{key}", f"is not known here{did_you_mean(str(key), self.fields)}.", "unknown")
            else:
                yield from validator.defects(field, f"{start}{key}")
        for key in self.required:
            if key not in value:
                yield Defect(f"{start}{key}", "is missing.", "missing")


def nearest(word: str, names: Iterable[str]) -> str:
    """Return the name that is most similar to a word, or that it abbreviates (js); an empty text if none is."""
    import difflib  # rarely needed: most data are valid

    listed = sorted(names)
    similar = difflib.get_close_matches(word, listed, 1)
    if not similar and len(word) > 1:
        similar = [name for name in listed if name[:1] == word[:1] and _has_letters(name, word)]
    return similar[0] if similar else ""


def _has_letters(name: str, word: str) -> bool:
    """Return whether a name has the letters of a word in their order."""
    rest = iter(name)
    return all(letter in rest for letter in word)


def did_you_mean(word: str, names: Iterable[str]) -> str:
    """Return the end of a message about an unknown word: the `nearest` name, or all names."""
    listed = sorted(names)
    near = nearest(word, listed)
    return f" (did you mean {near}?)" if near else "; known are " + (", ".join(listed) or "none")


def shortened(value: object) -> str:
    """Return a value as TOML and JSON write it, cut to 80 characters, for a message."""
    text = _written(value)
    return text if len(text) <= _LONGEST_VALUE else f"{text[: _LONGEST_VALUE - 3]}..."


def _written(value: object) -> str:
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key!r}: {_written(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_written, value)) + "]"
    return _named_time(value) if hasattr(value, "isoformat") else repr(value)


def _named_time(value: Any) -> str:
    """Return a time of TOML with the name of its type. This module does not import `datetime`, since that is slow."""
    if not hasattr(value, "hour"):
        return f"the local date {value.isoformat()}"
    if not hasattr(value, "year"):
        return f"the local time {value.isoformat()}"
    return f"the {'offset' if value.tzinfo else 'local'} date-time {value.isoformat()}"


def _hashable(value: object) -> object:
    """Return a hashable form of a value. Equal values have equal forms."""
    if isinstance(value, Mapping):
        return frozenset((key, _hashable(item)) for key, item in value.items())
    return tuple(map(_hashable, value)) if isinstance(value, list | tuple) else value


def _is_within(value: float, least: float | None, greatest: float | None) -> bool:
    return (least is None or value >= least) and (greatest is None or value <= greatest)


def _range(least: float | None, greatest: float | None) -> str:
    if least is not None and greatest is not None:
        return f" from {_plain(least)} to {_plain(greatest)}"
    if least is not None:
        return f", at least {_plain(least)}"
    return "" if greatest is None else f", at most {_plain(greatest)}"


def _plain(number: float) -> str:
    """Return a number as text. Whole numbers have no exponent: 1000000 and not 1e+06."""
    return str(int(number)) if number == int(number) else f"{number:g}"
