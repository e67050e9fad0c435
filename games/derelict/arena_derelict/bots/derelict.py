"""Derelict 1.0: the objects of the game, for bots.

Written by `arena sdk derelict`. Do not change this file: it is replaced when the game changes.

    from derelict import AI


    class MyBot(AI):
        def run_turn(self) -> None:
            ...
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, Literal

import arena_player
from arena_player import PlacedObject, Result, World, find_path, reachable

__all__ = [
    "AI",
    "GAME",
    "SCHEMA_HASH",
    "Decision",
    "DecisionKind",
    "Door",
    "Facing",
    "Game",
    "Kind",
    "LastAction",
    "Result",
    "Ruleset",
    "Side",
    "Tile",
    "Unit",
    "find_path",
    "reachable",
]

GAME = "derelict"
SCHEMA_HASH = "892ea23518885838"

Ruleset = Literal["core", "full"]
Side = Literal["marine", "alien"]
LastAction = Literal["move", "turn", "free_turn", "shoot"]
Kind = Literal["marine", "alien", "blip"]
Facing = Literal["North", "East", "South", "West"]
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


STEPS = {"North": (0, -1), "East": (1, 0), "South": (0, 1), "West": (-1, 0)}
"""Maps each facing to its step in x and y. The facings are in clockwise order."""


class Choice:
    """One entry of the list of legal choices.

    Attributes:
        type: The type of action: activate, move, turn_left, shoot, pass and so on.
        cost: The cost in action points.
        tile: The cell that the choice refers to, or None.
        step: For moves: the name of the step, such as forward_left, entry or deploy.
        to: For doors: "open" or "closed".
        unit: For activations: the unit.
        ap: For activations: the action points that the unit will have.
        target: For shots and assaults: the unit or door; None for the flamer, which is aimed at a section.
        document: The action as it is sent.
    """

    def __init__(self, game: Game, document: dict[str, Any]) -> None:
        objects = game.world.objects
        self._game = game
        self.type: str = document["type"]
        self.cost: int = document["cost"]
        self.tile: Tile | None = game.tile(document["x"], document["y"]) if "x" in document else None
        self.step: str = document.get("step", "")
        self.to: str = document.get("to", "")
        self.unit: Any = objects.get(document.get("unit", ""))
        self.ap: int = document.get("ap", 0)
        self.target: Any = objects.get(document.get("target", ""))
        self.document: dict[str, Any] = {key: document[key] for key in ("type", "x", "y") if key in document}

    def take(self) -> Result[Any]:
        """Make this choice."""
        return self._game.world.act(self.document)

    def __repr__(self) -> str:
        place = f" ({self.tile.x}, {self.tile.y})" if self.tile else ""
        return f"<Choice {self.type}{place}, {self.cost} AP>"


class TileExtras:
    """Extra methods of cells."""

    x: int
    y: int
    game: Game
    unit: Unit | None
    door: Door | None
    neighbors: list[Tile]
    things: list[Any]

    @property
    def is_corridor(self) -> bool:
        """Whether the cell is a corridor cell. All other cells are walls."""
        return self.game.cells[self.y * self.game.width + self.x] == "."

    @property
    def section(self) -> str:
        """The name of the cell's section; empty if the cell forms a section alone."""
        name = self.game.sections[self.y * self.game.width + self.x : self.y * self.game.width + self.x + 1]
        return "" if name == "." else name

    @property
    def burns(self) -> bool:
        """Whether the cell is on fire."""
        return any((tile.x, tile.y) == (self.x, self.y) for tile in self.game.flames)

    @property
    def is_obstructed(self) -> bool:
        """Whether the cell blocks a line of sight: it is a wall, or it has a unit, a closed door or fire."""
        closed = self.door is not None and not self.door.open
        return not self.is_corridor or self.unit is not None or closed or self.burns

    @property
    def around(self) -> list[Tile]:
        """The corridor cells among the eight neighbours."""
        cells = [self.game.tile(self.x + dx, self.y + dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1) if dx or dy]
        return [cell for cell in cells if cell is not None and cell.is_corridor]

    def is_passable(self) -> bool:
        """Return whether a unit could step here.

        True for a corridor cell without a unit, a closed door or fire.
        """
        return not self.is_obstructed

    def distance_to(self, other: Any) -> int:
        """Return the number of steps to another cell or object, ignoring obstacles. A diagonal step counts as one."""
        return int(max(abs(self.x - other.x), abs(self.y - other.y)))

    def direction_to(self, other: Any) -> str:
        """Return the facing towards another cell or object. For an exact diagonal, return East or West."""
        dx, dy = other.x - self.x, other.y - self.y
        if abs(dx) >= abs(dy):
            return "East" if dx > 0 else "West"
        return "South" if dy > 0 else "North"

    def sees(self, other: Tile) -> bool:
        """Return whether there is a line of sight between this cell and another cell, whatever the facing."""
        return self.game.line_of_sight(self, other)  # type: ignore[arg-type]


