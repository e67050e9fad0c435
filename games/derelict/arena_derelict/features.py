"""The largest numbers of fields, for those who train players. An entry point of `arena.features` names this module."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def bounds(options: Mapping[str, Any]) -> dict[str, float]:  # noqa: ARG001 - other games need them
    """Return the largest absolute value of fields, by class and field.

    Args:
        options: The resolved options, on which these do not depend.
    """
    return {"Decision.rolled": 6, "Game.command_points": 6, "Unit.count": 3}
