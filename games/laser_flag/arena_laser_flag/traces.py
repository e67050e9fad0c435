"""Read the recorded games of the specification."""

from __future__ import annotations

from typing import Any

from arena.game import State, TraceFormat
from arena_laser_flag.state import Game
from arena_laser_flag.visibility import known_units


class LaserFlagTraces(TraceFormat):
    """The trace format of Laser Flag. With fog, each line contains the units that each player sees."""

    def extras(self, state: State) -> dict[str, Any]:
        """Return the key ``visible`` if the game has fog: for each player, the ids of the units that they see."""
        assert isinstance(state, Game)
        if not state.rules.fog_of_war:
            return {}
        return {"visible": [[unit.id for unit in known_units(state, player)] for player in (0, 1)]}

    def comparable(self, key: str, value: Any) -> Any:
        """Sort the ids under ``visible``, since their order has no meaning. Return other values unchanged."""
        if key != "visible" or not isinstance(value, list) or not all(isinstance(ids, list) for ids in value):
            return value
        return [sorted(ids, key=str) for ids in value]
