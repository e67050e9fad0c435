"""Finding installed games through the entry point group ``arena.games``: ours exactly as a stranger's."""

from __future__ import annotations

import difflib

from arena.game.errors import GameError
from arena.game.spec import GameSpec

GROUP = "arena.games"


class UnknownGame(LookupError):  # noqa: N818 - reads as what it is
    """No installed game has this name; the sentence lists those there are."""


def names() -> list[str]:
    """List the names of all installed games, sorted."""
    from importlib.metadata import entry_points  # takes 15 ms, which a bot's start can do without

    return sorted({point.name for point in entry_points(group=GROUP)})


def load(name: str) -> GameSpec:
    """Return an installed game.

    Raises:
        UnknownGame: There is none of this name.
        GameError: The entry point does not lead to a `GameSpec`, or its module fails.
    """
    from importlib.metadata import entry_points

    found = list(entry_points(group=GROUP, name=name))
    if not found:
        known = names()
        near = difflib.get_close_matches(name, known, 1)
        tail = f"did you mean {near[0]}?" if near else f"installed are: {', '.join(known) or 'none'}"
        raise UnknownGame(f"there is no game {name}; {tail}")
    try:
        game = found[0].load()
    except Exception as error:  # whatever a stranger's module does at import
        raise GameError(f"the game {name} cannot be loaded: {type(error).__name__}: {error}") from error
    if not isinstance(game, GameSpec):
        raise GameError(f"the entry point {GROUP}:{name} leads to {game!r}, which is no GameSpec")
    return game
