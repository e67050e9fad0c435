"""A game whose list needs an order for each unit, beside other actions; with the option hands, one of small lists."""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple

from arena.game import AtMost, Entity, GameSpec, IllegalAction, Option, Outcome, State, Tile, action, field


class Band(Entity):
    """A band of soldiers."""

    owner: int = field("0 or 1.")
    x: int = field("Column, from 0.")
    y: int = field("Row, from 0.")


class Order(NamedTuple):
    """Where a band goes."""

    to: Tile
    band: Band


class Muster(State):
    """Bands that go right or down."""

    classes = (Band,)
    grid = ("width", "height")

    width: int = field("Columns.", 9)
    height: int = field("Rows.", 9)
    turn: int = field("The turn, from 0.", 0)

    def setup(self) -> None:
        for number in range(4):
            self.create(Band, f"b{number}", owner=number % 2, x=number, y=0)

    def bands(self) -> list[Band]:
        return [one for one in self.entities() if isinstance(one, Band) and one.owner == self.turn % 2]

    @action
    def pass_(self) -> None:
        """Do nothing."""
        self.turn += 1

    @action
    def show(self, cards: Annotated[tuple[int, ...], AtMost(2)]) -> None:
        """Show cards.

        Args:
            cards: Their numbers.
        """
        if not self.options.hands:
            raise IllegalAction("no_hands")
        self.turn += 1

    @action
    def send(self, orders: Annotated[tuple[Order, ...], AtMost(2)]) -> None:
        """Send all bands.

        Args:
            orders: An order for each band.
        """
        if len({band for _, band in orders}) != 2:
            raise IllegalAction("too_few")
        for tile, band in orders:
            band.x, band.y = tile
        self.turn += 1

    def to_move(self) -> tuple[int, ...]:
        return (self.turn % 2,) if self.turn < 6 else ()

    def turn_number(self) -> int:
        return self.turn

    def legal_actions(self, player: int | None = None) -> list[dict[str, Any]]:
        if not self.to_move() or player not in (None, *self.to_move()):
            return []
        if self.options.hands:
            return [{"type": "show", "cards": {"choices": [[1, 2], [1, 2]]}}]
        groups = [[[[band.x + 1, band.y], band.id], [[band.x, band.y + 1], band.id]] for band in self.bands()]
        return [{"type": "pass"}, {"type": "send", "orders": {"choices": groups, "all": True}}]

    def outcome(self) -> Outcome | None:
        return None if self.to_move() else Outcome(None, "time")

    def to_document(self) -> dict[str, Any]:
        return {"turn": self.turn, "bands": [[one.x, one.y] for one in self.entities() if isinstance(one, Band)]}


def spec() -> GameSpec:
    hands = Option("hands", "bool", False, "Whether cards are shown.")
    return GameSpec(name="muster", title="Muster", version="1", state=Muster, options=(hands,))
