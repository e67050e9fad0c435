"""The fixed words of the rules: jobs, directions, and the step of each direction."""

from __future__ import annotations

from typing import Literal, get_args

Job = Literal["Sharpshooter", "Bartender", "Brawler"]
Direction = Literal["North", "East", "South", "West"]
DirectionOrNone = Literal["", "North", "East", "South", "West"]

JOBS: tuple[Job, ...] = get_args(Job)
DIRECTIONS: tuple[Direction, ...] = get_args(Direction)

STEPS: dict[str, tuple[int, int]] = {"North": (0, -1), "South": (0, 1), "East": (1, 0), "West": (-1, 0)}
"""Maps a direction to its step in x and y. A Brawler punches the neighbours in this order."""


def direction_to(dx: int, dy: int) -> Direction | None:
    """Return the direction of a step to a neighbour, or None for any other step."""
    if dy == 0:
        return "East" if dx == 1 else "West" if dx == -1 else None
    if dx == 0:
        return "South" if dy == 1 else "North" if dy == -1 else None
    return None
