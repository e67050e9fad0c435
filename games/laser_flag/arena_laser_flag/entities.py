"""What the game is made of: units, bases, players, and the fields of the state."""

from __future__ import annotations

from typing import Literal

from arena.game import Entity, State, field, shared
from arena_laser_flag.board import Board
from arena_laser_flag.effective_rules import Rules, UnitClass

ClassName = Literal["basic", "grunt", "sniper", "scout"]
Laser = Literal["charged", "deactivated", "charging"]
OverwatchMode = Literal["snap", "regular"]
Direction = Literal["North", "East", "South", "West"]
Mode = Literal["capture_the_flag", "assault", "elimination"]


class Unit(Entity):
    """A unit on the board, with a laser."""

    game: Position
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


class Position(State):
    """The fields of the state. The rules act on a position, and `Game` adds what the framework calls."""

    classes = (Player, Base, Unit)
    grid = ("width", "height")

    ruleset: str = field("alpha or classic.", "alpha")
    mode: Mode = field("Mode of the map, set by its bases.", "capture_the_flag")
    turn: int = field("The number of the turn, from 1; each player's turn counts.", 1)
    last_turn: int = field("The number of the last turn. After that turn the higher score wins.", 200)
    active_player: int = field("The player whose turn it is, 0 or 1.", 0)
    width: int = field("Columns of the map.", 0)
    height: int = field("Rows of the map.", 0)
    terrain: tuple[str, ...] = field("The tiles, top row first: . floor, o cover, # wall, _ void.", ())
    players: tuple[Player, ...] = field("Both players.", ())
    bases: tuple[Base, ...] = field("All bases.", ())
    units: tuple[Unit, ...] = field("All units on the board; with fog, those that you see.", ())
    eliminated: tuple[str, ...] = field("The ids of the removed units, in the order of removal.", ())
    winner: int | None = field("The player who has won; null while the game goes on, or for a draw.", None)
    reason: str | None = field("Why the game is over; null while it goes on.", None)

    rules: Rules = shared("The effective rules.")
    board: Board = shared("Terrain, bases and sight.")


def settle(board: Board, x: int, y: int) -> dict[str, object]:
    """Return the position and the terrain-dependent fields of a unit on a tile."""
    return {"x": x, "y": y, "elevated": board.is_cover(x, y), "cover": board.shelter(x, y)}
