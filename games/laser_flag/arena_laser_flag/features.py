"""The largest numbers of fields, for those who train players. An entry point of `arena.features` names this module."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def bounds(options: Mapping[str, Any]) -> dict[str, float]:
    """Return the largest absolute value of fields, by class and field.

    Args:
        options: The resolved options.
    """
    rules = options["rules"]
    return {"Unit.ap": rules["max_ap"], "Unit.overwatch": rules["max_ap"], "Unit.shots_fired": rules["max_ap"]}
