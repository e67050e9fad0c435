"""The game's own rules for a bot that wants to search, where the game's package is installed."""

from typing import TYPE_CHECKING, Any

from .errors import PlayerError

if TYPE_CHECKING:
    from random import Random

    from .world import World


def fork(world: "World", rng: "Random | None" = None) -> Any:
    """A rules state that agrees with what the player sees.

    Args:
        world: What he sees.
        rng: Where guesses at hidden information come from.

    Raises:
        PlayerError: The rules are not installed, or are of another version than the match's.
    """
    game = _rules(world.schema.game, world.schema.version)
    options = game.resolve_options(world.options)
    if game.state.hidden_information:
        from random import Random

        return game.state.determinize(world.view(), world.player, rng or Random(), options)
    return game.state_from_view(world.view(), options, world.player)


def _rules(name: str, version: str) -> Any:
    try:
        from arena.game import registry
    except ImportError:
        raise _missing(name) from None
    try:
        game = registry.load(name)
    except registry.UnknownGame:
        raise _missing(name) from None
    if game.version != version:
        raise PlayerError(
            f"self.game.fork() found {name} in version {game.version}, but the match is played by {version}.",
            hint=f"Install arena-{name.replace('_', '-')} in the version of the referee.",
        )
    return game


def _missing(name: str) -> PlayerError:
    return PlayerError(
        f"self.game.fork() needs the rules of {name}, which are not installed where the bot runs.",
        hint=f"Install the package of the game, arena-{name.replace('_', '-')}.",
    )
