"""What a game brings for bots: its built-in bots, and its typed module. It needs no processes."""

from __future__ import annotations

from pathlib import Path

from arena.errors import ArenaError, ExitCode
from arena.game import BuiltinBot, GameSpec

GROUP = "arena.bots"
"""The entry points of bots that play any game. Each names a `BuiltinBot`, and games have no bot of its name."""


def builtin_path(game: GameSpec, name: str) -> Path:
    """Return the file or folder of a built-in bot, as it came with the game."""
    own = [bot for bot in game.bots if bot.name == name]
    for bot in own or bots_for_all_games(name):
        return bot.path
    known = ", ".join(f"builtin:{bot.name}" for bot in (*game.bots, *bots_for_all_games())) or "none"
    raise ArenaError(
        f"The game {game.name} has no bot builtin:{name}. It has {known}.",
        hint="builtin:search plays every game. Install it: pip install arena-learn" if name == "search" else "",
        exit_code=ExitCode.BAD_BOT,
    )


def bots_for_all_games(name: str | None = None) -> list[BuiltinBot]:
    """Return the bots that play any game. They come with other distributions.

    Args:
        name: Only the bots of this name.
    """
    from importlib.metadata import entry_points  # the import is slow, and most bots come with their game

    found = entry_points(group=GROUP) if name is None else entry_points(group=GROUP, name=name)
    return [point.load() for point in sorted(found)]


def module_source(game: GameSpec) -> str:
    """Return the source of the typed module, which bots import (``from saloon import AI``)."""
    from arena_player import sdk  # the import is slow, and most commands write no module

    return sdk.generate(game.schema(), sdk.read_extras(game.kit))
