"""Where units gain something: learned from playouts, so that a search sees further than its horizon.

Each kind of unit has a map of its own: on which places its actions have improved the position, and which places lead to
which. Value iteration spreads the gains over the places that lead to them. So a unit that needs ten moves to a goal
knows the first of them, though no playout of some turns reaches the goal by chance.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import sqrt
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from arena.game import State

    from .tree import Document

FADING = 0.9
"""The worth of a gain one turn later."""
AGAIN = 1 / (1 - FADING)
"""The worth of a gain in each turn from now on. What is gained for sure can be gained again and again."""
SWEEPS = 4
"""Rounds of value iteration before each choice."""
ALL = -1
"""In the place of a player: what all players have learned together."""
MEMORY = 30
"""A mean forgets: a new result weighs at least one part in so many."""

Place = Any
Kind = tuple[int, str]
"""A player and a class of units."""


class Mean:
    """A mean that forgets old results slowly."""

    __slots__ = ("count", "square", "value")

    def __init__(self) -> None:
        self.count = 0
        self.value = self.square = 0.0

    @property
    def sure(self) -> float:
        """What most results reach: the mean, less the standard deviation; at least 0."""
        spread = sqrt(max(0.0, self.square - self.value * self.value))
        return max(0.0, self.value - spread)

    def forget(self) -> None:
        """Halve the value, and let the next results count more."""
        self.value /= 2
        self.square /= 4
        self.count = min(self.count, 2)

    def learn(self, value: float) -> None:
        """Record a result."""
        self.count = min(self.count + 1, MEMORY)
        self.value += (value - self.value) / self.count
        self.square += (value * value - self.square) / self.count


class Goals:
    """What the units of a match can gain, by kind of unit and place."""

    def __init__(self) -> None:
        self._maps: dict[Kind, _Map] = {}
        self._units: dict[str, Kind] = {}
        self._types: dict[Kind, set[str]] = {}
        self._shared: set[str] = set()

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
        kind = type(unit).__name__
        self._types.setdefault((player, kind), set()).add(action)
        for key in ((player, kind), (ALL, kind)):
            found = self._maps.get(key)
            if found is None:
                found = self._maps[key] = _Map()
            if after is None or after == before:
                found.gains.setdefault(before, {}).setdefault(action, Mean()).learn(gain)
            else:
                found.ways.setdefault(before, {}).setdefault(after, Mean()).learn(gain)
        return gain + self.change(player, unit, before, after)

    def doubt(self, state: State, player: int, legal: Iterable[Document]) -> None:
        """Trust a gain less if a unit stands where it was, and cannot do now what has gained it.

        Args:
            state: The position at the beginning of the player's turn.
            player: The player.
            legal: The player's legal actions.
        """
        able: dict[str, set[str]] = {}
        for action in legal:
            unit = self.unit_of(state, player, action)
            if unit is not None:
                able.setdefault(unit.id, set()).add(action["type"])
        for id_, types in able.items():
            unit = state.entity(id_)
            for key in ((player, type(unit).__name__), (ALL, type(unit).__name__)):
                if key in self._maps:
                    for action_type, mean in self._maps[key].gains.get(place_of(unit), {}).items():
                        if action_type not in types:
                            mean.forget()

    def change(self, player: int, unit: Any, before: Place, after: Place) -> float:
        """Return how much more a unit can expect after it has changed its place."""
        if after is None or after == before:
            return 0.0
        values = self._map_of(player, type(unit).__name__).values
        return values.get(after, 0.0) - values.get(before, 0.0)

    def _map_of(self, player: int, kind: str) -> _Map:
        return self._maps.get((ALL if kind in self._shared else player, kind)) or _NOTHING

    def settle(self, sweeps: int = SWEEPS) -> None:
        """Spread the gains over the maps. Players whose units of a kind do the same things learn from each other."""
        by_kind: dict[str, list[set[str]]] = {}
        for (_, kind), types in self._types.items():
            by_kind.setdefault(kind, []).append(types)
        self._shared = {kind for kind, found in by_kind.items() if all(one == found[0] for one in found)}
        for (player, kind), one in self._maps.items():
            if (player == ALL) == (kind in self._shared):
                one.settle(sweeps)

    def expected(self, state: State, players: int) -> list[float]:
        """Return what each player's units expect from their places, compared with the mean of all players."""
        found = [0.0] * players
        for name, (player, kind) in self._units.items():
            unit = state.entity(name)
            # Another playout can give the same id to a unit of another player.
            if unit is None or type(unit).__name__ != kind or getattr(unit, "owner", player) != player:
                continue
            found[player] += self._map_of(player, kind).values.get(place_of(unit), 0.0)
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
        own = {place: max(0.0, *(_worth(one) for one in means.values())) for place, means in self.gains.items()}
        values.update(own)
        for _ in range(sweeps):
            for place, ways in self.ways.items():
                best = max(mean.value + FADING * values.get(after, 0.0) for after, mean in ways.items())
                values[place] = max(own.get(place, 0.0), best)


def _worth(gain: Mean) -> float:
    return gain.value + (AGAIN - 1) * gain.sure


_NOTHING: Final = _Map()


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
