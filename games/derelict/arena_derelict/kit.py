"""Extra methods for the objects of a Derelict bot.

`arena sdk derelict` copies these classes into the typed module of a bot.

A bot can play by choices (`for choice in self.game.choices: ... choice.take()`) or by objects (`marine.move(tile)`).
Both send the same actions. Everything here is computed from what the bot sees; only actions send messages.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, ClassVar

from arena_player import Result
from arena_player.grid import Located

if TYPE_CHECKING:
    from derelict import Door, Game, Tile, Unit

    from arena_player import World

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
        objects: Any = game.world.objects
        self._game = game
        self.type: str = document["type"]
        self.cost: int = document["cost"]
        self.tile: Tile | None = game.tile(document["x"], document["y"]) if "x" in document else None
        self.step: str = document.get("step", "")
        self.to: str = document.get("to", "")
        self.unit: Unit | None = objects.get(document.get("unit", ""))
        self.ap: int = document.get("ap", 0)
        self.target: Unit | Door | None = objects.get(document.get("target", ""))
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

    def distance_to(self, other: Located) -> int:
        """Return the number of steps to another cell or object, ignoring obstacles. A diagonal step counts as one."""
        place: Any = other
        return int(max(abs(self.x - place.x), abs(self.y - place.y)))

    def direction_to(self, other: Tile | Unit | Door) -> str:
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

    def distance_to(self, other: Located) -> int:
        """Return the number of steps to a cell or another object, ignoring obstacles. A diagonal step counts as one."""
        place: Any = other
        return int(max(abs(self.x - place.x), abs(self.y - place.y)))

    def sees(self, other: Tile | Unit | Door) -> bool:
        """Return whether it sees a cell or an object as a marine does: in its field of view, on a clear line."""
        tile: Any = getattr(other, "tile", other)
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

    def distances(self, goals: Iterable[Tile | Unit | Door], doors_cost: int = 1) -> dict[Tile, int]:
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
