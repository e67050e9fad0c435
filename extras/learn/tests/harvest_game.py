"""A game for hundreds of units, as in Lux: orders for all in one action, both players at once, the map an array."""

from __future__ import annotations

from typing import Annotated, Any, Literal, NamedTuple

from arena.game import (
    Array,
    AtMost,
    Entity,
    GameSpec,
    IllegalAction,
    Integers,
    Option,
    Outcome,
    State,
    action,
    field,
)

SIZE = 24
What = Literal["dig", "north", "east", "south", "west"]
STEPS = {"north": (0, -1), "east": (1, 0), "south": (0, 1), "west": (-1, 0)}


class Robot(Entity):
    """A robot. Several can stand on the same tile."""

    owner: int = field("0 or 1.")
    x: int = field("Column, from 0.")
    y: int = field("Row, from 0.")


class Order(NamedTuple):
    """What a robot does."""

    robot: Robot
    what: What


class Player(Entity):
    """A player."""

    index: int = field("0 or 1.")
    ore: int = field("What the robots have dug.", 0)
    ready: bool = field("Whether the orders of this turn are given.", False)
    orders: tuple[Any, ...] = field("The orders, until both players have given theirs.", (), private=True)


class Harvest(State):
    """Robots dig ore. Who has more at the end wins."""

    classes = (Robot, Player)
    grid = ("width", "height")

    width: int = field("Columns.", SIZE)
    height: int = field("Rows.", SIZE)
    turn: int = field("The turn, from 0.", 0)
    ore: Annotated[bytes, Array("uint8", ("height", "width"))] = field("The ore under each tile.", bytes(SIZE * SIZE))
    robots: tuple[Robot, ...] = field("All robots.", ())
    players: tuple[Player, ...] = field("The players.", ())

    def setup(self) -> None:
        self.players = tuple(self.create(Player, f"p{index}", index=index) for index in (0, 1))
        tiles = range(SIZE * SIZE)
        ore = [3 * (self.chance.draw(Integers(0, 7), "ore") == 0) for _ in tiles]
        self.ore = bytes(ore)
        for number in range(self.options.robots):
            place = self.chance.draw(Integers(0, SIZE * SIZE - 1), "place")
            y, x = divmod(place, SIZE)
            robot = self.create(Robot, f"r{number}", owner=number % 2, x=x, y=y)
            self.robots = (*self.robots, robot)

    @action
    def command(self, orders: Annotated[tuple[Order, ...], AtMost(400)]) -> None:
        """Give orders to your robots.

        Args:
            orders: At most one order for each of your robots.
        """
        player = self.players[self.actor]
        if any(robot.owner != self.actor for robot, _ in orders) or len({one for one, _ in orders}) < len(orders):
            raise IllegalAction("wrong_robot")
        player.orders = tuple((robot.id, what) for robot, what in orders)
        player.ready = True
        if all(one.ready for one in self.players):
            self.resolve()

    def resolve(self) -> None:
        ore = bytearray(self.ore)
        first = self.turn % 2
        for player in (self.players[first], self.players[1 - first]):
            for id_, what in player.orders:
                robot = self.entity(id_)
                if what == "dig":
                    place = robot.y * SIZE + robot.x
                    if ore[place]:
                        ore[place] -= 1
                        player.ore += 1
                    continue
                x, y = robot.x + STEPS[what][0], robot.y + STEPS[what][1]
                if 0 <= x < SIZE and 0 <= y < SIZE:
                    robot.x, robot.y = x, y
            player.orders = ()
            player.ready = False
        self.ore = bytes(ore)
        self.turn += 1

    def to_move(self) -> tuple[int, ...]:
        if self.turn >= self.options.turns:
            return ()
        return tuple(player.index for player in self.players if not player.ready)

    def turn_number(self) -> int:
        return self.turn

    def legal_actions(self, player: int | None = None) -> list[dict[str, Any]]:
        may = self.to_move()
        if not may or player not in (None, *may):
            return []
        mine = may[0] if player is None else player
        return [
            {
                "type": "command",
                "orders": {"choices": [orders_of(robot.id) for robot in self.robots if robot.owner == mine]},
            }
        ]

    def scores(self) -> tuple[float, ...]:
        return tuple(float(player.ore) for player in self.players)

    def outcome(self) -> Outcome | None:
        if self.to_move():
            return None
        first, second = self.scores()
        return Outcome(None if first == second else int(second > first), "time")

    def to_document(self) -> dict[str, Any]:
        return {
            "turn": self.turn,
            "ore": list(self.ore),
            "players": [[player.ore, player.ready, player.orders] for player in self.players],
            "robots": [[robot.owner, robot.x, robot.y] for robot in self.robots],
        }

    def load(self, document: dict[str, Any]) -> None:
        raise NotImplementedError


def orders_of(id_: str) -> list[list[str]]:
    return [[id_, "dig"], [id_, "north"], [id_, "east"], [id_, "south"], [id_, "west"]]


GAME = GameSpec(
    name="harvest",
    title="Harvest",
    version="1",
    state=Harvest,
    options=(
        Option("robots", "int", 300, "Robots of both players.", 2, 800),
        Option("turns", "int", 40, "Turns.", 1, 500),
    ),
)
