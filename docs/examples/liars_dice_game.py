"""Liar's dice for two to six players, without a board: hidden dice, bids, and doubts that show all dice."""

from __future__ import annotations

from random import Random
from typing import Any

from arena.game import Entity, GameSpec, IllegalAction, Integers, Option, Outcome, State, action, field

FACES = Integers(1, 6)


class Cup(Entity):
    """The dice of one player."""

    index: int = field("The player, from 0.")
    dice: tuple[int, ...] = field("The dice under the cup.", (), secret=True)
    count: int = field("How many dice there are; none if the player is out.", 0)


class Liars(State):
    """The game: who bids too high, or doubts a bid that holds, loses a die."""

    classes: Any = (Cup,)
    hidden_information = True

    cups: tuple[Cup, ...] = field("All cups.", ())
    mover: int = field("Who is to move.", 0)
    standing: tuple[int, int] | None = field("The last bid: how many dice of which face.", None)
    bidder: int | None = field("Who made it.", None)
    moves: int = field("Actions so far.", 0)

    def setup(self) -> None:
        self.cups = tuple(
            self.create(Cup, f"cup{index}", index=index, count=self.options.dice)
            for index in range(self.options.players)
        )
        self.roll()

    def roll(self) -> None:
        for cup in self.cups:
            cup.dice = tuple(self.chance.draw(FACES, "die") for _ in range(cup.count))

    def pass_on(self) -> None:
        self.moves += 1
        size = len(self.cups)
        behind = [(self.mover + step) % size for step in range(1, size)]
        self.mover = next((index for index in behind if self.cups[index].count), self.mover)

    @action
    def bid(self, count: int, face: int) -> None:
        """Bid that at least so many dice show a face.

        Args:
            count: How many.
            face: 1 to 6.
        """
        if (count, face) not in self.bids():
            raise IllegalAction("too_low", "this is not higher than the last bid, or there are not so many dice")
        self.standing, self.bidder = (count, face), self.mover
        self.pass_on()

    @action
    def doubt(self) -> None:
        """Doubt the last bid. All dice are shown, and one player loses a die."""
        if self.standing is None or self.bidder is None:
            raise IllegalAction("no_bid", "there is no bid to doubt")
        count, face = self.standing
        shown = [die for cup in self.cups for die in cup.dice]
        loser = self.mover if shown.count(face) >= count else self.bidder
        self.event("shown", dice=[list(cup.dice) for cup in self.cups], loser=loser)
        self.cups[loser].count -= 1
        self.standing = self.bidder = None
        self.pass_on()
        self.roll()

    def bids(self) -> list[tuple[int, int]]:
        most = sum(cup.count for cup in self.cups)
        last = self.standing or (0, 6)
        return [(count, face) for count in range(1, most + 1) for face in range(1, 7) if (count, face) > last]

    def out(self) -> tuple[int, ...]:
        return tuple(cup.index for cup in self.cups if not cup.count)

    def to_move(self) -> tuple[int, ...]:
        return () if sum(cup.count > 0 for cup in self.cups) == 1 else (self.mover,)

    def turn_number(self) -> int:
        return self.moves

    def legal_actions(self, player: int | None = None) -> list[dict[str, Any]]:
        if player not in (None, *self.to_move()) or not self.to_move():
            return []
        doubts = [] if self.standing is None else [{"type": "doubt"}]
        return [{"type": "bid", "count": count, "face": face} for count, face in self.bids()] + doubts

    def outcome(self) -> Outcome | None:
        left = [cup.index for cup in self.cups if cup.count]
        ranks = tuple(1 if cup.count else 2 for cup in self.cups)
        return Outcome(left[0], "last_dice", ranks) if len(left) == 1 else None

    def scores(self) -> tuple[float, ...]:
        return tuple(float(cup.count) for cup in self.cups)

    def conceals(self, player: int, entity: Entity, name: str) -> bool:
        return isinstance(entity, Cup) and entity.index != player

    @classmethod
    def determinize(cls, view: list[Any], player: int, rng: Random, options: Any) -> Any:
        state = cls.from_view(view, options)
        for cup in state.cups:
            if cup.index != player:
                cup.dice = tuple(FACES.sample(rng) for _ in range(cup.count))
        state.commit()
        return state

    def to_document(self) -> dict[str, Any]:
        return {
            "cups": [list(cup.dice) for cup in self.cups],
            "mover": self.mover,
            "bid": self.standing and list(self.standing),
            "bidder": self.bidder,
            "moves": self.moves,
        }

    def load(self, document: dict[str, Any]) -> None:
        self.cups = tuple(
            self.create(Cup, f"cup{index}", index=index, dice=tuple(dice), count=len(dice))
            for index, dice in enumerate(document["cups"])
        )
        self.mover, self.bidder, self.moves = document["mover"], document["bidder"], document["moves"]
        self.standing = document["bid"] and (document["bid"][0], document["bid"][1])


def spec(state: type[State] = Liars) -> GameSpec:
    options = (
        Option("players", "int", 2, "How many play.", 2, 6),
        Option("dice", "int", 3, "How many dice each player has.", 1, 6),
    )
    return GameSpec(name="liars_dice", title="Liar's dice", version="1", state=state, options=options)
