"""The largest numbers of fields, for those who train players. An entry point of `arena.features` names this module."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def bounds(options: Mapping[str, Any]) -> dict[str, float]:
    """Return the largest absolute value of fields, by class and field.

    Args:
        options: The resolved options.
    """
    pianos = 2 * (1 + len(options["piano_pair_chances"]))
    return {
        "Cowboy.health": options["cowboy_health"],
        "Furnishing.health": max(options["piano_health"], options["furnishing_health"]),
        "Game.current_turn": options["max_turns"],
        "Player.rowdiness": options["rowdiness_to_siesta"],
        "Player.score": pianos * options["piano_health"],
        "Player.siesta": options["siesta_length"],
    }
