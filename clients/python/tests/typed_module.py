"""Import the typed module of an installed game, as a bot gets it."""

from __future__ import annotations

import sys
from typing import Any

from arena.bots.builtin import builtin_bot
from arena.game import GameSpec
from arena_player.runner import load_module


def typed_module(game: GameSpec) -> Any:
    """Return the module beside the copy of the game's first built-in bot."""
    before = list(sys.path)
    module = load_module(str(builtin_bot(game, game.bots[0].name).with_name(f"{game.name}.py")))
    sys.path[:] = before
    return module
