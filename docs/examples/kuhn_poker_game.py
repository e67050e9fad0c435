"""Kuhn poker over several hands, from the published rules: three cards, one bet."""

from __future__ import annotations

from random import Random
from typing import Any

from arena.game import Entity, GameSpec, Integers, Option, Outcome, State, action, field

LINES = {"pass pass", "bet pass", "bet bet", "pass bet pass", "pass bet bet"}
"""The sequences of actions that end a hand."""


class Seat(Entity):
    """One of the two players."""

    index: int = field("0 or 1.")
    card: int = field("1 (jack) to 3 (king).", 0, secret=True)
    chips: int = field("Won and lost so far.", 0)


class Kuhn(State):
    """The game. The seats take turns to begin a hand."""

    classes: Any = (Seat,)
    hidden_information = True

    hand: int = field("Hands played.", 0)
    actions: int = field("Actions in all hands.", 0)
    line: tuple[str, ...] = field("The actions of this hand.", ())
    seats: tuple[Seat, ...] = field("Both players.", ())

    def setup(self) -> None:
        self.seats = tuple(self.create(Seat, f"seat{index}", index=index) for index in range(2))
        self.deal()

    def deal(self) -> None:
        deck = [1, 2, 3]
        for seat in self.seats:
            seat.card = deck.pop(self.draw(len(deck)))

    def draw(self, size: int) -> int:
        return self.chance.draw(Integers(0, size - 1), "card")

    def play(self, word: str) -> None:
        self.line = (*self.line, word)
        self.actions += 1
        if " ".join(self.line) in LINES:
            self.settle()

    @action
    def bet(self) -> None:
        """Bet a chip, or call the bet."""
        self.play("bet")

    @action
    def pass_(self) -> None:
        """Check, or fold."""
        self.play("pass")

    def settle(self) -> None:
        first = self.hand % 2
        match " ".join(self.line):
            case "bet pass":
                winner, chips = first, 1
            case "pass bet pass":
                winner, chips = 1 - first, 1
            case shown:
                winner, chips = max((0, 1), key=lambda index: self.seats[index].card), 1 + shown.endswith("bet")
                self.event("showdown", cards=[seat.card for seat in self.seats])
        self.seats[winner].chips += chips
        self.seats[1 - winner].chips -= chips
        self.hand += 1
        self.line = ()
        if self.hand < self.options.hands:
            self.deal()

    def to_move(self) -> tuple[int, ...]:
        return () if self.hand >= self.options.hands else ((self.hand + len(self.line)) % 2,)

    def turn_number(self) -> int:
        return self.actions

    def legal_actions(self, player: int | None = None) -> list[dict[str, Any]]:
        may = self.to_move()
        return [{"type": "bet"}, {"type": "pass"}] if may and player in (None, *may) else []

    def outcome(self) -> Outcome | None:
        if self.to_move():
            return None
        first, second = self.scores()
        return Outcome(None if first == second else int(second > first), "all_hands_played")

    def scores(self) -> tuple[float, ...]:
        return tuple(float(seat.chips) for seat in self.seats)

    def conceals(self, player: int, entity: Entity, name: str) -> bool:
        return isinstance(entity, Seat) and entity.index != player

    @classmethod
    def determinize(cls, view: list[Any], player: int, rng: Random, options: Any) -> Any:
        state = cls.from_view(view, options)
        other = state.seats[1 - player]
        other.card = rng.choice([card for card in (1, 2, 3) if card != state.seats[player].card])
        state.commit()
        return state

    def to_document(self) -> dict[str, Any]:
        seats = [[seat.card, seat.chips] for seat in self.seats]
        return {"hand": self.hand, "actions": self.actions, "line": list(self.line), "seats": seats}

    def load(self, document: dict[str, Any]) -> None:
        self.hand, self.actions, self.line = document["hand"], document["actions"], tuple(document["line"])
        self.seats = tuple(
            self.create(Seat, f"seat{index}", index=index, card=card, chips=chips)
            for index, (card, chips) in enumerate(document["seats"])
        )


def spec(state: type[State] = Kuhn) -> GameSpec:
    hands = Option("hands", "int", 5, "How many hands are played.", 1, 1000)
    return GameSpec(name="kuhn_poker", title="Kuhn poker", version="1", state=state, options=(hands,))