class UnitExtras:
    """Extra methods of units, and orders for your own units.

    An order that does something activates the unit first if it is not active.
    """

    id: str
    kind: str
    x: int
    y: int
    facing: str
    tile: Tile | None
    game: Game
    deactivated: bool
    marine_type: str | None

    @property
    def is_marine(self) -> bool:
        """Whether it is a marine."""
        return self.kind == "marine"

    @property
    def is_alien(self) -> bool:
        """Whether it is an alien. A blip is not an alien yet."""
        return self.kind == "alien"

    @property
    def is_blip(self) -> bool:
        """Whether it is a contact that is not revealed yet."""
        return self.kind == "blip"

    @property
    def is_mine(self) -> bool:
        """Whether it is your unit."""
        return self.is_marine == bool(self.game.world.player == 0)

    @property
    def is_active(self) -> bool:
        """Whether it is the active unit."""
        return self.game.active is not None and self.game.active.id == self.id

    @property
    def has_flamer(self) -> bool:
        """Whether it is a marine with a flamer."""
        return self.marine_type == "marine_flame"

    @property
    def can_shoot(self) -> bool:
        """Whether it is a marine with a bolter or a cannon, jammed or not."""
        return self.is_marine and self.marine_type not in ("marine_flame", "marine_hammer", "marine_claws")

    @property
    def ahead(self) -> Tile | None:
        """The cell straight ahead; None off the map."""
        dx, dy = STEPS[self.facing]
        return self.game.tile(self.x + dx, self.y + dy)

    @property
    def visible_tiles(self) -> list[Tile]:
        """The corridor cells that a marine with this facing would see from the unit's cell, that cell included."""
        return self.game.tiles_seen_from(self.tile, self.facing) if self.tile else []

    def distance_to(self, other: Any) -> int:
        """Return the number of steps to a cell or another object, ignoring obstacles. A diagonal step counts as one."""
        return int(max(abs(self.x - other.x), abs(self.y - other.y)))

    def sees(self, other: Any) -> bool:
        """Return whether it sees a cell or an object as a marine does: in its field of view, on a clear line."""
        tile = getattr(other, "tile", other)
        return self.tile is not None and in_field(self, tile) and self.game.line_of_sight(self.tile, tile)

    def activate(self) -> Result[None]:
        """Make it the active unit. The activation of the previous unit is over for this turn."""
        self.game.ordered = (self.game.world.legal_actions, self)
        return self.game.world.act({"type": "activate", "x": self.x, "y": self.y})

    def move(self, tile: Tile) -> Result[None]:
        """Move it one step, or from a lurk cell to the nearest free entry cell."""
        return self._order("move", tile)

    def turn_left(self) -> Result[None]:
        """Turn it by 90 degrees anticlockwise."""
        return self._order("turn_left")

    def turn_right(self) -> Result[None]:
        """Turn it by 90 degrees clockwise."""
        return self._order("turn_right")

    def turn_to(self, facing: str) -> Result[None]:
        """Turn it by 90 degrees towards a facing. The opposite facing needs two calls.

        If it has the facing already, send nothing and return an accepted result.
        """
        if facing == self.facing:
            return Result()
        order = list(STEPS)
        quarters = (order.index(facing) - order.index(self.facing)) % 4
        return self._order("turn_left" if quarters == 3 else "turn_right")

    def use_door(self, door: Door) -> Result[None]:
        """Open or close a door in one of the three cells in front of it."""
        return self._order("door", door)

    def shoot(self, target: Any) -> Result[None]:
        """Shoot at an alien or a closed door; with a flamer, at the cell that `choices` lists for a section."""
        return self._order("shoot", target)

    def assault(self, target: Any) -> Result[None]:
        """Attack the enemy or the door straight ahead of it."""
        return self._order("assault", target)

    def go_on_overwatch(self) -> Result[None]:
        """Put the marine on overwatch, which ends the activation."""
        return self._order("overwatch")

    def go_on_guard(self) -> Result[None]:
        """Put the marine on guard, which ends the activation."""
        return self._order("guard")

    def clear_jam(self) -> Result[None]:
        """Clear the jam of the marine's weapon."""
        return self._order("unjam")

    def use_command(self) -> Result[None]:
        """Spend a command point on an action point for the marine."""
        return self._order("command")

    def reveal(self) -> Result[None]:
        """Reveal the blip."""
        return self._order("reveal")

    def _order(self, kind: str, place: Any = None) -> Result[None]:
        # While actions wait in a batch, `game.active` is out of date. Then use the unit that was activated last.
        news, unit = self.game.ordered
        last = unit if news is self.game.world.legal_actions else self.game.active
        if self is not last:
            activated = self.activate()
            if not activated._pending and not activated:
                return activated
        document: dict[str, Any] = {"type": kind}
        if place is not None:
            document |= {"x": place.x, "y": place.y}
        return self.game.world.act(document)


