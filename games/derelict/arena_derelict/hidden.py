"""Information that is hidden from the marines: the numbers in blips."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any

from arena.game import Integers
from arena.game.kinds import triples
from arena_derelict.rulesets import BLIP_DIE, blip_count


def redacted_mission(mission: dict[str, Any]) -> dict[str, Any]:
    """Return a copy of a mission without the numbers in blips and without the drawing `rendering`, which shows them."""
    aliens = [
        {**alien, "type": "blip"} if str(alien["type"]).startswith("blip") else alien
        for alien in mission.get("aliens", [])
    ]
    copy = {key: value for key, value in mission.items() if key != "rendering"}
    return copy | ({"aliens": aliens} if "aliens" in mission else {})


def options_for(options: Mapping[str, Any], player: int | None) -> dict[str, Any]:
    """Return the options of a game without the information that is hidden from a player.

    Args:
        options: The resolved options.
        player: 0 for the marines. The aliens and spectators (None) are allowed to know everything.
    """
    values = dict(options)
    if player == 0:
        values["mission"] = redacted_mission(values["mission"])
    return values


def fill_in_counts(view: list[Any], rng: Random) -> list[Any]:
    """Return a copy of a view. Draw each unknown number of aliens in a blip with the die ``blip_type``."""
    kinds = {id_: value for id_, name, value in triples(view) if name == "kind"}
    filled: list[Any] = []
    for id_, name, value in triples(view):
        unknown = name == "count" and value is None and kinds.get(id_) == "blip"
        filled += (id_, name, blip_count(Integers(1, BLIP_DIE).sample(rng)) if unknown else value)
    return filled
