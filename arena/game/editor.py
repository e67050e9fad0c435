"""The interface between a game and the map editor: a palette as plain data, and functions on map documents.

A game puts a `MapEditor` into its `GameSpec`. The document of its ``describe()`` has these keys:

* ``noun``: the word for such a file: ``map``.
* ``title``: the path of the value to show as the title: ``["name"]``.
* ``size``: ``{"least": 11, "greatest": 21}`` for width and height.
* ``variant``, ``variant_default``: the path of the value that selects the ruleset, and the default ruleset. Items
  with ``only: [...]`` are offered for these rulesets.
* ``grid``: ``{"key": "tiles", "fill": ".", "tiles": [{"char", "title", "look"}, ...]}``: the list of rows in the
  file.
* ``overlay``: optional, a second list of rows, with letters: ``{"key", "title", "none", "letters", "on"}``; ``on`` is
  the tile that may have one.
* ``layers``: lists of things in cells, lowest first.
* ``fields``: groups ``{"title", "folded", "only", "fields"}`` of values that are not on the board.

A layer has a ``key`` (the list in the file), a ``title``, ``brushes`` and ``fields``. A brush is ``{"title",
"values", "look"}``: ``values`` are the keys of the entry that the brush sets. The user chooses the ``fields``
``{"name", "title", "choices": [{"value", "title"}], "default", "optional"}`` beside it. Entries are objects with
``x`` and ``y``, or ``[x, y]`` if the layer has ``"pair": true``. ``team`` and ``facing`` name the fields that a
symmetry swaps and turns; with ``symmetric: false`` no copies are drawn. Layers of one ``group`` never share a cell.

A field has a ``path`` into the file, a ``title``, a ``doc``, and a type: ``text``, ``long``, ``int`` (with ``least``,
``greatest``, ``nullable``), ``bool``, or ``choices``. ``defaults`` has the value for each ruleset if the field is
missing. A path that ends in a list gives the empty list as its ``container``: ``[null, null]``.

A look describes how something is drawn. Tiles: ``{"surface": "floor" | "wall" | "block" | "void"}``. Objects:
``{"shape": "disc" | "diamond" | "plate" | "bar" | "gap", "icon" or "letter", "color"}``; an icon is an SVG path in a
box of 24 x 24, drawn with a pen of 2.3; a colour is ``team0``, ``team1``, ``door``, ``goal``, or left out if the
layer has a ``team``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from arena.game.kinds import Document


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
        describe: Returns palette, layers and fields as plain JSON, as the docstring of this module explains.
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
