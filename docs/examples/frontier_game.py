"""A strategy game of up to 200 units a side and 500 turns: one action has an order for each unit."""

from __future__ import annotations

from typing import Annotated, Any, Literal, NamedTuple

from arena.game import AtMost, Entity, GameSpec, IllegalAction, Option, Outcome, State, action, field, shared, table

Step = Literal["north", "east", "south", "west"]
STEPS: dict[str, tuple[int, int]] = {"north": (0, -1), "east": (1, 0), "south": (0, 1), "west": (-1, 0)}


class Unit(Entity):
    """A unit."""

    owner: int = field("0 or 1.")
    x: int = field("Column, from 0.")
    y: int = field("Row, from 0.")
    strength: int = field("Hits until it is lost.", 3)


class Order(NamedTuple):
    """What one unit does: it goes a step, or hits the enemy there. An own unit in its way makes it wait."""

    unit: Unit
    step: Step


class Frontier(State):
    """Two armies. The stronger one at the end wins."""

    classes = (Unit,)
    grid = ("width", "height")

    width: int = field("Columns.", 40)
    height: int = field("Rows.", 40)
    turn: int = field("The turn, from 0.", 0)
    units: tuple[Unit, ...] = field("All units.", ())
    steps: dict[tuple[int, int], tuple[str, ...]] = shared("The steps from each tile that stay on the board.")
    standing: dict[tuple[int, int], Unit] = table("The unit on each tile.")

    def prepare(self) -> None:
        tiles = {(x, y) for x in range(self.options.size) for y in range(self.options.size)}
        self.share(
            steps={
                (x, y): tuple(step for step, (dx, dy) in STEPS.items() if (x + dx, y + dy) in tiles) for x, y in tiles
            }
        )

    def setup(self) -> None:
        self.width = self.height = self.options.size
        for owner in (0, 1):
            for number in range(self.options.units):
                x, y = number % self.width, number // self.width
                y = y if owner == 0 else self.height - 1 - y
                self.units = (*self.units, self.create(Unit, f"u{owner}_{number}", owner=owner, x=x, y=y))
        self.derive()

    def derive(self) -> None:
        for unit in self.units:
            self.standing[unit.x, unit.y] = unit

    @action
    def march(self, orders: Annotated[tuple[Order, ...], AtMost(200)]) -> None:
        """Give orders to your units. They are carried out one after the other.

        Args:
            orders: At most one order for each of your units.
        """
        self.check(orders)
        for unit, step in orders:
            self.go(unit, *STEPS[step])
        self.turn += 1

    def check(self, orders: tuple[Order, ...]) -> None:
        """Refuse wrong orders before anything changes."""
        actor, steps = self.actor, self.steps
        for number, (unit, step) in enumerate(orders):
            if unit.owner != actor:
                raise IllegalAction("not_yours", f"{unit.id} is not your unit", number)
            if step not in steps[unit.x, unit.y]:
                raise IllegalAction("off_map", f"{unit.id} cannot go {step}", number)
        if len({unit for unit, _ in orders}) < len(orders):
            ids = [unit.id for unit, _ in orders]
            number = next(number for number, id_ in enumerate(ids) if id_ in ids[:number])
            raise IllegalAction("twice", f"{ids[number]} has an order already", number)

    def go(self, unit: Unit, dx: int, dy: int) -> None:
        x, y = unit.x, unit.y
        place = x + dx, y + dy
        there = self.standing.get(place)
        if there is None:
            del self.standing[x, y]
            self.standing[place] = unit
            unit.x, unit.y = place
        elif there.owner != unit.owner:
            self.hit(there)

    def hit(self, unit: Unit) -> None:
        unit.strength -= 1
        if unit.strength == 0:
            del self.standing[unit.x, unit.y]
            self.units = tuple(one for one in self.units if one is not unit)
            self.remove(unit)

    def to_move(self) -> tuple[int, ...]:
        # The units are in the order of their owners, so the first and the last one show whether both sides have some.
        both = self.units and self.units[0].owner != self.units[-1].owner
        return (self.turn % 2,) if both and self.turn < self.options.turns else ()

    def turn_number(self) -> int:
        return self.turn

    def legal_actions(self, player: int | None = None) -> list[dict[str, Any]]:
        may = self.to_move()
        if not may or player not in (None, *may):
            return []
        mine, steps = may[0], self.steps
        choices = [[[unit.id, step] for step in steps[unit.x, unit.y]] for unit in self.units if unit.owner == mine]
        return [{"type": "march", "orders": {"choices": choices}}]

    def scores(self) -> tuple[float, ...]:
        strength = [0, 0]
        for unit in self.units:
            strength[unit.owner] += unit.strength
        return float(strength[0]), float(strength[1])

    def outcome(self) -> Outcome | None:
        if self.to_move():
            return None
        first, second = self.scores()
        winner = None if first == second else int(second > first)
        return Outcome(winner, "too_long" if first and second else "annihilated")

    def to_document(self) -> dict[str, Any]:
        units = [[unit.id, unit.owner, unit.x, unit.y, unit.strength] for unit in self.units]
        return {"turn": self.turn, "units": units}

    def load(self, document: dict[str, Any]) -> None:
        self.width = self.height = self.options.size
        self.turn = document["turn"]
        self.units = tuple(
            self.create(Unit, id_, owner=owner, x=x, y=y, strength=strength)
            for id_, owner, x, y, strength in document["units"]
        )


def spec(state: Any = Frontier) -> GameSpec:
    return GameSpec(
        name="frontier",
        title="Frontier",
        version="1.0",
        state=state,
        options=(
            Option("units", "int", 200, "Units of each side.", 1, 200),
            Option("size", "int", 40, "Columns and rows.", 20, 60),
            Option("turns", "int", 500, "Turns of both sides together.", 2, 2000),
        ),
    )
