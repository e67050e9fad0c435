"""Random maps. The same arguments give the same map on every machine."""

from __future__ import annotations

from typing import NamedTuple

from arena.game import Option, OptionError
from arena.game.options import resolve
from arena_laser_flag.map_check import FORMAT, GREATEST_SIDE, LARGEST_TEAM, LEAST_SIDE, VERSION, flood
from arena_laser_flag.rulesets import RULESETS, Document, defaults

MODES = ("capture_the_flag", "assault", "elimination")
SYMMETRIES = ("rotate", "mirror")
Place = tuple[int, int]

_MULTIPLIER = 6364136223846793005
_INCREMENT = 1442695040888963407
_MASK = (1 << 64) - 1


class Source:
    """The pseudo-random integers of the specification.

    Args:
        seed: Any integer.
    """

    __slots__ = ("_state",)

    def __init__(self, seed: int) -> None:
        self._state = seed & _MASK

    def below(self, count: int) -> int:
        """Return an integer from 0 to count - 1."""
        self._state = (self._state * _MULTIPLIER + _INCREMENT) & _MASK
        return (self._state >> 33) % count


SETTINGS = (
    Option("seed", "int", 1, "The same seed makes the same map."),
    Option("width", "int", 15, "Columns.", LEAST_SIDE, GREATEST_SIDE),
    Option("height", "int", 15, "Rows.", LEAST_SIDE, GREATEST_SIDE),
    Option("mode", "choice", MODES[0], "The mode of the map.", choices=MODES),
    Option(
        "symmetry", "choice", SYMMETRIES[0], "Rotated by half a turn, or mirrored top to bottom.", choices=SYMMETRIES
    ),
    Option("units", "str", "grunt+sniper+scout+basic", "The classes of each team, joined with +."),
    Option("bases", "int", 1, "Number of bases of each team; in an assault, of the defenders only.", 1),
    Option("owned", "bool", False, "Bases belong to their team (capture the flag)."),
    Option("walls", "int", 14, "Rough share of the tiles that are walls, in percent.", 0, 100),
    Option("cover", "int", 12, "Rough share of the tiles that are cover, in percent.", 0, 100),
    Option("ruleset", "choice", RULESETS[0], "The map's ruleset.", choices=RULESETS),
)
"""The settings of the generator; `Plan` has the same names."""


class Plan(NamedTuple):
    """The settings of a generated map.

    Attributes:
        seed: The same seed with the same other settings gives the same map.
        width: 11 to 21 tiles.
        height: 11 to 21 tiles.
        mode: One of `MODES`.
        symmetry: ``rotate`` by half a turn, or ``mirror`` top to bottom.
        units: The classes of each team.
        bases: Number of bases of each team; in an assault, of the defenders only.
        owned: Whether each base belongs to a team (capture the flag).
        walls: Approximate percentage of wall tiles.
        cover: Approximate percentage of cover tiles.
        ruleset: The map's ruleset.
    """

    seed: int
    width: int = 15
    height: int = 15
    mode: str = "capture_the_flag"
    symmetry: str = "rotate"
    units: tuple[str, ...] = ("grunt", "sniper", "scout", "basic")
    bases: int = 1
    owned: bool = False
    walls: int = 14
    cover: int = 12
    ruleset: str = "alpha"

    def check(self) -> None:
        """Refuse settings from which no map can be made.

        Raises:
            OptionError: The message names the setting and what is allowed.
        """
        names = [setting.name for setting in SETTINGS if setting.name != "units"]
        resolve(SETTINGS, {name: getattr(self, name) for name in names})
        if self.bases > self.width:
            raise OptionError(f"The option bases must be a whole number from 1 to {self.width}, not {self.bases}.")
        known = defaults(self.ruleset)["classes"]
        for unit in self.units:
            if unit not in known:
                raise OptionError(
                    f"There is no class {unit} in {self.ruleset}; join several of {', '.join(known)} with +."
                )
        most = min(LARGEST_TEAM, 2 * self.width)
        if not 1 <= len(self.units) <= most:
            raise OptionError(f"A team must have from 1 to {most} units, not {len(self.units)}.")


