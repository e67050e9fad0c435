"""Variants of Kuhn poker that let a player know what is hidden."""

from __future__ import annotations

from typing import Any

from kuhn_poker_game import Kuhn, Seat

from arena.game import IllegalAction, Integers, State, action, field


class Announces(Kuhn):
    """Announces both cards to everybody."""

    def deal(self) -> None:
        super().deal()
        self.event("dealt", cards=[seat.card for seat in self.seats])


class OpenSeat(Seat):
    """Has a copy of the card in a field that everybody sees."""

    rank: int = field("The card, for sorting.", 0)


class Copies(Kuhn):
    """Copies the card to a plain field."""

    classes = (OpenSeat,)

    def setup(self) -> None:
        self.seats = tuple(self.create(OpenSeat, f"seat{index}", index=index) for index in range(2))
        self.deal()

    def deal(self) -> None:
        super().deal()
        for seat in self.seats:
            assert isinstance(seat, OpenSeat)
            seat.rank = seat.card

    def load(self, document: dict[str, Any]) -> None:
        super().load(document)
        for seat in self.seats:
            self.remove(seat)
        self.seats = tuple(
            self.create(OpenSeat, seat.id, index=seat.index, card=seat.card, chips=seat.chips, rank=seat.card)
            for seat in self.seats
        )


class Encodes(Copies):
    """Copies the card in another form."""

    def deal(self) -> None:
        Kuhn.deal(self)
        for seat in self.seats:
            assert isinstance(seat, OpenSeat)
            seat.rank = 7 - 2 * seat.card

    def load(self, document: dict[str, Any]) -> None:
        super().load(document)
        for seat in self.seats:
            assert isinstance(seat, OpenSeat)
            seat.rank = 7 - 2 * seat.card


class PublicDraws(Kuhn):
    """Sends the draws of hidden cards to whoever ended the hand."""

    def draw(self, size: int) -> int:
        return self.chance.draw(Integers(0, size - 1), "card", public=True)


class ShowsOnBet(Kuhn):
    """Shows the card with each bet."""

    @action
    def bet(self) -> None:
        """Bet."""
        self.event("bet", player=self.actor, holding=self.seats[self.actor].card)
        Kuhn.bet(self)


class Kibitzer(Kuhn):
    """Advises against a bet, with a reason."""

    def admit(self, player: int, action: Any) -> Any:
        if action == {"type": "bet", "count": 2} or (isinstance(action, dict) and len(action) > 1):
            raise IllegalAction("advice", f"the other card is {self.seats[1 - self.to_move()[0]].card}")
        return super().admit(player, action)


class Considerate(Kuhn):
    """Offers a bet only to those who may win it."""

    def legal_actions(self, player: int | None = None) -> list[dict[str, Any]]:
        listed = super().legal_actions(player)
        if not listed:
            return []
        mover = self.to_move()[0]
        return listed if self.seats[mover].card > self.seats[1 - mover].card else listed[1:]

    @action
    def bet(self) -> None:
        """Bet."""
        if self.seats[self.actor].card < self.seats[1 - self.actor].card:
            raise IllegalAction("hopeless", "you would lose")
        Kuhn.bet(self)


LEAKS: list[tuple[type[State], str]] = [
    (Announces, "events[0].cards"),
    (Copies, ".rank"),
    (Encodes, ".rank"),
    (PublicDraws, "the draw card is public"),
    (ShowsOnBet, "events[0].holding"),
    (Kibitzer, "depends on what the player does not see"),
    (Considerate, "legal actions of player"),
]
"""Each leak, and words of the finding."""
