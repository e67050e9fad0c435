"""Typed options of a game, with defaults and ranges."""

from __future__ import annotations

import difflib
import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from arena.game.errors import OptionError


@dataclass(frozen=True, slots=True)
class Option:
    """One option of a game.

    Attributes:
        name: As given on the command line.
        type: ``int``, ``float``, ``bool``, ``str``, ``choice``, ``numbers`` (a list) or ``json`` (anything).
        default: The value if none is given; None stands for "decided by the ruleset or map".
        doc: What it means, with its unit.
        minimum: Least value, for numbers.
        maximum: Greatest value, for numbers.
        choices: The words of a ``choice``.
        nullable: None may be given as well.
    """

    name: str
    type: str
    default: Any
    doc: str
    minimum: float | None = None
    maximum: float | None = None
    choices: tuple[str, ...] = ()
    nullable: bool = False

    def parse(self, text: str) -> Any:
        """Read a value from the command line.

        Raises:
            OptionError: It is not of this option's type.
        """
        if self.nullable and text.lower() in ("none", "null"):
            return None
        if self.type in ("str", "choice"):
            return self.check(text)
        words = {"true": "true", "yes": "true", "on": "true", "false": "false", "no": "false", "off": "false"}
        source = words.get(text.lower(), text) if self.type == "bool" else text
        if self.type == "numbers" and not source.startswith("["):
            source = f"[{source}]"
        try:
            value = json.loads(source)
        except ValueError:
            raise self._error(text) from None
        return self.check(value)

    def check(self, value: Any) -> Any:
        """Return the value if it is allowed.

        Raises:
            OptionError: The sentence names option, value, and what is allowed.
        """
        if (value is None and self.nullable) or self.type == "json":
            return value
        if self.type == "float" and type(value) is int:
            value = float(value)
        good = {
            "int": type(value) is int,
            "float": type(value) is float and math.isfinite(value),
            "bool": type(value) is bool,
            "str": type(value) is str,
            "choice": value in self.choices,
            "numbers": isinstance(value, list | tuple)
            and all(type(part) in (int, float) and math.isfinite(part) for part in value),
        }[self.type]
        if good and self.type in ("int", "float"):
            good = (self.minimum is None or value >= self.minimum) and (self.maximum is None or value <= self.maximum)
        if not good:
            raise self._error(value)
        return tuple(value) if self.type == "numbers" else value

    def describe(self) -> str:
        """Say in a few words what is allowed."""
        if self.type == "choice":
            return "one of " + ", ".join(self.choices)
        name = {
            "int": "a whole number",
            "float": "a number",
            "bool": "true or false",
            "str": "text",
            "numbers": "numbers with commas between them",
            "json": "JSON",
        }[self.type]
        if self.minimum is not None and self.maximum is not None:
            return f"{name} from {_plain(self.minimum)} to {_plain(self.maximum)}"
        if self.minimum is not None:
            return f"{name}, at least {_plain(self.minimum)}"
        return f"{name}, at most {_plain(self.maximum)}" if self.maximum is not None else name

    def to_document(self) -> dict[str, Any]:
        """Return the option as ``arena games --json`` shows it."""
        document: dict[str, Any] = {
            "name": self.name,
            "type": self.type,
            "default": self.default,
            "doc": self.doc,
        }
        for key, value in (("minimum", self.minimum), ("maximum", self.maximum)):
            if value is not None:
                document[key] = value
        if self.choices:
            document["choices"] = list(self.choices)
        return document

    def _error(self, value: Any) -> OptionError:
        return OptionError(f"the option {self.name} cannot be {value!r}: it must be {self.describe()}")


def _plain(number: float) -> str:
    """Write a number as people do: 1000000 and not 1e+06."""
    return str(int(number)) if number == int(number) else f"{number:g}"


class OptionValues(Mapping[str, Any]):
    """Resolved options: a read-only mapping with attribute access."""

    __slots__ = ("_values",)

    def __init__(self, values: Mapping[str, Any]) -> None:
        object.__setattr__(self, "_values", dict(values))

    def __getitem__(self, name: str) -> Any:
        return self._values[name]

    def __getattr__(self, name: str) -> Any:
        try:
            return self._values[name]
        except KeyError:
            raise AttributeError(f"there is no option {name}") from None

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError("options never change")

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:
        return f"OptionValues({self._values!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        return OptionValues, (self._values,)

    def to_document(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return {name: list(value) if isinstance(value, tuple) else value for name, value in self._values.items()}


def resolve(declared: tuple[Option, ...], given: Mapping[str, Any]) -> dict[str, Any]:
    """Check the values given and fill in the defaults.

    Raises:
        OptionError: An unknown name (with the nearest known one) or an impossible value.
    """
    known = {option.name: option for option in declared}
    for name in given:
        if name not in known:
            near = difflib.get_close_matches(name, known, 1)
            tail = f"; did you mean {near[0]}?" if near else f"; it has {', '.join(known) or 'none'}"
            raise OptionError(f"the game has no option {name}{tail}")
    return {name: option.check(given[name]) if name in given else option.default for name, option in known.items()}
