"""The fields of the state, and the snapshot of the board."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Literal, NamedTuple

from arena.game import State, Tile, field, shared
from arena.game.entity import set_plainly
from arena_derelict.board import Board
from arena_derelict.entities import Decision, Door, Unit
from arena_derelict.pieces import Pieces
from arena_derelict.rulesets import LastAction


class Snapshot(NamedTuple):
    """The pieces of a position, and the end of the journal when they were made. A copy of the state makes its own."""

    last: Any
    length: int
    pieces: Pieces

    def __reduce__(self) -> tuple[Any, ...]:
        return type(None), ()


class Position(State):
    """The fields of the state. The rules act on a position, and `Game` adds what the framework calls."""

    classes = (Unit, Door, Decision)
    grid = ("width", "height")

    steps: ClassVar[Mapping[str, Callable[..., bool]]]
    """Maps the name of a step on the agenda to its function. `Game` has this table. See `flow`."""

    ruleset: Literal["core", "full"] = field("The ruleset in play.", "full")
    turn: int = field("The turn number, from 1; a marine turn and the next alien turn share a number.", 1)
    side: Literal["marine", "alien"] = field("The side whose turn it is.", "marine")
    active: Unit | None = field("The active unit; null if there is none.", None)
    ap: int = field("Action points left to the active unit.", 0)
    last_action: LastAction | None = field(
        "The active unit's last action, if that action affects the next one; else null.", None
    )
    last_shot_target: str | None = field(
        "If the active marine's last action was a shot: the id of its target, destroyed or not. Else null.", None
    )
    command_points: int = field("Command points of the marines, 0 to 6.", 0)
    flamer_fuel: int = field("Shots left to all flamers together.", 0)
    decision: Decision | None = field("The current decision; null when the game is over.", None)
    units: tuple[Unit, ...] = field("All units: marines by number, then the alien side by number.", ())
    doors: tuple[Door, ...] = field("All doors that are not destroyed.", ())
    flames: tuple[Tile, ...] = field("The cells that burn, row by row.", ())

    choices_made: int = field("Number of choices accepted in the current side's turn, for the choice limit.", 0)
    next_alien: int = field("The number of the next unit of the alien side.", 1)
    agenda: tuple[Any, ...] = field("The unfinished steps of an interrupted action; the last entry is done first.", ())
    winner: int | None = field("The player who won; null for a draw, or while the game goes on.", None)
    ended: str | None = field("Why the game is over; null while it goes on.", None)

    width: int = field("Cells in a row of the map.", 0)
    height: int = field("Rows of the map.", 0)
    cells: str = field("The map, row after row: # is a wall, a dot a corridor cell.", "")
    sections: str = field(
        "The section of each cell, row after row; a dot for no section. Empty if the mission has no sections.", ""
    )
    objectives: tuple[Tile, ...] = field("The cells that the marines must set on fire.", ())
    entry_cells: tuple[Tile, ...] = field("The cells where lurking units enter.", ())
    lurk_cells: tuple[Tile, ...] = field("The cells where reinforcements appear.", ())
    start_cells: tuple[Tile, ...] = field("The cells where the marines are deployed.", ())

    board: Board = shared("The static map.")
    snapshot: Snapshot | None = shared("The last snapshot of the board.")

    @property
    def pieces(self) -> Pieces:
        """The current snapshot of the board."""
        journal = self._journal
        if not journal:
            return Pieces(self.board, self.units, self.doors, self.flames)
        # The journal records all changes. If its length and last entry are the same as before, the snapshot is valid.
        last, length = journal[-1], len(journal)
        known = self.snapshot
        if known is not None and known.last is last and known.length == length:
            return known.pieces
        pieces = Pieces(self.board, self.units, self.doors, self.flames)
        set_plainly(self, "snapshot", Snapshot(last, length, pieces))
        return pieces
