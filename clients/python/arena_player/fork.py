"""Search with the game's own rules, if the game's package is installed."""

from .errors import PlayerError
from .light import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping
    from random import Random

    from .schema import Schema


def fork(
    schema: "Schema", options: "Mapping[str, Any]", view: list[Any], player: int, rng: "Random | None" = None
) -> Any:
    """Return a state of the installed rules that agrees with what the player sees.

    Args:
        schema: The schema of the game.
        options: The options of the match, as sent to the player.
        view: The view, as flat triples.
        player: The player.
        rng: A random generator for guesses at hidden information and for dice; None for a new one.

    Raises:
        PlayerError: The rules are not installed, or their version differs from that of the match.
    """
    if rng is None:
        from random import Random

        rng = Random()
    return state_of_view(load_rules(schema.game, schema.version), options, view, player, rng)


def state_of_view(game: Any, options: "Mapping[str, Any]", view: list[Any], player: int, rng: "Random") -> Any:
    """Return a state of the game's rules that agrees with a player's view.

    Args:
        game: The game's rules.
        options: The options of the match, as sent to the player.
        view: The view, as flat triples.
        player: The player.
        rng: A random generator for guesses at hidden information and for dice.
    """
    resolved = game.resolve_options(options)
    if game.state.hidden_information:
        state = game.state.determinize(view, player, rng, resolved)
    else:
        state = game.state_from_view(view, resolved, player)
    state.use_chance(rng)
    return state


def load_rules(name: str, version: str) -> Any:
    """Return the installed rules of a game.

    Raises:
        PlayerError: The rules are not installed, or have another version.
    """
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
