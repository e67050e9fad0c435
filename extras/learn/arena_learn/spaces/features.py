"""What the author of a game knows and the schema does not say: bounds of numbers, and features that matter.

The entry point of the group ``arena.features`` with the game's name is a module. It has some of these:

* ``bounds(options)`` returns the largest absolute value of fields, by class and field: ``{"Cowboy.health": 10}``.
* ``NAMES`` are the names of features, and ``features(things, player)`` returns their values, from -1 to 1 and in this
  order. ``things`` is what the player sees: the class and the fields of each object, by its id, with values as they
  stand on the wire.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena_learn.spaces.tracker import Tracker

GROUP = "arena.features"


class FeaturesError(Exception):
    """A game has no features, or other ones than those that are wanted, or they are no numbers."""


def module_of(game: str) -> Any:
    """Return the module that the entry point of a game names; None if it has none."""
    from importlib.metadata import entry_points  # the import is slow, and few bots need it

    for point in entry_points(group=GROUP, name=game):
        return point.load()
    return None


def bounds_of(game: str, options: Mapping[str, Any]) -> dict[str, float]:
    """Return the bounds of a game's fields that its author has declared, by class and field."""
    found: dict[str, float] = getattr(module_of(game), "bounds", lambda _: {})(options)
    return found


def has_features(game: str) -> bool:
    """Return whether a game has features."""
    return hasattr(module_of(game), "NAMES")


def names_of(game: str) -> tuple[str, ...]:
    """Return the names of a game's features.

    Raises:
        FeaturesError: The game has none.
    """
    return _names(module_of(game), game)


def _names(module: Any, game: str) -> tuple[str, ...]:
    names = getattr(module, "NAMES", None)
    if names is None:
        raise FeaturesError(f"{game} has no features: no module of the entry points {GROUP} names any.")
    return tuple(names)


class Features:
    """Computes the features for one player.

    Args:
        tracker: What the player sees.
        names: The features that are wanted; any if None.

    Attributes:
        names: Their names.

    Raises:
        FeaturesError: The game has no features, or other ones.
    """

    def __init__(self, tracker: Tracker, names: tuple[str, ...] | None = None) -> None:
        game = tracker.layout.game
        module = module_of(game)
        self.names = _names(module, game)
        if names is not None and names != self.names:
            raise FeaturesError(f"The installed {game} has other features than those that are wanted. Train again.")
        self._compute = module.features
        self._tracker = tracker

    def draw(self) -> NDArray[np.float32]:
        """Return the features in a new array.

        Raises:
            FeaturesError: The game does not return a number for each name.
        """
        tracker = self._tracker
        things = {id_: (thing.kind.table.name, thing.values) for id_, thing in tracker.things.items()}
        try:
            found = np.array(self._compute(things, tracker.player), np.float32)
            if found.shape != (len(self.names),) or not np.isfinite(found).all():
                raise ValueError
        except (TypeError, ValueError):
            raise FeaturesError(f"The features of {tracker.layout.game} are no {len(self.names)} numbers.") from None
        return found.clip(-1, 1)
