"""Where units gain something: learned from playouts, so that a search sees further than its horizon.

Each kind of unit has a map of its own: on which places its actions have improved the position, and which places lead to
which. Value iteration spreads the gains over the places that lead to them. So a unit that needs ten moves to a goal
knows the first of them, though no playout of some turns reaches the goal by chance.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from arena.game import State

    from .tree import Document

FADING = 0.8
"""The worth of a gain one move later."""
SWEEPS = 4
"""Rounds of value iteration before each choice."""
MEMORY = 30
"""A mean forgets: a new result weighs at least one part in so many."""

Place = Any
Kind = tuple[int, str]
"""A player and a class of units."""


class Mean:
    """A mean that forgets old results slowly."""

    __slots__ = ("count", "value")

    def __init__(self) -> None:
        self.count = 0
        self.value = 0.0

    def learn(self, value: float) -> None:
        """Record a result."""
        self.count = min(self.count + 1, MEMORY)
        self.value += (value - self.value) / self.count


class Goals:
    """What the units of a match can gain, by kind of unit and place."""

    def __init__(self) -> None:
        self._maps: dict[Kind, _Map] = {}
        self._units: dict[str, Kind] = {}

    def unit_of(self, state: State, player: int, action: Document) -> Any:
        """Return the unit that acts: the first object that the action names and that has a place; else None."""
        for name, value in action.items():
            if name != "type" and type(value) is str:
                entity = state.entity(value)
                if entity is not None and place_of(entity) is not None:
                    self._units[value] = player, type(entity).__name__
                    return entity
        return None

    def learn(self, player: int, unit: Any, action: str, before: Place, after: Place, gain: float) -> float:
        """Record an action of a unit.

        Args:
            player: The player.
            unit: The unit.
            action: The type of the action.
            before: The unit's place before the action.
            after: Its place after the action; None if the unit is gone.
            gain: The change of the position's worth for the player.

        Returns:
            The gain, with the change of what the unit can expect from its place.
        """
        key = player, type(unit).__name__
        found = self._maps.get(key)
        if found is None:
            found = self._maps[key] = _Map()
        if after is None or after == before:
            found.gains.setdefault(before, {}).setdefault(action, Mean()).learn(gain)
            return gain
        found.ways.setdefault(before, {}).setdefault(after, Mean()).learn(gain)
        return gain + found.values.get(after, 0.0) - found.values.get(before, 0.0)

    def settle(self, sweeps: int = SWEEPS) -> None:
        """Spread the gains over the maps."""
        for one in self._maps.values():
            one.settle(sweeps)

    def expected(self, state: State, players: int) -> list[float]:
        """Return what each player's units expect from their places, compared with the mean of all players."""
        found = [0.0] * players
        for name, (player, kind) in self._units.items():
            unit = state.entity(name)
            # Another playout can give the same id to a unit of another player.
            if unit is None or type(unit).__name__ != kind or getattr(unit, "owner", player) != player:
                continue
            known = self._maps.get((player, kind))
            if known is not None:
                found[player] += known.values.get(place_of(unit), 0.0)
        mean = sum(found) / players
        return [one - mean for one in found]


class _Map:
    """The places of one kind of unit.

    Attributes:
        ways: The mean gain of a move, by both places.
        gains: The mean gain of other actions, by place and type.
        values: What a unit can expect from a place.
    """

    def __init__(self) -> None:
        self.ways: dict[Place, dict[Place, Mean]] = {}
        self.gains: dict[Place, dict[str, Mean]] = {}
        self.values: dict[Place, float] = {}

    def settle(self, sweeps: int) -> None:
        values = self.values
        own = {place: max(0.0, *(mean.value for mean in means.values())) for place, means in self.gains.items()}
        values.update(own)
        for _ in range(sweeps):
            for place, ways in self.ways.items():
                best = max(mean.value + FADING * values.get(after, 0.0) for after, mean in ways.items())
                values[place] = max(own.get(place, 0.0), best)


def place_of(entity: Any) -> Place:
    """Return where an object stands: its coordinates, its tile, or its first tile; None if it has no place."""
    x = getattr(entity, "x", None)
    if x is not None:
        return x, getattr(entity, "y", None)
    for name in ("tile", "position", "place", "body", "tiles"):
        value = getattr(entity, name, None)
        if isinstance(value, Sequence) and value:
            return value[0] if isinstance(value[0], tuple) else value
    return None
