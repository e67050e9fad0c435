"""Extra methods for the objects of a Laser Flag bot.

`arena sdk laser_flag` copies these classes into the typed module of a bot. Everything here is computed from what the
bot sees. With fog, the bot does not see all units.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from laser_flag import Base, Game, Tile, Unit

    from arena_player import World

WAYS = (36, 36, 36, 35, 33, 30, 26, 21, 15, 10, 6, 3, 1, 0)
"""The number of rolls of two dice, out of 36, that reach the sum 0, 1, ... 13."""
REACH = 21
SPAN = 64


class Shot:
    """A possible shot.

    Attributes:
        parts: The summands of `needed`, by name: to_hit, cover, elevated_attack and so on.
        needed: The sum that two dice must reach for a hit.
        chance: The probability of a hit, 0 to 1.
    """

    def __init__(self, parts: dict[str, int]) -> None:
        self.parts: dict[str, int] = parts
        self.needed: int = sum(parts.values())
        self.chance: float = WAYS[min(max(self.needed, 0), 13)] / 36

    def __repr__(self) -> str:
        return f"<Shot needs {self.needed}, {round(100 * self.chance)} %>"


class TileExtras:
    """Extra methods of tiles."""

    x: int
    y: int
    game: Game
    north: Tile | None
    south: Tile | None
    east: Tile | None
    west: Tile | None
    unit: Unit | None
    base: Base | None

    @property
    def kind(self) -> str:
        """The terrain: "." floor, "o" cover, "#" wall, "_" void."""
        return self.game.terrain[self.y][self.x]

    @property
    def is_walkable(self) -> bool:
        """Whether units can stand here: true for floor and cover."""
        return self.kind in ".o"

    @property
    def is_cover(self) -> bool:
        """Whether this is low cover. A unit on it is raised."""
        return self.kind == "o"

    def is_passable(self) -> bool:
        """Return whether a unit could step here: the tile is walkable, and you see nobody on it."""
        return self.unit is None and self.is_walkable

    @property
    def shelter(self) -> list[str]:
        """Return the directions from which a unit here would be in cover: some of North, East, South, West."""
        guards = "#" if self.is_cover else "#o"
        near = {"North": self.north, "East": self.east, "South": self.south, "West": self.west}
        return [name for name, tile in near.items() if tile is not None and tile.kind in guards]

    def shelters_from(self, other: Tile) -> bool:
        """Return whether a unit here would be in cover against a shooter on another tile."""
        lies = {
            "North": other.y < self.y,
            "East": other.x > self.x,
            "South": other.y > self.y,
            "West": other.x < self.x,
        }
        return any(lies[direction] for direction in self.shelter)

    @property
    def seen(self) -> list[Tile]:
        """Return all walkable tiles that a unit here would see, row by row. This tile is included."""
        tiles = self.game.world.tiles
        return [tiles[place] for place in sorted(_sight(self.game).seen(self.x, self.y), key=_by_row)]

    def sees(self, other: Tile) -> bool:
        """Return whether there is a line of sight between this tile and another one. Both must be walkable."""
        return (other.x, other.y) in _sight(self.game).seen(self.x, self.y)

    @property
    def watchers(self) -> dict[Unit, int]:
        """Map each enemy on overwatch that sees this tile to the number of its reaction shots."""
        seen = _sight(self.game).seen(self.x, self.y) if self.is_walkable else set()
        enemies = self.game.enemies
        return {enemy: enemy.overwatch for enemy in enemies if enemy.overwatch and (enemy.x, enemy.y) in seen}


class UnitExtras:
    """Extra methods of units."""

    id: str
    game: Game
    tile: Tile | None
    player: int
    unit_class: Any
    x: int
    y: int
    ap: int
    overwatch: int
    overwatch_mode: Any
    laser: Any
    shots_fired: int
    moved: bool
    elevated: bool
    cover: list[Any]

    @property
    def is_mine(self) -> bool:
        """Whether it is your unit."""
        return bool(self.player == self.game.world.player)

    @property
    def numbers(self) -> dict[str, Any]:
        """The numbers of its class under the rules of this game: speed, to_hit, shots and so on."""
        numbers: dict[str, Any] = self.game.rules["classes"][self.unit_class]
        return numbers

    @property
    def can_move(self) -> bool:
        """Whether its AP and its state allow it to move now."""
        return self.ap > 0 and (not self.shots_fired or self.numbers["move_after_fire"])

    @property
    def can_fire(self) -> bool:
        """Whether its AP and its state allow it to fire now."""
        allowed = self.numbers["shots" if self.moved else "shots_unmoved"]
        return self.ap > 0 and self.laser == "charged" and (allowed is None or self.shots_fired < allowed)

    @property
    def bases(self) -> list[Base]:
        """The bases where the unit can charge its laser, occupied bases included."""
        anyone = self.game.rules["base_access"] == "any"
        return [base for base in self.game.bases if anyone or base.owner is None or base.owner == self.player]

    @property
    def reachable(self) -> list[Tile]:
        """Return the tiles that it could reach with one AP, row by row, even if it has no AP left."""
        tiles = self.game.world.tiles
        return [tiles[place] for place in sorted(_range(self), key=_by_row)]

    @property
    def visible_enemies(self) -> list[Unit]:
        """Return the enemy units that this unit sees and that are targets under the rule `target_rule`."""
        seen = _sight(self.game).seen(self.x, self.y)
        return [
            unit
            for unit in self.game.units
            if unit.player != self.player and (unit.x, unit.y) in seen and unit.is_target
        ]

    @property
    def is_target(self) -> bool:
        """Whether the rule `target_rule` allows shots at it."""
        rule = self.game.rules["target_rule"]
        on_base = self.tile is not None and self.tile.base is not None
        return rule == "any" or self.laser != "deactivated" or (rule == "active_or_on_base" and on_base)

    def to_hit(self, target: Unit | Base, at: Tile | None = None, reaction: str | None = None) -> Shot:
        """Return what the dice must show for a shot of this unit, and the chance. Sight is not checked.

        Args:
            target: A unit or a base.
            at: The tile from which the unit shoots. The default is the unit's current tile.
            reaction: "snap" or "regular" for a reaction shot; None for a shot in the unit's own turn.
        """
        place: Any = at or self.game.tile(self.x, self.y)
        goal: Any = self.game.tile(target.x, target.y)
        parts = {"to_hit": self.numbers["to_hit"]}
        if place.is_cover:
            parts["elevated_attack"] = self.numbers["elevated_attack"]
        numbers = getattr(target, "numbers", None)
        if numbers is None:
            return Shot(parts | {"base_modifier": self.game.rules["base_modifier"]})
        if goal.shelters_from(place):
            parts["cover"] = numbers["cover"]
        if goal.is_cover:
            parts["elevated_defense"] = numbers["elevated_defense"]
        if reaction is not None:
            parts["penalty"] = self.game.rules[f"{reaction}_penalty"]
            parts["penalty"] += self.numbers["overwatch_penalty"] if reaction == "snap" else 0
        return Shot(parts)


class GameExtras:
    """Extra methods of the game."""

    units: list[Unit]
    bases: list[Base]
    terrain: list[str]

    world: World

    @property
    def rules(self) -> dict[str, Any]:
        """The rules of this game as data: max_ap, base_access, classes and so on."""
        rules: dict[str, Any] = self.world.options["rules"]
        return rules

    @property
    def enemies(self) -> list[Unit]:
        """The enemy units that you see."""
        return [unit for unit in self.units if unit.player != self.world.player]


# -- the computation ------------------------------------------------------------------------------------


def _by_row(place: tuple[int, int]) -> tuple[int, int]:
    return place[1], place[0]


def _sight(game: Any) -> Sight:
    """Return the sight tables of a game, made at the first call."""
    found = game.__dict__.get("_sight_tables")
    if found is None:
        found = game.__dict__["_sight_tables"] = _tables(tuple(game.terrain))
    tables: Sight = found
    return tables


@lru_cache(maxsize=4)
def _tables(terrain: tuple[str, ...]) -> Sight:
    """Return the sight tables of a map. The tables of the last four maps are kept, for all games in this process."""
    return Sight(terrain)


class Sight:
    """Exact lines of sight between points. The points are the corners and the centres of tiles.

    In doubled coordinates a tile's north-west corner is (2x, 2y), its centre (2x + 1, 2y + 1). A set of corners, or of
    centres, is an integer with a bit for each point, row by row.
    """

    def __init__(self, rows: tuple[str, ...]) -> None:
        self.rows = rows
        self.walls = [(x, y) for y, row in enumerate(rows) for x, kind in enumerate(row) if kind in "#_"]
        self.places = [(x, y) for y, row in enumerate(rows) for x, kind in enumerate(row) if kind in ".o"]
        self.shadows: dict[tuple[int, int, int], tuple[int, int]] = {}
        self.hidden: dict[tuple[int, int, int], tuple[int, int]] = {}
        self.known: dict[tuple[int, int], set[tuple[int, int]]] = {}

    def seen(self, x: int, y: int) -> set[tuple[int, int]]:
        """Return the walkable tiles that are visible from a walkable tile. The tile itself is included."""
        found = self.known.get((x, y))
        if found is None:
            corners = centres = -1
            for kind, right, down in ((1, 0, 0), (0, 0, 0), (0, 1, 0), (0, 0, 1), (0, 1, 1)):
                one, other = self._hidden(kind, x + right, y + down)
                corners &= one
                centres &= other
            points = ~centres | ~corners | ~corners >> 1 | ~corners >> SPAN | ~corners >> (SPAN + 1)
            points >>= REACH * SPAN + REACH
            found = self.known[x, y] = {(i, j) for i, j in self.places if points >> (j * SPAN + i) & 1} | {(x, y)}
        return found

    def _hidden(self, kind: int, x: int, y: int) -> tuple[int, int]:
        found = self.hidden.get((kind, x, y))
        if found is None:
            corners = centres = 0
            for i, j in self.walls:
                one, other = self._shadow(kind, i - x, j - y)
                corners |= one
                centres |= other
            found = self.hidden[kind, x, y] = (corners << (y * SPAN + x), centres << (y * SPAN + x))
        return found

    def _shadow(self, kind: int, across: int, down: int) -> tuple[int, int]:
        found = self.shadows.get((kind, across, down))
        if found is None:
            left, top = 2 * across - kind, 2 * down - kind
            found = (_points(left, top, -kind), _points(left, top, 1 - kind))
            self.shadows[kind, across, down] = found
        return found


def _points(left: int, top: int, shift: int) -> int:
    """Return the points (2i + shift, 2j + shift) that the wall at (left, top) hides from (0, 0), as bits."""
    bits = 0
    for row in range(-REACH, REACH + 1):
        interval = _interval(left, top, 2 * row + shift)
        if interval is not None:
            low, high = interval
            first = -REACH if low is None else max(-REACH, (low - shift + 1) // 2)
            last = REACH if high is None else min(REACH, (high - shift) // 2)
            if first <= last:
                bits |= ((1 << (last - first + 1)) - 1) << ((row + REACH) * SPAN + first + REACH)
    return bits


def _interval(left: int, top: int, y: int) -> tuple[int | None, int | None] | None:
    """Return the least and the greatest x for which the segment from (0, 0) to (x, y) touches the wall.

    None instead of a number means no bound. None instead of the pair means that there is no such x.
    """
    right, bottom = left + 2, top + 2
    if left <= 0 <= right and top <= 0 <= bottom:
        return None, None
    if y < 0:
        y, top, bottom = -y, -bottom, -top
    if y == 0:
        if not top <= 0 <= bottom:
            return None
        return (left, None) if left > 0 else (None, right)
    near, far = max(top, 0), min(bottom, y)
    if near > far or far == 0:
        return None
    low = -(-left * y // far) if left > 0 else (-(-left * y // near) if near else None)
    high = right * y // far if right < 0 else (right * y // near if near else None)
    return low, high


def _range(unit: Any) -> set[tuple[int, int]]:
    """Return the tiles that a unit reaches with one AP.

    The unit steps in all eight directions. A climb ends the move, unless the unit's class has `free_climb`.
    """
    rows = unit.game.terrain
    width, height = len(rows[0]), len(rows)
    speed, climbs = unit.numbers["speed"], unit.numbers["free_climb"]
    margin = unit.game.rules["diagonal_margin"]
    # A diagonal step must end within this squared distance from the tile where the unit's move begins; -1 allows no
    # diagonal steps.
    radius = width * width + height * height if margin is None else (speed - margin) ** 2 if speed >= margin else -1
    taken = {(other.x, other.y) for other in unit.game.units if other is not unit}

    def walkable(x: int, y: int) -> bool:
        return 0 <= x < width and 0 <= y < height and rows[y][x] in ".o"

    start = (unit.x, unit.y)
    walked, found, front = {start}, set(), [start]
    for _ in range(speed):
        ahead = []
        for x, y in front:
            for right, down in ((i, j) for i in (-1, 0, 1) for j in (-1, 0, 1) if i or j):
                place = (x + right, y + down)
                if place in walked or place in taken or not walkable(*place):
                    continue
                if right and down:
                    far = (place[0] - start[0]) ** 2 + (place[1] - start[1]) ** 2
                    if far > radius or not (walkable(x + right, y) and walkable(x, y + down)):
                        continue
                found.add(place)
                if climbs or rows[place[1]][place[0]] != "o" or rows[y][x] == "o":
                    walked.add(place)
                    ahead.append(place)
        front = ahead
    return found - {start}
