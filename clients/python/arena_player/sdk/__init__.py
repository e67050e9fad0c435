"""Writes the typed module of a game: what a bot's author imports as `from saloon import AI`.

`generate` turns a schema into Python source that needs `arena_player` and nothing else. The
source is meant to be read: it is the reference of the game in a student's editor.
"""

from collections.abc import Mapping
from typing import Any

from arena_player.schema import parse_schema

from .extras import Extras
from .module import Module

__all__ = ["generate"]


def generate(schema: Mapping[str, Any], extras_source: str | None = None) -> str:
    """The typed module of a game.

    Args:
        schema: The game's schema document.
        extras_source: Python source with classes named `<ClassName>Extras`, which are mixed into
            the classes of that name (also `TileExtras`, `AIExtras`). They may use everything that
            the module has; below `if TYPE_CHECKING:` they may import what only checkers need.

    Raises:
        PlayerError: The schema or the extras cannot be made into a module.
    """
    return Module(parse_schema(schema), Extras(extras_source or "")).source()
