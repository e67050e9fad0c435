"""What a game gives to the map editor: a palette as plain data, and functions on map documents."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from arena.game.values import Document


@dataclass(frozen=True, slots=True)
class Problem:
    """Something wrong with a map, or worth a warning.

    Attributes:
        code: The specification's word for it.
        message: What is wrong, for people.
        where: The place in the file, such as ``units[2]``; empty for the file as a whole.
        cell: The cell concerned, where there is one.
        is_error: False for a warning: the map can be played.
    """

    code: str
    message: str
    where: str = ""
    cell: tuple[int, int] | None = None
    is_error: bool = True

    def __str__(self) -> str:
        return f"{self.where}: {self.message} ({self.code})"

    def to_document(self) -> Document:
        """Return plain JSON values."""
        return {
            "code": self.code,
            "message": self.message,
            "where": self.where,
            "cell": None if self.cell is None else list(self.cell),
            "error": self.is_error,
        }


@dataclass(frozen=True, slots=True)
class MapEditor:
    """A game's side of ``arena map`` and of the editor in the browser.

    Attributes:
        describe: Returns palette, layers and fields as plain JSON; docs/editing-maps.md says what they mean.
        check: Returns all that is wrong with a document of any shape, errors before warnings.
        blank: Makes a small map without faults from settings given as text; raises `OptionError`.
        draw: Draws a map as text; only called with maps whose tiles and entries are readable.
        legend: The characters of these drawings and what they mean.
        facts: Says in a few short sentences what follows from a map without errors.
        generate: Makes a random map from settings given as text, or raises `OptionError`; None: it cannot.
        settings: What `generate` takes: name and meaning.
    """

    describe: Callable[[], Document]
    check: Callable[[object], list[Problem]]
    blank: Callable[[Mapping[str, str]], Document]
    draw: Callable[[Document], str]
    legend: tuple[tuple[str, str], ...] = ()
    facts: Callable[[Document], list[str]] = lambda _document: []
    generate: Callable[[Mapping[str, str]], Document] | None = None
    settings: tuple[tuple[str, str], ...] = ()