def in_field(unit: Any, place: Any) -> bool:
    """Return whether a cell is in a unit's field of view: its own cell, and the quarter ahead with both diagonals."""
    fx, fy = STEPS[unit.facing]
    dx, dy = place.x - unit.x, place.y - unit.y
    forward, side = dx * fx + dy * fy, dx * fy - dy * fx
    return bool((dx == 0 and dy == 0) or (forward > 0 and -forward <= side <= forward))


def is_clear(game: Any, start: tuple[int, int], end: tuple[int, int], blocked: set[tuple[int, int]]) -> bool:
    """Return whether the line from start to end is clear. The line from end to start can cross other cells.

    Args:
        game: The game.
        start: The cell where the line begins.
        end: The cell where the line ends.
        blocked: The cells with units, closed doors and fire. Both ends of the line can be among them.
    """
    cells, width = game.cells, game.width
    (x, y), (x1, y1) = start, end
    dx, dy = abs(x1 - x), abs(y1 - y)
    sx, sy = (1 if x1 > x else -1), (1 if y1 > y else -1)
    error = dx - dy
    while True:
        px, py = x, y
        doubled = 2 * error
        if doubled > -dy:
            error -= dy
            x += sx
        if doubled < dx:
            error += dx
            y += sy
        if x != px and y != py:
            sides = ((x, py), (px, y))
            if all(cell in blocked or cells[cell[1] * width + cell[0]] != "." for cell in sides):
                return False
        if (x, y) == end:
            return True
        if (x, y) in blocked or cells[y * width + x] != ".":
            return False


