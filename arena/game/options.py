"""Typed options of a game, with defaults and ranges.

Options come from a command line as texts (`parse`), and from configurations and replays as values (`resolve`). Both
ways end in the same check. All that is wrong is reported at once.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from arena.game.errors import OptionError
from arena.game.kinds import Document
from arena.game.validation import (
    Anything,
    Flag,
    ListOf,
    Number,
    OrElse,
    Text,
    Validator,
    Whole,
    Word,
    did_you_mean,
    shortened,
)

_BOOL_WORDS = {"true": "true", "yes": "true", "on": "true", "false": "false", "no": "false", "off": "false"}


@dataclass(frozen=True, slots=True)
class Option:
    """One option of a game.

    Attributes:
        name: The name on the command line.
        type: ``int``, ``float``, ``bool``, ``str``, ``choice``, ``numbers`` (a list) or ``json`` (anything).
        default: The value if the user does not set the option. If it is None, the ruleset or the map sets the value.
        doc: The option's meaning, with its unit.
        minimum: The smallest allowed value of an ``int`` or ``float``; None for no limit. Other types ignore it.
        maximum: The largest allowed value of an ``int`` or ``float``; None for no limit. Other types ignore it.
        choices: The allowed words, if the type is ``choice``.
        nullable: Whether None is also allowed.
    """

    name: str
    type: str
    default: Any
    doc: str
    minimum: float | None = None
    maximum: float | None = None
    choices: tuple[str, ...] = ()
    nullable: bool = False

    def parse(self, text: str) -> object:
        """Convert a text from the command line to the option's value, and check the value.

        Raises:
            OptionError: The text does not have the option's type, or the value is not allowed.
        """
        if self.nullable and text.lower() in ("none", "null"):
            return None
        if self.type in ("str", "choice"):
            return self.check(text)
        source = _BOOL_WORDS.get(text.lower(), text) if self.type == "bool" else text
        if self.type == "numbers" and not source.startswith("["):
            source = f"[{source}]"
        try:
            value = json.loads(source)
        except ValueError:
            if self.type == "json":
                raise OptionError(f"The option {self.name} must be JSON, not {shortened(text)}.") from None
            value = text
        return self.check(value)

    def check(self, value: Any) -> object:
        """Check a value and return it: a ``float`` option as a float, a ``numbers`` option as a tuple.

        Raises:
            OptionError: The value is not allowed. The message names the option, the value and the allowed values.
        """
        validator = OrElse(None, self._validator()) if self.nullable else self._validator()
        for defect in validator.defects(value, f"The option {self.name}"):
            raise OptionError(str(defect))
        if self.type == "float" and value is not None:
            return float(value)
        return tuple(value) if self.type == "numbers" and value is not None else value

    def describe(self) -> str:
        """Describe the allowed values in a few words, without None."""
        return self._validator().description

    def to_document(self) -> Document:
        """Return the option in the form of ``arena games --json``."""
        document: Document = {"name": self.name, "type": self.type, "default": self.default, "doc": self.doc}
        for key, value in (("minimum", self.minimum), ("maximum", self.maximum)):
            if value is not None:
                document[key] = value
        if self.choices:
            document["choices"] = list(self.choices)
        return document

    def _validator(self) -> Validator:
        """Return the validator of the value."""
        if self.type == "int":
            return Whole(self.minimum, self.maximum)
        if self.type == "float":
            return Number(self.minimum, self.maximum)
        if self.type == "choice":
            return Word(self.choices)
        return _VALIDATORS[self.type]


_VALIDATORS: dict[str, Validator] = {
    "bool": Flag(),
    "str": Text(),
    "numbers": ListOf(Number(), "numbers with commas between them"),
    "json": Anything("JSON"),
}


class OptionValues(Mapping[str, Any]):
    """Resolved options: a read-only mapping with attribute access."""

    __slots__ = ("_values",)

    def __init__(self, values: Mapping[str, object]) -> None:
        object.__setattr__(self, "_values", dict(values))

    def __getitem__(self, name: str) -> Any:
        return self._values[name]

    def __getattr__(self, name: str) -> Any:
        try:
            return self._values[name]
        except KeyError:
            raise AttributeError(f"There is no option {name}.") from None

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("Options cannot be changed.")

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:
        return f"OptionValues({self._values!r})"

    def __reduce__(self) -> tuple[object, ...]:
        return OptionValues, (self._values,)

    def to_document(self) -> Document:
        """Return plain JSON values."""
        return {name: list(value) if isinstance(value, tuple) else value for name, value in self._values.items()}


def parse(declared: tuple[Option, ...], texts: Mapping[str, str]) -> dict[str, Any]:
    """Convert the given texts to values and fill in the declared defaults.

    Raises:
        OptionError: Some names are unknown, or some values are impossible. The message has one line for each of them.
    """
    return _collect(declared, texts, Option.parse)


def resolve(declared: tuple[Option, ...], given: Mapping[str, object]) -> dict[str, Any]:
    """Check the given values and fill in the declared defaults.

    Raises:
        OptionError: Some names are unknown, or some values are impossible. The message has one line for each of them.
    """
    return _collect(declared, given, Option.check)


def _collect(
    declared: tuple[Option, ...], given: Mapping[str, object], read: Callable[[Option, Any], object]
) -> dict[str, Any]:
    options = {option.name: option for option in declared}
    messages = []
    values = {option.name: option.default for option in declared}
    for name, value in given.items():
        if name not in options:
            messages.append(f"The option {name} is not known here{did_you_mean(name, options)}.")
            continue
        try:
            values[name] = read(options[name], value)
        except OptionError as error:
            messages.append(str(error))
    if messages:
        raise OptionError("\n".join(messages))
    return values
