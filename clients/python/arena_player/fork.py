"""Search with the game's own rules, if the game's package is installed."""

from typing import TYPE_CHECKING, Any

from .errors import PlayerError

if TYPE_CHECKING:
    from random import Random

    from .world import World


def fork(world: "World", rng: "Random | None" = None) -> Any:
    """Return a rules state that agrees with what the player sees.

    Args:
        world: The match as the player sees it.
        rng: A random generator for guesses at hidden information.

    Raises:
        PlayerError: The rules are not installed, or have another version than the match.
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
            f"self.game.fork() found {name} in version {game.version}, but the match uses version {version}.",
            hint=f"Install the referee's version of arena-{name.replace('_', '-')}.",
        )
    return game


def _missing(name: str) -> PlayerError:
    return PlayerError(
        f"self.game.fork() needs the rules of {name}, which are not installed on this machine.",
        hint=f"Install the game's package, arena-{name.replace('_', '-')}.",
    )
