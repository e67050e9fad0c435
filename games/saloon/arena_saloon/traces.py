"""Read the random numbers of the set-up from recorded games of Saloon."""

from __future__ import annotations

from typing import Any

from arena.game import Chance, Scripted, TraceFormat


class SaloonTrace(TraceFormat):
    """The trace format of Saloon. The first line of a trace can contain the random numbers of the set-up."""

    def setup_chance(self, first: dict[str, Any]) -> Chance | None:
        """Return the random numbers of the set-up in the order of the rules; None if the trace has none."""
        draws = first.get("setup_draws")
        if draws is None:
            return None
        values = [draws["furnishing_pairs"], draws["piano_chance"], draws["hazard_pairs"]]
        for across, down in draws["placements"]:
            values += (across, down)
        return Scripted(values)