class GameExtras:
    """Extra methods of the game."""

    units: list[Unit]
    doors: list[Door]
    flames: list[Tile]
    tiles: list[Tile]
    width: int
    cells: str
    world: World
    ordered: tuple[Any, Any] = (None, None)
    """The list of legal actions at the last activation, and the activated unit."""

    def tile(self, x: int, y: int) -> Tile | None:
        """Return the cell at (x, y), or None if it is off the map."""
        found: Tile | None = self.world.tiles.get((x, y))
        return found

    @property
    def choices(self) -> list[Choice]:
        """All your legal choices; empty when the decision is not yours."""
        return [Choice(self, document) for document in self.world.legal_actions]  # type: ignore[arg-type]

    def choices_of(self, *types: str) -> list[Choice]:
        """Return the choices of one or several types, such as "move"."""
        return [choice for choice in self.choices if choice.type in types]

    @property
    def marines(self) -> list[Unit]:
        """All marines."""
        return [unit for unit in self.units if unit.kind == "marine"]

    @property
    def aliens(self) -> list[Unit]:
        """All aliens, without blips."""
        return [unit for unit in self.units if unit.kind == "alien"]

    @property
    def blips(self) -> list[Unit]:
        """All blips."""
        return [unit for unit in self.units if unit.kind == "blip"]

    @property
    def corridors(self) -> list[Tile]:
        """All corridor cells."""
        return [tile for tile in self.tiles if tile.is_corridor]

    def obstructions(self) -> set[tuple[int, int]]:
        """Return the cells with units, closed doors and fire, which block lines of sight as walls do."""
        blocked = {(unit.x, unit.y) for unit in self.units} | {(tile.x, tile.y) for tile in self.flames}
        return blocked | {(door.x, door.y) for door in self.doors if not door.open}

    def line_of_sight(self, first: Tile, second: Tile, ignoring: Iterable[Unit] = ()) -> bool:
        """Return whether there is a line of sight between two cells.

        Args:
            first: One cell.
            second: The other cell.
            ignoring: Units that do not block the line. Fire in their cells still blocks it.
        """
        burning = {(tile.x, tile.y) for tile in self.flames}
        blocked = self.obstructions() - ({(unit.x, unit.y) for unit in ignoring} - burning)
        one, other = (first.x, first.y), (second.x, second.y)
        return one == other or (is_clear(self, one, other, blocked) and is_clear(self, other, one, blocked))

    def tiles_seen_from(self, place: Tile, facing: str) -> list[Tile]:
        """Return the corridor cells that a marine with this facing would see from a cell, that cell included."""
        blocked = self.obstructions()
        start = (place.x, place.y)
        fx, fy = STEPS[facing]
        seen = []
        for tile in self.corridors:
            dx, dy = tile.x - place.x, tile.y - place.y
            forward, side = dx * fx + dy * fy, dx * fy - dy * fx
            end = (tile.x, tile.y)
            in_view = forward > 0 and -forward <= side <= forward
            if end == start or (
                in_view and is_clear(self, start, end, blocked) and is_clear(self, end, start, blocked)
            ):
                seen.append(tile)
        return seen

    def distances(self, goals: Iterable[Any], doors_cost: int = 1) -> dict[Tile, int]:
        """Return the number of steps from each corridor cell to the nearest goal. Diagonal steps are allowed.

        Units do not block the way. Cells from which no goal can be reached are missing.

        Args:
            goals: Cells or objects; they can be in walls.
            doors_cost: The number of steps that are added for each closed door on the way.
        """
        steps: dict[Tile, int] = {}
        edge = {tile: 0 for goal in goals if (tile := self.tile(goal.x, goal.y)) is not None}
        closed = {self.tile(door.x, door.y) for door in self.doors if not door.open}
        taken = 0
        while edge:
            following: dict[Tile, int] = {}
            for tile, when in edge.items():
                if when > taken:
                    following.setdefault(tile, when)
                elif tile not in steps:
                    steps[tile] = taken
                    price = 1 + (doors_cost if tile in closed else 0)
                    for near in tile.around:
                        if near not in steps:
                            following[near] = min(taken + price, following.get(near, taken + price))
            edge = following
            taken += 1
        return steps

    def threat_map(self) -> dict[Tile, int]:
        """Return the corridor cells that aliens or blips can reach, with the steps from the nearest such unit."""
        return self.distances([*self.aliens, *self.blips])

    def watch_map(self) -> dict[Tile, int]:
        """Return how many marines on overwatch see each cell. Cells that no such marine sees are missing."""
        watched: dict[Tile, int] = {}
        for marine in self.marines:
            if marine.overwatch:
                for tile in marine.visible_tiles:
                    watched[tile] = watched.get(tile, 0) + 1
        return watched


class AIExtras:
    """Extra methods of bots."""

    game: Game
    wants_legal_actions: ClassVar[bool] = True

    @property
    def decision(self) -> str:
        """The kind of your current decision, such as turn or guard_reroll; empty if you have none."""
        decision = self.game.decision
        return decision.kind if decision is not None and decision.player == self.game.world.player else ""

    @property
    def plays_marines(self) -> bool:
        """Whether you play the marines."""
        return bool(self.game.world.player == 0)


class Tile(TileExtras, arena_player.Tile):
    """One square of the board. x grows to the right, y grows downwards, (0, 0) is top left."""

    game: Game
    """The game."""
    north: Tile | None
    """The tile above, or None at the edge."""
    south: Tile | None
    """The tile below, or None at the edge."""
    east: Tile | None
    """The tile to the right, or None at the edge."""
    west: Tile | None
    """The tile to the left, or None at the edge."""
    neighbors: list[Tile]
    """The tiles to the north, south, east and west that exist."""
    unit: Unit | None
    """The Unit on this tile, or None."""
    door: Door | None
    """The Door on this tile, or None."""


