"""Find games and check their options, with errors that a user understands.

`arena.game` raises errors for authors of rules and for programs; here they become an `ArenaError` with an exit code,
and with a hint which command shows what there is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from arena.errors import ArenaError, ExitCode
from arena.game import GameError, GameSpec, OptionError, OptionValues, UnknownGame, load, names

__all__ = ["find_game", "installed_games", "options_for", "resolve_options"]


def find_game(name: str) -> GameSpec:
    """Return an installed game.

    Raises:
        ArenaError: There is no such game, or it cannot be loaded.
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


def title_of(name: str) -> str:
    """Return the title of a game for a page. A game that cannot be loaded has only its name."""
    try:
        return load(name).title
    except (GameError, UnknownGame):
        return name


def installed_games(warn: Callable[[ArenaError], None] | None = None) -> list[GameSpec]:
    """Return the installed games: those for beginners first, then by name.

    Args:
        warn: Called for each game that cannot be loaded. Such games are left out.
    """
    games = []
    for name in names():
        try:
            games.append(find_game(name))
        except ArenaError as error:
            if warn is not None:
                warn(error)
    return sorted(games, key=lambda game: not game.for_beginners)


def about(game: GameSpec) -> str:
    """Return the first sentence of a game's documentation, without the game's title; empty if there is none."""
    documentation = " ".join((game.state.__doc__ or "").split())
    sentence = documentation.partition(". ")[0].removesuffix(".")
    text = sentence.removeprefix(f"{game.title}:").strip()
    return text[:1].upper() + text[1:]


def resolve_options(game: GameSpec, given: Mapping[str, Any]) -> OptionValues:
    """Return the values of all options of a game, of which some are given.

    Raises:
        ArenaError: There is no such option, or a value is not allowed.
    """
    try:
        return game.resolve_options(given)
    except OptionError as error:
        hint = f"`arena games {game.name}` shows the options."
        raise ArenaError(str(error), hint=hint, exit_code=ExitCode.BAD_OPTION) from None


def options_for(game: GameSpec, given: Mapping[str, Any], players: int) -> OptionValues:
    """Check the options of a match, and return the values of all options.

    If the game allows several numbers of players, `players` is the default of the option ``players``.

    Raises:
        ArenaError: An option is wrong, or the game is not for so many players.
    """
    if players not in game.player_counts:
        raise ArenaError(f"{game.name} is for {game.describe_players()}, not {players}.")
    options = resolve_options(game, given if len(game.player_counts) == 1 else {"players": players, **given})
    if game.players_in(options) != players:
        raise ArenaError(f"The option players is {options.players}, but there are {players} bots.")
    return options


def refuse_cooperative(game: GameSpec, what: str) -> None:
    """Refuse what ranks the players of one match against each other, if they play together."""
    if game.state.cooperative:
        raise ArenaError(
            f"{what} ranks players who compete, and in {game.name} all play together.",
            hint="A contest ranks bots by the scores that they reach, and `arena compare` compares two of them.",
            exit_code=ExitCode.USAGE,
        )


def usual_table(game: GameSpec) -> int:
    """Return how many play at a table if nobody says so: as many as the game's default, or all that it is for.

    A default of two is that of a duel; whoever asks for tables of such a game wants more.
    """
    return game.players if game.players > 2 else game.player_counts[-1]
