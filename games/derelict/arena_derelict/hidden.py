"""What the marines must not know: the numbers behind blips."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any

from arena.game import Integers
from arena_derelict.rulesets import BLIP_DIE, blip_count


def redacted_mission(mission: dict[str, Any]) -> dict[str, Any]:
    """Return the copy of a mission for the marines: every blip is just a blip, also in the drawing for people."""
    aliens = [
        {**alien, "type": "blip"} if str(alien["type"]).startswith("blip") else alien
        for alien in mission.get("aliens", [])
    ]
    copy = {key: value for key, value in mission.items() if key != "rendering"}
    return copy | ({"aliens": aliens} if "aliens" in mission else {})


def options_for(options: Mapping[str, Any], player: int | None) -> dict[str, Any]:
    """Return the options of a game as a player may know them.

    Args:
        options: The resolved options.
        player: 0 for the marines; anybody else, spectators included, may know everything.
    """
    values = dict(options)
    if player == 0:
        values["mission"] = redacted_mission(values["mission"])
    return values


def fill_in_counts(view: list[Any], rng: Random) -> list[Any]:
    """Return a view in which every blip with an unknown number has got one, drawn as reinforcements are."""
    kinds = {view[at]: view[at + 2] for at in range(0, len(view), 3) if view[at + 1] == "kind"}
    filled = list(view)
    for at in range(0, len(view), 3):
        if view[at + 1] == "count" and view[at + 2] is None and kinds.get(view[at]) == "blip":
            filled[at + 2] = blip_count(Integers(1, BLIP_DIE).sample(rng))
    return filled
