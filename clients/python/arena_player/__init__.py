"""Write a bot for an Arena game: one file, one class.

A bot is a subclass of `AI` with a method `run_turn`. Most bots import the `AI` of their
game's typed module instead. `arena sdk GAME` writes that module.
"""

from .ai import AI, Outcome
from .errors import PlayerError
from .grid import FAR_AWAY, Tile, find_path, reachable
from .objects import GameObject, PlacedObject, RootObject
from .result import Result
from .world import World

__all__ = [
    "AI",
    "FAR_AWAY",
    "GameObject",
    "Outcome",
    "PlacedObject",
    "PlayerError",
    "Result",
    "RootObject",
    "Tile",
    "World",
    "find_path",
    "reachable",
]
