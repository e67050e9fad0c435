"""The interface between a game and the map editor: a palette as plain data, and functions on map documents."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from arena.game.data import Document


@dataclass(frozen=True, slots=True)
class Problem:
    """An error or a warning about a map.

    Attributes:
        code: The specification's code for the problem.
        message: What is wrong, for people.
        where: The place in the file, such as ``units[2]``; empty for the file as a whole.
        cell: The cell of the problem, or None.
        is_error: False for a warning. A map with only warnings can be played.
    """

    code: str
    message: str
    where: str = ""
    cell: tuple[int, int] | None = None
    is_error: bool = True

    def __str__(self) -> str:
        return (f"{self.where}: " if self.where else "") + f"{self.message} ({self.code})"

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
    """The functions that a game provides for ``arena map`` and for the map editor in the browser.

    Attributes:
        describe: Returns palette, layers and fields as plain JSON, as docs/editing-maps.md explains.
        check: Returns all problems of any document, errors before warnings.
        blank: Makes a small valid map from settings given as text; raises `OptionError`.
        draw: Draws a map as text; only called with maps whose tiles and entries are valid.
        legend: The characters that `draw` uses, with their meaning.
        facts: Describes a map in a few short sentences; only called with maps that have no errors.
        generate: Makes a random map from settings given as text, or raises `OptionError`. None if the game has no
            generator of maps.
        settings: The settings of `generate`: the name and the meaning of each.
    """

    describe: Callable[[], Document]
    check: Callable[[object], list[Problem]]
    blank: Callable[[Mapping[str, str]], Document]
    draw: Callable[[Document], str]
    legend: tuple[tuple[str, str], ...] = ()
    facts: Callable[[Document], list[str]] = lambda _document: []
    generate: Callable[[Mapping[str, str]], Document] | None = None
    settings: tuple[tuple[str, str], ...] = ()
