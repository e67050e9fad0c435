"""The playground as pages of a season."""

from arena.game import GameSpec
from arena_playground.export import contents


def pages(game: GameSpec, season: str) -> dict[str, bytes]:
    """Return the files of the playground for a season's game, with a button that hands in.

    Raises:
        ArenaError: Pyodide is missing, or the game does not run in the browser.
    """
    return contents([game], season)
