"""The objects of the game: units, bases, players."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from arena.game import Entity, Tile, action, field
from arena_laser_flag import moving, shooting

if TYPE_CHECKING:
    from arena_laser_flag.board import Board
    from arena_laser_flag.effective_rules import UnitClass
    from arena_laser_flag.state import Game

ClassName = Literal["basic", "grunt", "sniper", "scout"]
Laser = Literal["charged", "deactivated", "charging"]
OverwatchMode = Literal["snap", "regular"]
Direction = Literal["North", "East", "South", "West"]


class Unit(Entity):
    """A unit on the board, with a laser."""

    game: Game
    player: int = field("The owner, 0 or 1.")
    unit_class: ClassName = field("basic, grunt, sniper or scout; see the classes in the rules.")
    x: int = field("Column, from 0 at the left.")
    y: int = field("Row, from 0 at the top.")
    ap: int = field("Action points left in the owner's own turn; 0 in the opponent's turn.", 0)
    overwatch: int = field("Reaction shots left; 0 in the owner's own turn.", 0)
    overwatch_mode: OverwatchMode | None = field("How the reaction shots are aimed; null without reaction shots.", None)
    laser: Laser = field("State of the laser. Only a charged laser can shoot.", "charged")
    shots_fired: int = field(
        "Shots fired in the owner's current turn, without reaction shots; 0 in the opponent's turn.", 0
    )
    moved: bool = field("Whether it has spent AP on a move in the owner's current turn.", False)
    elevated: bool = field("Whether it stands on cover, where it hits and is hit more easily.", False)
    cover: tuple[Direction, ...] = field("The directions from which it is in cover.", ())

    @property
    def numbers(self) -> UnitClass:
        """The numbers of its class under the rules of the game."""
        return self.game.rules.classes[self.unit_class]

    @property
    def place(self) -> tuple[int, int]:
        """Its tile."""
        return self.x, self.y

    @action
    def move(self, tile: Tile) -> None:
        """Move to a tile within the range of one AP.

        A deactivated unit starts charging when it ends a move on a base that its team can use. After the move, enemies
        on overwatch that see the tile shoot. With fog, if a hidden unit blocks the move, the moving unit loses the
        AP and stays.

        Args:
            tile: The tile to go to. The tiles on the way have no effect.
        """
        moving.move(self.game, self, tile)

    @action
    def fire(self, target: Unit) -> None:
        """Shoot at an enemy in sight.

        Args:
            target: The enemy.
        """
        shooting.fire(self.game, self, target)

    @action
    def fire_at_base(self, tile: Tile) -> None:
        """Shoot at an enemy base in sight, if the rules have ``base_shooting``.

        Args:
            tile: The base's tile.
        """
        shooting.fire_at_base(self.game, self, tile)


class Base(Entity):
    """A base. A deactivated unit starts to charge its laser when it ends a move on a base that its team can use."""

    x: int = field("Column.")
    y: int = field("Row.")
    owner: int | None = field("The player who owns the base; null if it is shared.", None)


class Player(Entity):
    """One of the two players."""

    index: int = field("0 or 1.")
    score: int = field("Points so far.", 0)
    target_score: int | None = field("The score that wins the game; null for none.", None)
    units: tuple[Unit, ...] = field("This player's units on the board; with fog, those that you see.", ())


def settle(board: Board, x: int, y: int) -> dict[str, object]:
    """Return the position and the terrain-dependent fields of a unit on a tile."""
    return {"x": x, "y": y, "elevated": board.is_cover(x, y), "cover": board.shelter(x, y)}
