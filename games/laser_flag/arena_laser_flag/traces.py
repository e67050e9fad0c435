"""Read the recorded games of the specification."""

from __future__ import annotations

from typing import Any

from arena.game import State, TraceFormat
from arena_laser_flag.state import Game
from arena_laser_flag.visibility import known_units


class LaserFlagTraces(TraceFormat):
    """The trace format: traces start from a given state. With fog, each line names the units that each player sees."""

    def extras(self, state: State) -> dict[str, Any]:
        """Return ``visible`` if the game has fog."""
        assert isinstance(state, Game)
        if not state.rules.fog_of_war:
            return {}
        return {"visible": [[unit.id for unit in known_units(state, player)] for player in (0, 1)]}

    def comparable(self, key: str, value: Any) -> Any:
        """Return a value for comparison: sort the units that each player sees, since their order has no meaning."""
        if key != "visible" or not isinstance(value, list) or not all(isinstance(one, list) for one in value):
            return value
        return [sorted(ids, key=str) for ids in value]
