"""The effective rules of one game, in the form that the engine reads."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from arena_laser_flag.rulesets import Document


@dataclass(frozen=True, slots=True)
class UnitClass:
    """The numbers of one class of units. A shot hits if two dice reach `to_hit` plus the values that apply.

    Attributes:
        speed: The largest number of steps for one AP.
        to_hit: The sum that its own shots need against an open target on the same level.
        cover: Added for shots at this unit in cover.
        elevated_defense: Added for shots at this unit when this unit is raised.
        elevated_attack: Added for its own shots when this unit is raised.
        max_overwatch: The most reaction shots from unused AP, if the overwatch style is ``carried``.
        overwatch_penalty: Added for its own ``snap`` reaction shots.
        shots: The most shots in its own turn if it has moved; None for no limit.
        shots_unmoved: The most shots in its own turn if it has not moved; None for no limit.
        move_after_fire: Whether it can move after firing. Its shots then cost only one AP.
        free_climb: Whether it can continue a move after climbing onto cover.
    """

    speed: int
    to_hit: int
    cover: int
    elevated_defense: int
    elevated_attack: int
    max_overwatch: int
    overwatch_penalty: int
    shots: int | None
    shots_unmoved: int | None
    move_after_fire: bool
    free_climb: bool

    def allowance(self, moved: bool) -> int | None:
        """Return the most shots of a unit in its own turn, or None for no limit."""
        return self.shots if moved else self.shots_unmoved


@dataclass(frozen=True, slots=True)
class Rules:
    """The effective rules of a game, with the names of the specification."""

    max_ap: int
    base_access: str
    target_rule: str
    hit_points: int
    checkmate: bool
    base_shooting: bool
    base_points: int
    base_modifier: int
    diagonal_margin: int | None
    overwatch_style: str
    overwatch_triggers: tuple[str, ...]
    snap_penalty: int
    regular_penalty: int
    opening_overwatch: bool
    fog_of_war: bool
    turn_limit: int | None
    target_score: tuple[int | None, int | None]
    hard_turn_limit: int
    classes: dict[str, UnitClass]

    @classmethod
    def from_document(cls, document: Document) -> Rules:
        """Build the object from a document of the effective rules."""
        values: dict[str, Any] = dict(document)
        values["classes"] = {name: UnitClass(**numbers) for name, numbers in document["classes"].items()}
        values["target_score"] = tuple(document["target_score"])
        values["overwatch_triggers"] = tuple(document["overwatch_triggers"])
        return cls(**values)

    @property
    def last_turn(self) -> int:
        """The number of the last turn; both players' turns count."""
        limit = self.hard_turn_limit
        return 2 * (limit if self.turn_limit is None else min(limit, self.turn_limit))

    def usable(self, owner: int | None, player: int) -> bool:
        """Return whether a player's units can recharge at a base.

        Args:
            owner: The base's owner, or None for a shared base.
            player: The player.
        """
        return self.base_access == "any" or owner is None or owner == player

    def penalty(self, unit_class: UnitClass, mode: str | None) -> int:
        """Return the number that an overwatch mode adds to the number needed for a reaction shot."""
        if mode == "snap":
            return unit_class.overwatch_penalty + self.snap_penalty
        return self.regular_penalty
