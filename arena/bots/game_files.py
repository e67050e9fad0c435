"""What a game brings for bots: its built-in bots, and its typed module. It needs no processes."""

from __future__ import annotations

from pathlib import Path

from arena.errors import ArenaError, ExitCode
from arena.game import GameSpec


def builtin_path(game: GameSpec, name: str) -> Path:
    """Return the file or folder of a built-in bot, as it came with the game."""
    for bot in game.bots:
        if bot.name == name:
            return bot.path
    known = ", ".join(f"builtin:{bot.name}" for bot in game.bots) or "none"
    raise ArenaError(f"The game {game.name} has no bot builtin:{name}. It has {known}.", exit_code=ExitCode.BAD_BOT)


def module_source(game: GameSpec) -> str:
    """Return the source of the typed module, which bots import (``from saloon import AI``)."""
    from arena_player import sdk  # the import is slow, and most commands write no module

    extras = game.kit.read_text(encoding="utf-8") if game.kit is not None else None
    return sdk.generate(game.schema(), extras)
