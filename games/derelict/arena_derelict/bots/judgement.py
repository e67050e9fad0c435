"""Estimate the value of choices, for the better bots of Derelict.

`Judgement` evaluates the entries of a list of choices one by one. The position can be a bot's game object or,
in a search, a state of the rules.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property, lru_cache
from typing import Any

from arena_derelict.board import Board
from arena_derelict.pieces import Pieces
from arena_derelict.rulesets import FACING_INDEX, FACINGS, VECTORS

Document = dict[str, Any]
FAR = 999
RANGE = 12


class Distances:
    """The number of steps between cells if only walls block, computed once for each goal."""

    def __init__(self, board: Board) -> None:
        self.board = board
        self._fields: dict[tuple[int, int], list[int]] = {}

    def field(self, goal: tuple[int, int]) -> list[int]:
        """Return a list with the number of steps from each cell to a goal. The index is the cell number."""
        field = self._fields.get(goal)
        if field is None:
            field = self._fields[goal] = self._flood(goal)
        return field

    def between(self, first: tuple[int, int], second: tuple[int, int]) -> int:
        """Return the number of steps from one cell to another."""
        return self.field(second)[first[1] * self.board.width + first[0]]

    def _flood(self, goal: tuple[int, int]) -> list[int]:
        board = self.board
        steps = [FAR] * (board.width * board.height)
        steps[board.number(*goal)] = 0
        edge = [goal]
        for cell in edge:
            following = steps[board.number(*cell)] + 1
            for near in board.neighbours(*cell):
                number = board.number(*near)
                if steps[number] > following:
                    steps[number] = following
                    edge.append(near)
        for lurk in board.lurk_cells:
            entries = [steps[board.number(*entry)] for entry in board.entry_cells]
            if not board.is_corridor(*lurk):
                steps[board.number(*lurk)] = 1 + min(entries, default=FAR)
        return steps


@lru_cache(maxsize=4)
def distances_on(board: Board) -> Distances:
    """Return the distances on a map. All bots in this process share them."""
    return Distances(board)


def place(unit: Any) -> tuple[int, int]:
    """Return the cell of a unit."""
    return unit.x, unit.y


def ahead_of(unit: Any) -> tuple[int, int]:
    """Return the cell straight ahead of a unit."""
    dx, dy = VECTORS[FACING_INDEX[unit.facing]]
    return unit.x + dx, unit.y + dy


class Judgement:
    """Evaluates choices on one map.

    Args:
        options: The options of the game.
        board: The map of the game.
    """

    def __init__(self, options: Any, board: Board) -> None:
        self.options = options
        self.board = board
        self.distances = distances_on(board)

    def choose(self, game: Any, pieces: Pieces, listed: list[Document]) -> Document:
        """Return the choice with the highest value."""
        situation = Situation(self, game, pieces)
        return max(listed, key=situation.worth)


class Situation:
    """One position, and the values of the choices in it."""

    def __init__(self, judgement: Judgement, game: Any, pieces: Pieces) -> None:
        self.board = judgement.board
        self.options = judgement.options
        self.distances = judgement.distances
        self.game = game
        self.pieces = pieces
        self.decision = game.decision
        self.active = game.active
        self.width = self.board.width

    def worth(self, choice: Document) -> float:
        """Return the value of a choice. Compare it only with values of other choices in the same list of choices."""
        weigh = getattr(self, f"_{self.decision.kind}", None)
        if weigh is not None:
            return float(weigh(choice))
        if self.game.side == "marine":
            return self._marine_turn(choice)
        return self._alien_turn(choice)

    # -- places and masks --------------------------------------------------------------------------------------------

    @cached_property
    def contacts(self) -> list[Any]:
        """All aliens and blips."""
        return [unit for unit in self.game.units if unit.kind != "marine"]

    @cached_property
    def watched(self) -> int:
        """Mask of the cells that marines on overwatch see."""
        mask = 0
        for marine in self.pieces.marines:
            if marine.overwatch:
                mask |= self.pieces.visible_cells(marine)
        return mask

    @cached_property
    def seen(self) -> int:
        """Mask of the cells that any marine sees."""
        mask = 0
        for marine in self.pieces.marines:
            mask |= self.pieces.visible_cells(marine)
        return mask

    @cached_property
    def late(self) -> bool:
        """Whether half of the turns are over, and the aliens do not win at the turn limit."""
        limit = self.options["turn_limit"]
        return bool(limit and self.options["limit_winner"] != "alien" and self.game.turn >= limit // 2)

    def has(self, mask: int, cell: tuple[int, int]) -> bool:
        """Return whether a cell is in a mask."""
        return bool(mask >> (cell[1] * self.width + cell[0]) & 1)

    def nearest(self, cell: tuple[int, int], others: Iterable[Any]) -> int:
        """Return the number of steps from a cell to the nearest of several units."""
        number = cell[1] * self.width + cell[0]
        return min((self.distances.field(place(other))[number] for other in others), default=FAR)

    def towards(self, unit: Any, goals: Iterable[Any]) -> int:
        """Return the number of clockwise quarter turns after which a unit faces the nearest goal."""
        goal = min(goals, key=lambda one: (self.distances.between(place(unit), place(one)), one.id), default=None)
        if goal is None:
            return 0
        dx, dy = goal.x - unit.x, goal.y - unit.y
        wanted = (1 if dx > 0 else 3) if abs(dx) >= abs(dy) else (2 if dy > 0 else 0)
        return (wanted - FACING_INDEX[unit.facing]) % 4

    # -- the small decisions -----------------------------------------------------------------------------------------

    def _deploy_pick(self, choice: Document) -> float:
        kinds = {unit.id: unit.marine_type for unit in self.game.units}
        order = ("marine_hammer", "marine_sarge", "marine_flame", "marine_cannon", "marine_chain")
        kind = kinds[choice["unit"]]
        return -float(order.index(kind) if kind in order else 5)

    def _deploy_place(self, choice: Document) -> float:
        goals = self.board.objectives or [place(unit) for unit in self.contacts] or self.board.entry_cells
        return -float(min(self.distances.between((choice["x"], choice["y"]), goal) for goal in goals))

    def _command_reroll(self, choice: Document) -> float:
        return float((choice["type"] == "reroll") == (self.decision.rolled <= 3))

    def _alien_die_reroll(self, choice: Document) -> float:
        best, second = self.decision.alien_dice[0], self.decision.alien_dice[1]
        mine = self.decision.marine_dice[0]
        return float((choice["type"] == "reroll") == (mine < best or second < mine))

    def _guard_reroll(self, choice: Document) -> float:
        best, mine = self.decision.alien_dice[0], self.decision.marine_dice[0]
        return float((choice["type"] == "reroll") == (mine < best or best <= 3))

    def _face_attacker(self, choice: Document) -> float:
        return float(choice["type"] == "face")

    def _unjam_now(self, choice: Document) -> float:
        return float(choice["type"] == "unjam")

    def _reinforce(self, choice: Document) -> float:
        return -float(self.nearest((choice["x"], choice["y"]), self.pieces.marines))

    def _forced_place(self, choice: Document) -> float:
        return float(self.nearest((choice["x"], choice["y"]), self.pieces.marines))

    def _forced_orient(self, choice: Document) -> float:
        quarters = self.towards(self.decision.unit, self.pieces.marines)
        wanted = {0: "pass", 1: "turn_right", 2: "turn_right", 3: "turn_left"}[quarters]
        return 1.0 if choice["type"] == wanted else 0.5 if choice["type"] == "pass" else 0.0

    def _reveal(self, choice: Document) -> float:
        if choice["type"] == "deploy":
            return 500.0 - self.nearest((choice["x"], choice["y"]), self.pieces.marines)
        if choice["type"] == "activate":
            return 400.0 - self.nearest((choice["x"], choice["y"]), self.pieces.marines)
        return 1.0 if choice["type"] == "pass" else 0.0

    # -- marines -----------------------------------------------------------------------------------------------------

    def _marine_turn(self, choice: Document) -> float:
        kind = choice["type"]
        if kind == "pass":
            return 0.0
        if kind == "activate":
            return self._marine_activation(choice)
        marine = self.active
        ap = self.game.ap
        danger = self.nearest(place(marine), self.contacts)
        if kind == "shoot":
            return self._shot(marine, choice)
        if kind == "assault":
            return self._marine_assault(marine, choice)
        if kind in ("overwatch", "guard"):
            return self._mark(marine, kind, ap, danger)
        if kind == "unjam":
            return 95.0
        if kind == "command":
            if marine.marine_type == "marine_flame":
                return 12.0 if self.game.command_points > 1 else -1.0
            return 85.0 if ap == 0 and self.targets and self.game.last_action == "shoot" else -1.0
        if kind in ("turn_left", "turn_right"):
            return self._marine_rotation(marine, 1 if kind == "turn_right" else -1, ap)
        if kind == "door":
            return self._marine_door(choice, danger)
        return self._marine_step(marine, choice, ap, danger)

    def _marine_activation(self, choice: Document) -> float:
        if choice["ap"] == 0:
            return -1.0
        cell = (choice["x"], choice["y"])
        unit = self.pieces.unit_at(*cell)
        if unit is None:
            return -1.0
        sees = any(self.pieces.is_seen(unit, other.x, other.y) for other in self.contacts if other.kind == "alien")
        first = 5.0 if sees else 0.0
        goal = self._goal_distance(cell)
        # Good choices of the active unit have higher values: the active unit acts first.
        return 10.0 + first + (1.0 - goal / FAR)

    @cached_property
    def targets(self) -> list[Any]:
        """The aliens that the active marine sees."""
        aliens = [unit for unit in self.contacts if unit.kind == "alien"]
        return [unit for unit in aliens if self.pieces.is_seen(self.active, unit.x, unit.y)]

    def _shot(self, marine: Any, choice: Document) -> float:
        if choice["target"] == "section":
            return self._flames(choice)
        if choice["target"].startswith("d"):
            return -1.0
        close = min(self.distances.between(place(marine), (choice["x"], choice["y"])), 20)
        again = 5.0 if self.game.last_action == "shoot" and self.game.last_shot_target == choice["target"] else 0.0
        free = 30.0 if choice["cost"] == 0 else 0.0
        # Keep two action points for overwatch, unless the alien is so near that overwatch would come too late.
        spare = self.game.ap - choice["cost"] >= 2 or close <= 2 or marine.overwatch
        return (70.0 if spare or free else 20.0) + again + free - close

    def _flames(self, choice: Document) -> float:
        section = self.board.section[self.board.number(choice["x"], choice["y"])]
        burning = set(self.board.sections[section])
        if any(self.board.number(*goal) in burning for goal in self.board.objectives):
            return 1000.0
        if any(self.board.number(*place(marine)) in burning for marine in self.pieces.marines):
            return -100.0
        victims = sum(self.board.number(*place(unit)) in burning for unit in self.contacts)
        spare = self.game.flamer_fuel > 2
        return 60.0 + 10 * victims if victims and spare else -5.0

    def _marine_assault(self, marine: Any, choice: Document) -> float:
        if choice["target"].startswith("d"):
            return -1.0
        strong = marine.marine_type in ("marine_hammer", "marine_claws", "marine_sarge")
        alien = self.pieces.unit_at(choice["x"], choice["y"])
        safe = alien is not None and ahead_of(alien) != place(marine)
        return 75.0 if strong or safe else 15.0

    def _mark(self, marine: Any, kind: str, ap: int, danger: int) -> float:
        if marine.overwatch or marine.guard:
            return -1.0
        wanted = "guard" if marine.marine_type in ("marine_hammer", "marine_claws", "marine_flame") else "overwatch"
        if kind != wanted and not (kind == "guard" and marine.jam):
            return 1.0 if danger <= 8 else -2.0
        if not self.board.objectives:
            return 40.0
        if marine.marine_type == "marine_flame":
            return 2.0
        return 48.0 if danger <= 7 and ap <= 3 else 40.0 if danger <= 9 and ap <= 2 else 1.0

    @cached_property
    def lanes(self) -> list[float]:
        """For each facing, a score: higher if the active marine would see more of the near enemies' paths."""
        marine = self.active
        cell = self.board.number(*place(marine))
        field = self.distances.field(place(marine))
        found = []
        for facing in FACINGS:
            mask = self.board.seen(cell, facing, self.pieces.obstructed_without(marine))
            numbers = self._numbers(mask)
            total = 0.0
            for unit in self.contacts:
                origin = self.distances.field(place(unit))
                length = field[self.board.number(*place(unit))]
                if length >= FAR:
                    continue
                on_way = sum(field[seen] + origin[seen] <= length and 0 < field[seen] <= RANGE for seen in numbers)
                total += min(on_way, 6) / (4.0 + length)
            found.append(total)
        return found

    def _numbers(self, mask: int) -> list[int]:
        numbers = []
        while mask:
            lowest = mask & -mask
            numbers.append(lowest.bit_length() - 1)
            mask ^= lowest
        return numbers

    def _marine_rotation(self, marine: Any, quarters: int, ap: int) -> float:
        if marine.overwatch or (ap < 3 and not self.board.objectives):
            return -3.0
        if self.targets and marine.marine_type != "marine_flame":
            return -3.0
        now = FACING_INDEX[marine.facing]
        if self.board.objectives:
            if marine.marine_type == "marine_flame" or self.nearest(place(marine), self.contacts) > 7:
                return self._turn_to_goal(marine, quarters)
            if ap == 4:
                return -3.0
        lanes = self.lanes
        best = max(range(4), key=lambda facing: (lanes[facing], facing == now))
        if best == now or lanes[best] <= lanes[now] * 1.2 + 0.02:
            return -3.0
        away = (best - now) % 4
        if away == 2 and ap < 4:
            return -3.0
        right_way = (away == 1 and quarters == 1) or (away == 3 and quarters == -1) or (away == 2 and quarters == 1)
        return 50.0 if right_way else -3.0

    def _turn_to_goal(self, marine: Any, quarters: int) -> float:
        """Return the value of a quarter turn.

        The value is high if the marine must turn this way to face the next cell on its way to the objective.
        """
        near = [cell for cell in self.board.neighbours(*place(marine)) if self.pieces.unit_at(*cell) is None]
        here = self._goal_distance(place(marine))
        better = [cell for cell in near if self._goal_distance(cell) < here]
        if not better or any(self._is_in_front(marine, cell) for cell in better):
            return -3.0
        x, y = min(better, key=lambda cell: abs(cell[0] - marine.x) + abs(cell[1] - marine.y))
        dx, dy = x - marine.x, y - marine.y
        wanted = (1 if dx > 0 else 3) if abs(dx) >= abs(dy) else (2 if dy > 0 else 0)
        away = (wanted - FACING_INDEX[marine.facing]) % 4
        return 44.0 if quarters == (-1 if away == 3 else 1) else -3.0

    def _is_in_front(self, unit: Any, cell: tuple[int, int]) -> bool:
        fx, fy = VECTORS[FACING_INDEX[unit.facing]]
        return bool((cell[0] - unit.x) * fx + (cell[1] - unit.y) * fy > 0)

    def _marine_door(self, choice: Document, danger: int) -> float:
        if not self.board.objectives:
            return -4.0
        if choice["to"] == "closed":
            return -4.0
        marine = self.active
        ahead = self._goal_distance((choice["x"], choice["y"])) < self._goal_distance(place(marine))
        return 30.0 if ahead and danger > 3 else -4.0

    def _goal_distance(self, cell: tuple[int, int]) -> int:
        objectives = self.board.objectives
        if not objectives:
            return 0
        return min(self.distances.between(cell, goal) for goal in objectives)

    def _marine_step(self, marine: Any, choice: Document, ap: int, danger: int) -> float:
        cell = (choice["x"], choice["y"])
        if not self.board.objectives or marine.overwatch or marine.guard:
            return -4.0
        gain = self._goal_distance(place(marine)) - self._goal_distance(cell)
        if gain <= 0 or choice["cost"] > 1:
            return -4.0
        hurry = marine.marine_type == "marine_flame" or danger > 8 or self.pressed
        if (self.targets or (danger <= 5 and ap <= 2)) and not hurry:
            return 3.0
        if marine.marine_type == "marine_flame" and not self.pressed and self._leads(marine, cell):
            return 3.0
        straight = 0.5 if choice["step"] == "forward" else 0.0
        return (45.0 if ap > 2 or hurry else 25.0) + gain + straight

    @cached_property
    def pressed(self) -> bool:
        """Whether the flamer will reach the objective in time only if all marines hurry."""
        limit = self.options["turn_limit"]
        flamers = [unit for unit in self.pieces.marines if unit.marine_type == "marine_flame"]
        if not limit or not flamers:
            return False
        way = min(self._goal_distance(place(flamer)) for flamer in flamers)
        return bool(way - 6 > 3 * (limit - self.game.turn))

    def _leads(self, flamer: Any, cell: tuple[int, int]) -> bool:
        """Return whether a step would put the flamer in front of the squad, which is dangerous."""
        others = [self._goal_distance(place(other)) for other in self.pieces.marines if other is not flamer]
        ahead = self._goal_distance(cell)
        return bool(others) and ahead > 9 and ahead <= min(others)

    # -- aliens ------------------------------------------------------------------------------------------------------

    def _alien_turn(self, choice: Document) -> float:
        kind = choice["type"]
        if kind == "pass":
            return 0.0
        if kind == "activate":
            unit = self.pieces.unit_at(choice["x"], choice["y"])
            alien = 3.0 if unit is not None and unit.kind == "alien" else 0.0
            return 10.0 + alien - self.nearest((choice["x"], choice["y"]), self.pieces.marines) / FAR
        unit = self.active
        if unit.kind == "blip":
            return self._blip_turn(unit, choice)
        if kind == "assault":
            return -1.0 if choice["target"].startswith("d") else 200.0
        if kind in ("turn_left", "turn_right"):
            return self._alien_rotation(unit, choice)
        if kind == "door":
            return self._alien_door(unit, choice)
        return self._alien_step(unit, choice)

    @cached_property
    def goals(self) -> dict[tuple[int, int], float]:
        """The cells from which a marine can be attacked, each with its value."""
        found: dict[tuple[int, int], float] = {}
        for marine in self.pieces.marines:
            for dx, dy in VECTORS:
                cell = (marine.x + dx, marine.y + dy)
                if not self.board.is_corridor(*cell):
                    continue
                other = self.pieces.unit_at(*cell)
                if not self.pieces.is_free(*cell) and other is not self.active:
                    continue
                flank = 0.8 if cell != ahead_of(marine) else 0.0
                prey = 1.5 if marine.marine_type == "marine_flame" else 0.0
                marked = -0.7 if marine.guard else 0.0
                found[cell] = max(found.get(cell, -9.0), flank + prey + marked)
        return found

    def _way(self, cell: tuple[int, int]) -> float:
        """Return the distance from a cell to the best of `goals`, minus that goal's value."""
        number = cell[1] * self.width + cell[0]
        return min((self.distances.field(goal)[number] - value for goal, value in self.goals.items()), default=FAR)

    @cached_property
    def rushing(self) -> bool:
        """Whether the active alien should risk the marines' fire."""
        unit = self.active
        way = self._way(place(unit))
        if self.has(self.watched, place(unit)):
            return True
        ready = sum(self.nearest(place(other), self.pieces.marines) <= 7 for other in self.contacts)
        return way + 1 <= self.game.ap or ready >= 3 or self.late

    def _alien_step(self, unit: Any, choice: Document) -> float:
        cell = (choice["x"], choice["y"])
        gain = self._way(place(unit)) - self._way(cell)
        if choice["step"] == "entry":
            return 50.0
        if place(unit) in self.goals and ahead_of(unit) in {place(marine) for marine in self.pieces.marines}:
            return -5.0
        cost = 0.6 * (choice["cost"] - 1)
        if self.has(self.watched, cell) and not self.rushing:
            return -5.0
        if gain <= 0.05:
            return -2.0 + gain
        exposed = 0.3 if self.has(self.watched, cell) else 0.0
        return float(20 + gain - cost - exposed)

    def _alien_rotation(self, unit: Any, choice: Document) -> float:
        near = [marine for marine in self.pieces.marines if abs(marine.x - unit.x) + abs(marine.y - unit.y) == 1]
        if not near or ahead_of(unit) in {place(marine) for marine in near}:
            return -3.0
        best = max(near, key=lambda marine: (ahead_of(marine) != place(unit), not marine.guard, marine.id))
        away = self.towards(unit, [best])
        right_way = choice["type"] == ("turn_left" if away == 3 else "turn_right")
        return 150.0 if right_way and self.game.ap - choice["cost"] >= 1 else -3.0

    def _alien_door(self, unit: Any, choice: Document) -> float:
        if choice["to"] == "closed":
            return -4.0
        ahead = self._way((choice["x"], choice["y"])) < self._way(place(unit))
        return 22.5 if ahead and self.rushing else -4.0

    def _blip_turn(self, unit: Any, choice: Document) -> float:
        kind = choice["type"]
        cell = (choice["x"], choice["y"]) if "x" in choice else place(unit)
        here = self.nearest(place(unit), self.pieces.marines)
        if kind == "move":
            if choice["step"] == "entry":
                return 50.0
            gain = here - self.nearest(cell, self.pieces.marines)
            return float(20 + gain) if gain > 0 else -3.0
        if kind == "reveal":
            near = here <= 8 or (self.late and here <= 14)
            return 19.0 if near else -1.0
        if kind == "door" and choice["to"] == "open":
            ahead = self.nearest(cell, self.pieces.marines) < here
            return 15.0 if ahead and self.game.ap < 6 else 18.0 if ahead else -4.0
        return -4.0
