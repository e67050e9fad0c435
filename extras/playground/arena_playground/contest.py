"""The playground as pages of a contest."""

from arena.game import GameSpec
from arena_playground.export import contents


def pages(game: GameSpec, contest: str) -> dict[str, bytes]:
    """Return the files of the playground for the game of a contest, with a button that hands in.

    Raises:
        ArenaError: Pyodide is missing, or the game does not run in the browser.
    """
    return contents([game], contest)
