"""The fixed words of the rules: directions with their steps, and the causes of elimination."""

from __future__ import annotations

from typing import Literal

Direction = Literal["up", "down", "left", "right"]
Cause = Literal[
    "", "out-of-health", "wall-collision", "snake-self-collision", "snake-collision", "head-collision", "left"
]
Reason = Literal["", "last_snake", "all_eliminated"]

STEPS: dict[Direction, tuple[int, int]] = {"up": (0, -1), "down": (0, 1), "left": (-1, 0), "right": (1, 0)}
"""Maps a direction to its step in x and y."""
DIRECTIONS = {step: direction for direction, step in STEPS.items()}
"""Maps a step in x and y to its direction."""
