"""Write the typed module of a game, so that a bot's author can write `from saloon import AI`.

`generate` makes Python source from a schema. The source imports only `arena_player`, the standard
library, and what the extras of the game import. Students read it in their editor as the reference of
the game.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from arena_player.schema import parse_schema

from .extras import Extras
from .helpers import Helpers, find_helpers
from .module import Module

__all__ = ["generate", "helpers", "read_extras"]


def read_extras(path: Path | None) -> str:
    """Return the source of a game's extras; empty if it has none."""
    return path.read_text(encoding="utf-8-sig") if path is not None else ""


def generate(schema: Mapping[str, Any], extras_source: str = "") -> str:
    """Return the source of the typed module of a game.

    Args:
        schema: The game's schema document.
        extras_source: Python source with classes named `<ClassName>Extras` (also `TileExtras` and
            `AIExtras`). They become base classes of the classes `<ClassName>`, and can use all names of
            the module. Imports under `if TYPE_CHECKING:` are not copied into the module.

    Raises:
        PlayerError: The schema or the extras are invalid.
    """
    return Module(parse_schema(schema), Extras(extras_source)).source()


def helpers(schema: Mapping[str, Any], extras_source: str = "") -> Helpers:
    """Return the helpers of a game, which the kits for other languages offer too.

    Args:
        schema: The game's schema document.
        extras_source: As for `generate`.

    Raises:
        PlayerError: The schema or the extras are invalid.
    """
    parsed = parse_schema(schema)
    module = Module(parsed, Extras(extras_source))
    module.source()  # finds the aliases
    return find_helpers(parsed, extras_source, module.aliases)
