"""Find games and check their options."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from arena.errors import ArenaError, ExitCode
from arena.game import GameError, GameSpec, OptionError, OptionValues, UnknownGame, load


def find_game(name: str) -> GameSpec:
    """Return an installed game.

    Raises:
        ArenaError: No game has this name.
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


def resolve_options(game: GameSpec, given: Mapping[str, Any]) -> OptionValues:
    """Check game options.

    Raises:
        ArenaError: An option is unknown or its value is impossible.
    """
    try:
        return game.resolve_options(given)
    except OptionError as error:
        hint = f"`arena games {game.name}` shows the options."
        raise ArenaError(str(error), hint=hint, exit_code=ExitCode.BAD_OPTION) from None
