"""A simultaneous game for four: each round all choose a number in secret; the lowest that nobody else chose scores."""

from __future__ import annotations

from random import Random
from typing import Any

from arena.game import Entity, GameSpec, IllegalAction, Option, Outcome, State, action, field


class Bidder(Entity):
    """One of the players."""

    index: int = field("From 0.")
    sealed: int | None = field("The number chosen in this round.", None, secret=True)
    score: int = field("Rounds won.", 0)

    @action
    def choose(self, number: int) -> None:
        """Choose a number for this round.

        Args:
            number: 1 to 5.
        """
        game: LowestBid = self.game
        game.choose(self, number)


class LowestBid(State):
    """The game."""

    classes: Any = (Bidder,)
    hidden_information = True

    round: int = field("Rounds played.", 0)
    bidders: tuple[Bidder, ...] = field("All players.", ())

    def setup(self) -> None:
        self.bidders = tuple(self.create(Bidder, f"b{index}", index=index) for index in range(self.options.players))

    def choose(self, bidder: Bidder, number: int) -> None:
        self.check(bidder, number)
        bidder.sealed = number
        if any(one.sealed is None for one in self.bidders):
            return
        chosen = [one.sealed for one in self.bidders]
        self.event("opened", numbers=chosen)
        for one in sorted(self.bidders, key=lambda one: one.sealed or 0):
            if chosen.count(one.sealed) == 1:
                one.score += 1
                break
        for one in self.bidders:
            one.sealed = None
        self.round += 1

    def check(self, bidder: Bidder, number: int) -> None:
        if bidder.index != self.actor:
            raise IllegalAction("not_you", "this is somebody else")
        if not 1 <= number <= 5:
            raise IllegalAction("bad_number", "choose a number from 1 to 5")

    def to_move(self) -> tuple[int, ...]:
        if self.round >= self.options.rounds:
            return ()
        return tuple(one.index for one in self.bidders if one.sealed is None)

    def turn_number(self) -> int:
        return self.round

    def legal_actions(self, player: int | None = None) -> list[dict[str, Any]]:
        may = self.to_move()
        player = may[0] if player is None and may else player
        if player not in may:
            return []
        return [{"type": "choose", "bidder": f"b{player}", "number": number} for number in range(1, 6)]

    def outcome(self) -> Outcome | None:
        if self.to_move():
            return None
        return Outcome(None, "rounds_played", payoffs=self.scores())

    def scores(self) -> tuple[float, ...]:
        return tuple(float(one.score) for one in self.bidders)

    def conceals(self, player: int, entity: Entity, name: str) -> bool:
        return isinstance(entity, Bidder) and entity.index != player

    @classmethod
    def determinize(cls, view: list[Any], player: int, rng: Random, options: Any) -> Any:
        return cls.from_view(view, options)

    def to_document(self) -> dict[str, Any]:
        return {"round": self.round, "bidders": [[one.sealed, one.score] for one in self.bidders]}

    def load(self, document: dict[str, Any]) -> None:
        self.round = document["round"]
        self.bidders = tuple(
            self.create(Bidder, f"b{index}", index=index, sealed=sealed, score=score)
            for index, (sealed, score) in enumerate(document["bidders"])
        )


def spec(state: type[State] = LowestBid) -> GameSpec:
    rounds = Option("rounds", "int", 6, "How many rounds.", 1, 100)
    players = Option("players", "int", 4, "How many play.", 3, 4)
    return GameSpec(name="lowest_bid", title="Lowest bid", version="1", state=state, options=(rounds, players))
