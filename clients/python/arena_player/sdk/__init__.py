"""Write the typed module of a game, so that a bot's author can write `from saloon import AI`.

`generate` makes Python source from a schema. The source imports only `arena_player`, the standard
library, and what the extras of the game import. Students read it in their editor as the reference of
the game.
"""

from collections.abc import Mapping
from typing import Any

from arena_player.schema import parse_schema

from .extras import Extras
from .module import Module

__all__ = ["generate"]


def generate(schema: Mapping[str, Any], extras_source: str | None = None) -> str:
    """Return the source of the typed module of a game.

    Args:
        schema: The game's schema document.
        extras_source: Python source with classes named `<ClassName>Extras` (also `TileExtras` and
            `AIExtras`). They become base classes of the classes `<ClassName>`, and can use all names of
            the module. Imports under `if TYPE_CHECKING:` are not copied into the module.

    Raises:
        PlayerError: The schema or the extras are invalid.
    """
    return Module(parse_schema(schema), Extras(extras_source or "")).source()