class Game(GameExtras, arena_player.RootObject):
    """Derelict: marines (player 0) against aliens (player 1) in the corridors of a wrecked ship."""

    ruleset: Ruleset
    """The ruleset in play."""
    turn: int
    """The turn number, from 1; a marine turn and the next alien turn share a number."""
    side: Side
    """The side whose turn it is."""
    active: Unit | None
    """The active unit; null if there is none."""
    ap: int
    """Action points left to the active unit."""
    last_action: LastAction | None
    """The active unit's last action, if that action affects the next one; else null."""
    last_shot_target: str | None
    """If the active marine's last action was a shot: the id of its target, destroyed or not. Else null."""
    command_points: int
    """Command points of the marines, 0 to 6."""
    flamer_fuel: int
    """Shots left to all flamers together."""
    decision: Decision | None
    """The current decision; null when the game is over."""
    units: list[Unit]
    """All units: marines by number, then the alien side by number."""
    doors: list[Door]
    """All doors that are not destroyed."""
    flames: list[Tile]
    """The cells that burn, row by row."""
    choices_made: int
    """Number of choices accepted in the current side's turn, for the choice limit."""
    next_alien: int
    """The number of the next unit of the alien side."""
    agenda: list[Any]
    """The unfinished steps of an interrupted action; the last entry is done first."""
    winner: int | None
    """The player who won; null for a draw, or while the game goes on."""
    ended: str | None
    """Why the game is over; null while it goes on."""
    width: int
    """Cells in a row of the map."""
    height: int
    """Rows of the map."""
    cells: str
    """The map, row after row: # is a wall, a dot a corridor cell."""
    sections: str
    """The section of each cell, row after row; a dot for no section. Empty if the mission has no sections."""
    objectives: list[Tile]
    """The cells that the marines must set on fire."""
    entry_cells: list[Tile]
    """The cells where lurking units enter."""
    lurk_cells: list[Tile]
    """The cells where reinforcements appear."""
    start_cells: list[Tile]
    """The cells where the marines are deployed."""
    tiles: list[Tile]
    """All tiles, row by row."""

    def tile(self, x: int, y: int) -> Tile | None:
        """Return the tile at (x, y), or None if it is off the board."""
        found: Tile | None = super().tile(x, y)
        return found

    def activate(self, cell: Tile) -> Result[None]:
        """Activate your unit in a cell. The activation of the previous unit is over for this turn.

        During deployment this picks the marine to be placed. In the ruleset full, you can activate a
        marine again if you have at least `reactivate_min` command points. That activation costs no
        command points. It gives no action points.

        Args:
            cell: The unit's cell.
        """
        return self.world.act({"type": "activate", "x": cell.x, "y": cell.y})

    def move(self, cell: Tile) -> Result[None]:
        """Move the active unit one step, or from a lurk cell to the nearest free entry cell.

        During deployment this places the picked marine on a start cell.

        Args:
            cell: The cell to move to.
        """
        return self.world.act({"type": "move", "x": cell.x, "y": cell.y})

    def turn_left(self) -> Result[None]:
        """Turn the active unit, or the alien being placed, by 90 degrees anticlockwise."""
        return self.world.act({"type": "turn_left"})

    def turn_right(self) -> Result[None]:
        """Turn the active unit, or the alien being placed, by 90 degrees clockwise."""
        return self.world.act({"type": "turn_right"})

    def door(self, cell: Tile) -> Result[None]:
        """Open or close a door in one of the three cells in front of the active unit.

        Args:
            cell: The door's cell.
        """
        return self.world.act({"type": "door", "x": cell.x, "y": cell.y})

    def shoot(self, cell: Tile) -> Result[None]:
        """Shoot with the active marine at an alien or a closed door; with the flamer at a section.

        Args:
            cell: The target's cell. For the flamer, the nearest visible cell of the section.
        """
        return self.world.act({"type": "shoot", "x": cell.x, "y": cell.y})

    def assault(self, cell: Tile) -> Result[None]:
        """Attack the enemy straight ahead of the active unit. If there is none, attack the door there.

        Args:
            cell: The cell straight ahead.
        """
        return self.world.act({"type": "assault", "x": cell.x, "y": cell.y})

    def overwatch(self) -> Result[None]:
        """Put the active marine on overwatch: it shoots at aliens that act in its sight and range.

        This ends the activation.
        """
        return self.world.act({"type": "overwatch"})

    def guard(self) -> Result[None]:
        """Put the active marine on guard: you can roll its dice in an assault again. This ends the activation."""
        return self.world.act({"type": "guard"})

    def unjam(self) -> Result[None]:
        """Clear the jam of the active marine's weapon, or the jam that has just happened on overwatch."""
        return self.world.act({"type": "unjam"})

    def decline(self) -> Result[None]:
        """Leave the weapon jammed."""
        return self.world.act({"type": "decline"})

    def command(self) -> Result[None]:
        """Spend a command point on an action point for the active marine."""
        return self.world.act({"type": "command"})

    def reveal(self) -> Result[None]:
        """Reveal the active blip: it becomes an alien, and the other aliens of the blip are placed around it."""
        return self.world.act({"type": "reveal"})

    def deploy(self, cell: Tile) -> Result[None]:
        """Place a reinforcement on a lurk cell, or another alien of a revealed contact beside the first alien.

        Args:
            cell: The cell for the new unit.
        """
        return self.world.act({"type": "deploy", "x": cell.x, "y": cell.y})

    def reroll(self) -> Result[None]:
        """Roll the dice of the decision again."""
        return self.world.act({"type": "reroll"})

    def accept(self) -> Result[None]:
        """Accept the current roll. In the decision face_attacker, keep the facing of the unit instead."""
        return self.world.act({"type": "accept"})

    def face(self) -> Result[None]:
        """Turn the unit that was assaulted towards its attacker."""
        return self.world.act({"type": "face"})

    def pass_(self) -> Result[None]:
        """End your turn. In the decision forced_orient, keep the facing of the alien instead."""
        return self.world.act({"type": "pass"})


