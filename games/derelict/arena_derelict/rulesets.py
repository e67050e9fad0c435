"""The two rulesets, the types of marines and their weapons: tables only."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

Facing = Literal["North", "East", "South", "West"]
FACINGS: tuple[Facing, ...] = ("North", "East", "South", "West")
VECTORS: tuple[tuple[int, int], ...] = ((0, -1), (1, 0), (0, 1), (-1, 0))
"""The step in x and y for each of `FACINGS`, in the same order."""
FACING_INDEX: dict[str, int] = {facing: index for index, facing in enumerate(FACINGS)}

Kind = Literal["marine", "alien", "blip"]
LastAction = Literal["move", "turn", "free_turn", "shoot"]

SIDES = ("marine", "alien")
"""The sides by player number."""

ASSAULT_DICE = {"marine": 1, "alien": 3}
BLIP_DIE = 22


def blip_count(value: int) -> int:
    """Return the number of aliens for a result of the die ``blip_type``."""
    if value <= 9:
        return 1
    return 2 if value <= 13 else 3


@dataclass(frozen=True, slots=True)
class Weapon:
    """A weapon that shoots at one target.

    Attributes:
        name: The name for people.
        dice: The number of dice of a shot.
        first: The lowest value that hits with the first shot at a target.
        repeated: The lowest value that hits with the second and later shots in a row at the same target.
        jams: Whether two equal dice on overwatch jam it.
    """

    name: str
    dice: int
    first: int
    repeated: int
    jams: bool


@dataclass(frozen=True, slots=True)
class MarineType:
    """A type of marine. The values for assaults apply only while the marine faces the alien.

    Attributes:
        weapon: The weapon; None if the marine does not shoot or carries a flamer.
        has_flamer: Whether the marine carries a flamer.
        assault_dice: The number of the marine's dice in an assault.
        assault_bonus: Added to each of these dice.
        alien_dice: The number of an alien's dice in an assault with this marine.
        can_reroll_alien: Whether the marine player can roll the alien's best die again.
        leads: Whether the marine player can roll the command points again while the marine is on the board.
        cuts_doors: Whether an assault destroys a door without a roll.
    """

    weapon: Weapon | None
    has_flamer: bool = False
    assault_dice: int = 1
    assault_bonus: int = 0
    alien_dice: int = 3
    can_reroll_alien: bool = False
    leads: bool = False
    cuts_doors: bool = False


BOLTER = Weapon("bolter", 2, 6, 5, jams=True)
CANNON = Weapon("cannon", 3, 5, 4, jams=False)

MARINES: dict[str, MarineType] = {
    "marine": MarineType(BOLTER),
    "marine_axe": MarineType(BOLTER),
    "marine_chain": MarineType(BOLTER, cuts_doors=True),
    "marine_sarge": MarineType(BOLTER, assault_bonus=1, can_reroll_alien=True, leads=True),
    "marine_hammer": MarineType(None, assault_bonus=2, alien_dice=2, can_reroll_alien=True, leads=True),
    "marine_claws": MarineType(None, assault_dice=2, assault_bonus=1),
    "marine_flame": MarineType(None, has_flamer=True),
    "marine_cannon": MarineType(CANNON),
}
CORE_MARINES = frozenset({"marine"})
FLAMER_COST = 2
FLAME_KILLS = 2
"""The dice ``flame_hit`` and ``flame_move`` destroy a unit if they show at least this value."""
DOOR_BREAKS = 6

_COMMON: dict[str, Any] = {
    "combat": True,
    "ap_marine": 4,
    "ap_alien": 6,
    "ap_blip": 6,
    "alien_cap": 22,
    "reactivate_min": 1,
    "overwatch_range": 12,
    "flamer_range": 12,
    "turn_limit": 12,
    "limit_winner": "marine",
    "choice_limit": 600,
}
RULESETS: dict[str, dict[str, Any]] = {
    "full": _COMMON
    | {
        "alien_free_turn": "after_move_or_turn",
        "involuntary_reveal": True,
        "jam_cleared": True,
        "command_points": True,
        "deployment": True,
        "reinforcements_first": 4,
        "reinforcements_later": 2,
        "flamer_fuel": 6,
    },
    "core": _COMMON
    | {
        "alien_free_turn": "after_move",
        "involuntary_reveal": False,
        "jam_cleared": False,
        "command_points": False,
        "deployment": False,
        "reinforcements_first": 0,
        "reinforcements_later": 0,
        "flamer_fuel": 0,
    },
}
"""Maps each ruleset to the defaults of its options. The default ruleset is the first."""
