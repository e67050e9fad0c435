"""Find games, their built-in bots and options."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from arena.errors import ArenaError, ExitCode
from arena.game import GameError, GameSpec, OptionError, OptionValues, UnknownGame, load


def find_game(name: str) -> GameSpec:
    """Return an installed game.

    Raises:
        ArenaError: There is none of this name.
    """
    try:
        return load(name)
    except UnknownGame as error:
        hint = "`arena games` lists the games that are installed."
        raise ArenaError(str(error), hint=hint, exit_code=ExitCode.UNKNOWN_GAME) from None
    except GameError as error:
        raise ArenaError(
            str(error), hint="The author of the game has to fix that.", exit_code=ExitCode.UNKNOWN_GAME
        ) from None


def builtin_bot(game: GameSpec, name: str) -> Path:
    """Return the file of a built-in bot.

    Raises:
        ArenaError: The game has none of this name.
    """
    for bot in game.bots:
        if bot.name == name:
            return bot.path
    known = ", ".join(f"builtin:{bot.name}" for bot in game.bots) or "none"
    raise ArenaError(f"The game {game.name} has no bot builtin:{name}. It has {known}.", exit_code=ExitCode.BAD_BOT)


def resolve_options(game: GameSpec, given: Mapping[str, Any]) -> OptionValues:
    """Check game options.

    Raises:
        ArenaError: An unknown option, or a value that it cannot have.
    """
    try:
        return game.resolve_options(given)
    except OptionError as error:
        hint = f"`arena games {game.name}` shows the options."
        raise ArenaError(str(error), hint=hint, exit_code=ExitCode.BAD_OPTION) from None