def generate(plan: Plan) -> Document:
    """Make a map.

    Raises:
        OptionError: The plan has settings from which no map can be made.
    """
    plan.check()
    return _Generator(plan).document()


class _Generator:
    """A map that is being generated. The steps are numbered as in the specification."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.source = Source(plan.seed)
        self.tiles: dict[Place, str] = {}

    def document(self) -> Document:
        plan = self.plan
        self._lay_terrain()
        while not self._close_off():
            self._lay_terrain()
        document: Document = {
            "format": FORMAT,
            "version": VERSION,
            "name": f"Generated {plan.seed}",
            "ruleset": plan.ruleset,
            "mode": plan.mode,
            "tiles": self._rows(),
            "bases": self._bases() if plan.mode != "elimination" else [],
            "units": self._units(),
        }
        if plan.mode == "assault" and defaults(plan.ruleset)["base_access"] == "any":  # step 7 of the specification
            document["rules"] = {"base_access": "team"}
        return document

    def twin(self, x: int, y: int) -> Place:
        """Return the symmetric tile in the other team's half."""
        across = self.plan.width - 1 - x if self.plan.symmetry == "rotate" else x
        return across, self.plan.height - 1 - y

    def _lay_terrain(self) -> None:
        """Place floor, walls and cover: steps 1 to 3."""
        plan, below = self.plan, self.source.below
        width, height = plan.width, plan.height
        self.tiles = {(x, y): "." for y in range(height) for x in range(width)}
        for _ in range(width * height * plan.walls // 600):
            length = 2 + below(3)
            horizontal = below(2) == 1
            x = below(width)
            y = 3 + below(height - 6)
            for i in range(length):
                place = (x + i, y) if horizontal else (x, y + i)
                if place in self.tiles and 3 <= place[1] < height - 3:
                    self._set_both(place, "#")
        for _ in range(width * height * plan.cover // 200):
            place = (below(width), below(height))
            if self.tiles[place] == ".":
                self._set_both(place, "o")

    def _set_both(self, place: Place, kind: str) -> None:
        self.tiles[place] = self.tiles[self.twin(*place)] = kind

    def _close_off(self) -> bool:
        """Turn unreachable tiles into walls: step 4. If opposite corners are not connected, return False instead."""
        reached = flood({place for place, kind in self.tiles.items() if kind != "#"}, (0, 0))
        if (self.plan.width - 1, self.plan.height - 1) not in reached:
            return False
        for place in self.tiles.keys() - reached:
            self.tiles[place] = "#"
        return True

    def _rows(self) -> list[str]:
        width = self.plan.width
        return ["".join(self.tiles[x, y] for x in range(width)) for y in range(self.plan.height)]

    def _bases(self) -> list[Document]:
        """Place the bases: step 5."""
        plan = self.plan
        candidates = [(x, 1) for x in range(plan.width)]
        bases: list[Document] = []
        for _ in range(plan.bases):
            x, y = candidates.pop(self.source.below(len(candidates)))
            twin_x, twin_y = self.twin(x, y)
            if plan.mode == "assault":
                bases.append({"x": twin_x, "y": twin_y, "owner": 1})
            else:
                bases.append({"x": x, "y": y, "owner": 0 if plan.owned else None})
                bases.append({"x": twin_x, "y": twin_y, "owner": 1 if plan.owned else None})
        return sorted(bases, key=lambda base: (base["y"], base["x"]))

    def _units(self) -> list[Document]:
        """Place the units: step 6."""
        plan = self.plan
        spots = [(x, y) for y in (0, 2) for x in range(plan.width)]
        units: list[Document] = []
        for name in plan.units:
            x, y = spots.pop(self.source.below(len(spots)))
            twin_x, twin_y = self.twin(x, y)
            units.append({"player": 0, "class": name, "x": x, "y": y})
            units.append({"player": 1, "class": name, "x": twin_x, "y": twin_y})
        return sorted(units, key=lambda unit: (unit["y"], unit["x"]))
