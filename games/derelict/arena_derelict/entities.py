"""The objects of the game: units, doors, and the decision that is due."""

from __future__ import annotations

from typing import Literal

from arena.game import Entity, Tile, field
from arena_derelict.rulesets import FACING_INDEX, FACINGS, MARINES, VECTORS, Facing, Kind, MarineType

DecisionKind = Literal[
    "turn",
    "deploy_pick",
    "deploy_place",
    "command_reroll",
    "reinforce",
    "reveal",
    "forced_orient",
    "forced_place",
    "alien_die_reroll",
    "guard_reroll",
    "face_attacker",
    "unjam_now",
]


class Unit(Entity):
    """A marine, an alien, or a blip: a contact behind which one to three aliens hide."""

    kind: Kind = field("What it is. A blip that is revealed becomes an alien and keeps its id.")
    marine_type: str | None = field("The type of a marine, such as marine_sarge; null for aliens and blips.", None)
    count: int | None = field(
        "How many aliens are behind a blip: 1, 2 or 3; only the alien player sees it.", None, secret=True
    )
    x: int = field("Column, from the left, from 0.")
    y: int = field("Row, from the top, from 0.")
    facing: Facing = field("Where it looks: North is y-1, East x+1, South y+1, West x-1.")
    deactivated: bool = field("It has been active in this turn and was left.", False)
    guard: bool = field("Marines: he may roll his assault dice again.", False)
    overwatch: bool = field("Marines: he shoots at every alien that acts in his sight.", False)
    jam: bool = field("Marines: his weapon is jammed.", False)
    overwatch_target: str | None = field(
        "Marines: id of what his last overwatch shot was aimed at, while the overwatch mark lasts.", None
    )

    @property
    def weapons(self) -> MarineType:
        """What a marine's type can do."""
        return MARINES[self.marine_type or ""]

    @property
    def player(self) -> int:
        """Whose it is: 0 for marines, 1 for aliens and blips."""
        return 0 if self.kind == "marine" else 1

    def ahead(self) -> tuple[int, int]:
        """Return the cell straight ahead."""
        dx, dy = VECTORS[FACING_INDEX[self.facing]]
        return self.x + dx, self.y + dy

    def rotate(self, steps: int) -> None:
        """Turn by quarter turns, clockwise if positive."""
        self.facing = FACINGS[(FACING_INDEX[self.facing] + steps) % 4]

    def drop_watch(self) -> None:
        """Take the overwatch mark off."""
        self.overwatch = False
        self.overwatch_target = None

    def drop_marks(self) -> None:
        """Take the guard and overwatch marks off."""
        self.guard = False
        self.drop_watch()


class Door(Entity):
    """A door. Closed doors block steps and sight; a destroyed door disappears."""

    x: int = field("Column, from the left, from 0.")
    y: int = field("Row, from the top, from 0.")
    open: bool = field("Whether it stands open.")


class Decision(Entity):
    """The question that is due: whose choice it is and what it is about."""

    kind: DecisionKind = field("What is to be decided.", "turn")
    player: int = field("Who decides: 0 marines, 1 aliens.", 0)
    unit: Unit | None = field("The unit concerned: being deployed, oriented, or with the jammed weapon.", None)
    origin: Tile | None = field("Where the first alien of a revealed contact stands.", None)
    remaining: int | None = field("How many blips or aliens are still to be placed.", None)
    rolled: int | None = field("The die for command points.", None)
    attacker: Unit | None = field("The attacker in an assault.", None)
    defender: Unit | None = field("The defender in an assault.", None)
    marine_dice: tuple[int, ...] | None = field("The marine's dice, highest first, modifiers included.", None)
    alien_dice: tuple[int, ...] | None = field("The alien's dice, highest first.", None)
