"""Leduc poker from the published rules: six cards of three ranks, two rounds of betting, one card on the board."""

from __future__ import annotations

from random import Random
from typing import Any, Literal

from arena.game import Entity, GameSpec, IllegalAction, Integers, Outcome, State, action, field

Rank = Literal["J", "Q", "K"]
RANKS: tuple[Rank, ...] = ("J", "Q", "K")
RAISES = 2


class Hand(Entity):
    """What one player holds."""

    index: int = field("0 or 1.")
    rank: Rank = field("The card in the hand.", secret=True)
    paid: int = field("Chips in the pot.", 1)


class Leduc(State):
    """The game: one hand."""

    classes: Any = (Hand,)
    hidden_information = True

    hands: tuple[Hand, ...] = field("Both hands.", ())
    board: Rank | None = field("The card on the board, from the second round on.", None)
    mover: int = field("Who is to move.", 0)
    raises: int = field("Raises in this round.", 0)
    calls: int = field("Checks and calls in this round.", 0)
    last: Literal["", "fold", "call", "raise"] = field("The last action.", "")
    moves: int = field("Actions so far.", 0)
    folded: int | None = field("Who has folded.", None)
    showdown: bool = field("The cards are shown.", False)

    def setup(self) -> None:
        deck = [rank for rank in RANKS for _ in range(2)]
        cards = [deck.pop(self.draw(len(deck))) for _ in range(2)]
        self.hands = tuple(self.create(Hand, f"h{index}", index=index, rank=rank) for index, rank in enumerate(cards))

    def draw(self, size: int) -> int:
        return self.chance.draw(Integers(0, size - 1), "deal")

    @action
    def fold(self) -> None:
        """Give up the pot."""
        if self.hands[self.mover].paid == self.hands[1 - self.mover].paid:
            raise IllegalAction("nothing_to_call", "there is nothing to call")
        self.folded = self.mover
        self.done("fold")

    @action
    def call(self) -> None:
        """Pay what is missing; check if nothing is."""
        self.hands[self.mover].paid = self.hands[1 - self.mover].paid
        self.calls += 1
        self.done("call")
        if self.calls < 2 - (self.raises > 0):
            return
        if self.board is None:
            self.turn_board()
        else:
            self.showdown = True

    @action
    def raise_(self) -> None:
        """Raise by two chips, by four in the second round."""
        if self.raises == RAISES:
            raise IllegalAction("too_many", "there were two raises in this round")
        self.hands[self.mover].paid = self.hands[1 - self.mover].paid + (2 if self.board is None else 4)
        self.raises += 1
        self.done("raise")

    def done(self, word: Literal["fold", "call", "raise"]) -> None:
        self.last = word
        self.moves += 1
        self.mover = 1 - self.mover

    def turn_board(self) -> None:
        deck = [rank for rank in RANKS for _ in range(2)]
        for hand in self.hands:
            deck.remove(hand.rank)
        self.board = deck[self.draw(len(deck))]
        self.event("board", rank=self.board)
        self.mover = self.raises = self.calls = 0

    def to_move(self) -> tuple[int, ...]:
        return () if self.showdown or self.folded is not None else (self.mover,)

    def turn_number(self) -> int:
        return self.moves

    def legal_actions(self, player: int | None = None) -> list[dict[str, Any]]:
        if self.to_move() != (self.mover,) or player not in (None, self.mover):
            return []
        words = ["call"] if self.raises == RAISES else ["call", "raise"]
        if self.hands[0].paid != self.hands[1].paid:
            words.append("fold")
        return [{"type": word} for word in words]

    def outcome(self) -> Outcome | None:
        if self.folded is None and not self.showdown:
            return None
        return Outcome(None, "showdown" if self.folded is None else "fold", payoffs=self.scores())

    def scores(self) -> tuple[float, ...]:
        winner = self.winner()
        if winner is None:
            return (0.0, 0.0)
        won = float(self.hands[1 - winner].paid)
        return (won, -won) if winner == 0 else (-won, won)

    def winner(self) -> int | None:
        """Return who has won; None for a draw, and while the game goes on."""
        if self.folded is not None:
            return 1 - self.folded
        first, second = (4 if hand.rank == self.board else RANKS.index(hand.rank) for hand in self.hands)
        return int(second > first) if self.showdown and first != second else None

    def conceals(self, player: int, entity: Entity, name: str) -> bool:
        return isinstance(entity, Hand) and entity.index != player and not self.showdown

    @classmethod
    def determinize(cls, view: list[Any], player: int, rng: Random, options: Any) -> Any:
        state = cls.from_view(view, options)
        if state.hands[1 - player].rank is None:
            left = [rank for rank in RANKS for _ in range(2)]
            left.remove(state.hands[player].rank)
            if state.board is not None:
                left.remove(state.board)
            state.hands[1 - player].rank = rng.choice(left)
            state.commit()
        return state

    def to_document(self) -> dict[str, Any]:
        names = ("board", "mover", "raises", "calls", "last", "moves", "folded", "showdown")
        plain = {name: getattr(self, name) for name in names}
        return {"hands": [[hand.rank, hand.paid] for hand in self.hands], **plain}

    def load(self, document: dict[str, Any]) -> None:
        self.hands = tuple(
            self.create(Hand, f"h{index}", index=index, rank=rank, paid=paid)
            for index, (rank, paid) in enumerate(document["hands"])
        )
        for name in document.keys() - {"hands"}:
            setattr(self, name, document[name])


def spec(state: type[State] = Leduc) -> GameSpec:
    return GameSpec(name="leduc_poker", title="Leduc poker", version="1", state=state)


class NeverShown(Leduc):
    """Shows the winner, but not the cards. This is no leak: the game is over."""

    def conceals(self, player: int, entity: Entity, name: str) -> bool:
        return isinstance(entity, Hand) and entity.index != player


class Copies(Leduc):
    """Has the ranks in a plain field as well."""

    ranks: tuple[str, ...] = field("The ranks, for the viewer.", ())

    def setup(self) -> None:
        super().setup()
        self.ranks = tuple(hand.rank for hand in self.hands)


class Tells(Leduc):
    """Says with each call what the caller holds."""

    @action
    def call(self) -> None:
        """Call."""
        self.event("called", by=self.mover, strength=10 * RANKS.index(self.hands[self.mover].rank))
        Leduc.call(self)


LEAKS: list[tuple[type[State], str]] = [(Copies, "game.ranks"), (Tells, "events[0].strength")]
"""Each leak, and words of the finding."""
