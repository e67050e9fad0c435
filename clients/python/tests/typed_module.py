"""Import the typed module of an installed game, as a bot gets it."""

from __future__ import annotations

from typing import Any

from arena.bots.builtin_copy import builtin_bot
from arena.game import GameSpec
from arena_player.modules import BotModules


def typed_module(game: GameSpec) -> Any:
    """Return the module beside the copy of the game's first built-in bot."""
    with BotModules(str(builtin_bot(game, game.bots[0].name).with_name(f"{game.name}.py"))) as modules:
        return modules.load()
