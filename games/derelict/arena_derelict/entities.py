"""The objects of the game: units, doors, and the current decision."""

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
    """A marine, an alien or a blip. A blip is a contact with one to three aliens."""

    kind: Kind = field("The kind of unit. A revealed blip becomes an alien and keeps its id.")
    marine_type: str | None = field("The type of a marine, such as marine_sarge; null for aliens and blips.", None)
    count: int | None = field(
        "Number of aliens in a blip: 1, 2 or 3. Null for the marine player, and for other units.", None, secret=True
    )
    x: int = field("Column, from the left, from 0.")
    y: int = field("Row, from the top, from 0.")
    facing: Facing = field("The direction it faces: North is y-1, East x+1, South y+1, West x-1.")
    deactivated: bool = field("Whether its activation in this turn is over.", False)
    guard: bool = field("Marines: on guard; the player can roll the marine's assault dice again.", False)
    overwatch: bool = field(
        "Marines: on overwatch; the marine shoots at aliens that act in its sight and range.", False
    )
    jam: bool = field("Marines: the weapon is jammed.", False)
    overwatch_target: str | None = field(
        "Marines on overwatch: the id of the target of the last overwatch shot; null without such a shot.", None
    )

    @property
    def weapons(self) -> MarineType:
        """The properties of a marine's type. Aliens and blips have no type."""
        return MARINES[self.marine_type or ""]

    @property
    def player(self) -> int:
        """The owner: 0 for marines, 1 for aliens and blips."""
        return 0 if self.kind == "marine" else 1

    def ahead(self) -> tuple[int, int]:
        """Return the cell straight ahead."""
        dx, dy = VECTORS[FACING_INDEX[self.facing]]
        return self.x + dx, self.y + dy

    def rotate(self, steps: int) -> None:
        """Turn by quarter turns, clockwise if positive."""
        self.facing = FACINGS[(FACING_INDEX[self.facing] + steps) % 4]

    def drop_watch(self) -> None:
        """Remove the overwatch mark."""
        self.overwatch = False
        self.overwatch_target = None

    def drop_marks(self) -> None:
        """Remove the guard and overwatch marks."""
        self.guard = False
        self.drop_watch()


class Door(Entity):
    """A door. A closed door blocks steps and sight. A destroyed door disappears."""

    x: int = field("Column, from the left, from 0.")
    y: int = field("Row, from the top, from 0.")
    open: bool = field("Whether it is open.")


class Decision(Entity):
    """The current decision: the player who decides, and the question. Unused fields are null."""

    kind: DecisionKind = field("The kind of decision.", "turn")
    player: int = field("The player who decides: 0 marines, 1 aliens.", 0)
    unit: Unit | None = field("The unit that is deployed or turned, or whose weapon is jammed.", None)
    origin: Tile | None = field("The cell of the first alien of a revealed contact.", None)
    remaining: int | None = field("Number of blips or aliens that are still to be placed.", None)
    rolled: int | None = field("The result of the die for command points.", None)
    attacker: Unit | None = field("The attacker in an assault.", None)
    defender: Unit | None = field("The defender in an assault.", None)
    marine_dice: tuple[int, ...] | None = field("The marine's dice, highest first, with modifiers.", None)
    alien_dice: tuple[int, ...] | None = field("The alien's dice, highest first.", None)
