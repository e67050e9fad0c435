"""Read the draws of the set-up in recorded games of Saloon."""

from __future__ import annotations

from typing import Any

from arena.game import Chance, Scripted, TraceFormat


class SaloonTrace(TraceFormat):
    """The trace format of Saloon, which names the draws of the set-up."""

    def setup_chance(self, first: dict[str, Any]) -> Chance | None:
        """Return a script of the named draws, in the order of the rules; None for a trace without set-up draws."""
        draws = first.get("setup_draws")
        if draws is None:
            return None
        values = [draws["furnishing_pairs"], draws["piano_chance"], draws["hazard_pairs"]]
        for across, down in draws["placements"]:
            values += (across, down)
        return Scripted(values)