class Unit(UnitExtras, PlacedObject):
    """A marine, an alien or a blip. A blip is a contact with one to three aliens."""

    game: Game
    """The game."""
    tile: Tile | None
    """The tile it stands on, or None when it is not on the board."""
    kind: Kind
    """The kind of unit. A revealed blip becomes an alien and keeps its id."""
    marine_type: str | None
    """The type of a marine, such as marine_sarge; null for aliens and blips."""
    count: int | None
    """Number of aliens in a blip: 1, 2 or 3. Null for the marine player, and for other units."""
    x: int
    """Column, from the left, from 0."""
    y: int
    """Row, from the top, from 0."""
    facing: Facing
    """The direction it faces: North is y-1, East x+1, South y+1, West x-1."""
    deactivated: bool
    """Whether its activation in this turn is over."""
    guard: bool
    """Marines: on guard; the player can roll the marine's assault dice again."""
    overwatch: bool
    """Marines: on overwatch; the marine shoots at aliens that act in its sight and range."""
    jam: bool
    """Marines: the weapon is jammed."""
    overwatch_target: str | None
    """Marines on overwatch: the id of the target of the last overwatch shot; null without such a shot."""


class Door(PlacedObject):
    """A door. A closed door blocks steps and sight. A destroyed door disappears."""

    game: Game
    """The game."""
    tile: Tile | None
    """The tile it stands on, or None when it is not on the board."""
    x: int
    """Column, from the left, from 0."""
    y: int
    """Row, from the top, from 0."""
    open: bool
    """Whether it is open."""


class Decision(arena_player.GameObject):
    """The current decision: the player who decides, and the question. Unused fields are null."""

    game: Game
    """The game."""
    kind: DecisionKind
    """The kind of decision."""
    player: int
    """The player who decides: 0 marines, 1 aliens."""
    unit: Unit | None
    """The unit that is deployed or turned, or whose weapon is jammed."""
    origin: Tile | None
    """The cell of the first alien of a revealed contact."""
    remaining: int | None
    """Number of blips or aliens that are still to be placed."""
    rolled: int | None
    """The result of the die for command points."""
    attacker: Unit | None
    """The attacker in an assault."""
    defender: Unit | None
    """The defender in an assault."""
    marine_dice: list[int] | None
    """The marine's dice, highest first, with modifiers."""
    alien_dice: list[int] | None
    """The alien's dice, highest first."""


class AI(AIExtras, arena_player.AI):
    """A bot for Derelict. Write a subclass with a method `run_turn`."""

    game: Game
    """The game, always current."""
    player: int
    """Your number, from 0."""
    me: int
    """Another name for `player`."""

    schema_hash: ClassVar[str | None] = SCHEMA_HASH
    game_classes: ClassVar[Mapping[str, type[arena_player.GameObject]]] = {
        "Game": Game,
        "Unit": Unit,
        "Door": Door,
        "Decision": Decision,
    }
    tile_class: ClassVar[type[arena_player.Tile]] = Tile
