"""How the recorded games of the specification are read."""

from __future__ import annotations

from typing import Any

from arena.game import State, TraceFormat
from arena_laser_flag.hidden import known_units
from arena_laser_flag.state import Game


class LaserFlagTraces(TraceFormat):
    """Traces start from a given state; with fog, each line names the units that each player sees."""

    def extras(self, state: State) -> dict[str, Any]:
        """Return ``visible``, where there is fog."""
        assert isinstance(state, Game)
        if not state.rules.fog_of_war:
            return {}
        return {"visible": [[unit.id for unit in known_units(state, player)] for player in (0, 1)]}

    def comparable(self, key: str, value: Any) -> Any:
        """Return what each player sees in one order: it is a set."""
        if key != "visible" or not isinstance(value, list) or not all(isinstance(one, list) for one in value):
            return value
        return [sorted(ids, key=str) for ids in value]
