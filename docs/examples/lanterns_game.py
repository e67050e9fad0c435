"""A cooperative card game for two to five: everybody sees the cards of the others, and nobody their own."""

from __future__ import annotations

from random import Random
from typing import Any, Literal

from arena.game import Entity, GameSpec, IllegalAction, Integers, Option, Outcome, State, action, field

Colour = Literal["red", "green", "blue"]
COLOURS: tuple[Colour, ...] = ("red", "green", "blue")
COPIES = {1: 3, 2: 2, 3: 2, 4: 1}
DECK = tuple((colour, rank) for colour in COLOURS for rank, copies in COPIES.items() for _ in range(copies))
HINTS, MISTAKES, HAND = 8, 3, 3


class Card(Entity):
    """A card in a hand. All but its owner see it."""

    owner: int = field("Whose it is.")
    colour: Colour = field("Its colour.", secret=True)
    rank: int = field("1 to 4.", secret=True)
    told_colour: Colour | None = field("The colour, if a hint has told the owner.", None)
    told_rank: int | None = field("The rank, if a hint has told the owner.", None)

    @action
    def play(self) -> None:
        """Play the card. It must be the next one of its colour, or it is a mistake."""
        game: Lanterns = self.game
        game.check_owner(self)
        game.show(self, "played")
        if self.rank == game.lit[COLOURS.index(self.colour)] + 1:
            game.lit = tuple(n + (self.colour == colour) for n, colour in zip(game.lit, COLOURS, strict=True))
        else:
            game.mistakes += 1
        game.replace(self)

    @action
    def discard(self) -> None:
        """Throw the card away, and get a hint back."""
        game: Lanterns = self.game
        game.check_owner(self)
        if game.hints == HINTS:
            raise IllegalAction("no_need", "all hints are there")
        game.show(self, "discarded")
        game.hints += 1
        game.replace(self)


class Lanterns(State):
    """The game: light the lanterns of each colour in the order of their ranks."""

    classes = (Card,)
    hidden_information = True
    cooperative = True

    turn: int = field("The turn, from 0.", 0)
    next_card: int = field("The number of the next card.", 0)
    hints: int = field("Hints left.", HINTS)
    mistakes: int = field("Mistakes made. The third ends the game.", 0)
    lit: tuple[int, ...] = field("The highest lantern of red, green and blue.", (0, 0, 0))
    gone: tuple[int, ...] = field("All cards that were played or discarded, as numbers in the deck's order.", ())
    last_turn: int | None = field("The last turn, once the deck is empty.", None)
    cards: tuple[Card, ...] = field("The cards in all hands.", ())

    def setup(self) -> None:
        for player in range(self.options.players):
            for _ in range(HAND):
                self.deal(player)

    # -- cards

    def kind(self, card: Card) -> int:
        return DECK.index((card.colour, card.rank))

    def unseen(self, cards: tuple[Card, ...]) -> list[int]:
        """List the cards that are neither gone nor among these."""
        left = [DECK.index(one) for one in DECK]
        for kind in (*self.gone, *map(self.kind, cards)):
            left.remove(kind)
        return left

    def deal(self, player: int) -> None:
        left = self.unseen(self.cards)
        if not left:
            return
        colour, rank = DECK[left[self.chance.draw(Integers(0, len(left) - 1), "card")]]
        card = self.create(Card, f"c{self.next_card}", owner=player, colour=colour, rank=rank)
        self.next_card += 1
        self.cards = (*self.cards, card)

    def check_owner(self, card: Card) -> None:
        if card.owner != self.actor:
            raise IllegalAction("not_yours", "this card is in another hand")

    def show(self, card: Card, what: str) -> None:
        self.event(what, player=card.owner, colour=card.colour, rank=card.rank)

    def replace(self, card: Card) -> None:
        self.gone = (*self.gone, self.kind(card))
        self.cards = tuple(one for one in self.cards if one is not card)
        self.remove(card)
        self.deal(card.owner)
        self.pass_on()

    def pass_on(self) -> None:
        self.turn += 1
        if self.last_turn is None and len(self.unseen(self.cards)) == 0:
            self.last_turn = self.turn + self.options.players

    # -- hints

    @action
    def hint_colour(self, player: int, colour: Colour) -> None:
        """Tell another player which of their cards have a colour.

        Args:
            player: Who is told.
            colour: The colour; at least one card must have it.
        """
        told = self.hinted(player, [card for card in self.cards if card.owner == player and card.colour == colour])
        for card in told:
            card.told_colour = colour
        self.pass_on()

    @action
    def hint_rank(self, player: int, rank: int) -> None:
        """Tell another player which of their cards have a rank.

        Args:
            player: Who is told.
            rank: The rank; at least one card must have it.
        """
        told = self.hinted(player, [card for card in self.cards if card.owner == player and card.rank == rank])
        for card in told:
            card.told_rank = rank
        self.pass_on()

    def hinted(self, player: int, cards: list[Card]) -> list[Card]:
        if player == self.actor:
            raise IllegalAction("yourself", "hints are for others")
        if not self.hints:
            raise IllegalAction("no_hints", "no hints are left")
        if not cards:
            raise IllegalAction("no_such_card", "no card of this player is like that")
        self.hints -= 1
        return cards

    # -- the contract

    def to_move(self) -> tuple[int, ...]:
        over = self.mistakes >= MISTAKES or sum(self.lit) == 4 * len(COLOURS)
        return () if over or self.turn == self.last_turn else (self.turn % self.options.players,)

    def turn_number(self) -> int:
        return self.turn

    def legal_actions(self, player: int | None = None) -> list[dict[str, Any]]:
        may = self.to_move()
        if not may or player not in (None, *may):
            return []
        own = [card for card in self.cards if card.owner == may[0]]
        found: list[dict[str, Any]] = [{"type": "play", "card": card.id} for card in own]
        if self.hints < HINTS:
            found += [{"type": "discard", "card": card.id} for card in own]
        if self.hints:
            others = [card for card in self.cards if card.owner != may[0]]
            found += [
                {"type": "hint_colour", "player": player, "colour": colour}
                for player, colour in sorted({(card.owner, card.colour) for card in others})
            ]
            found += [
                {"type": "hint_rank", "player": player, "rank": rank}
                for player, rank in sorted({(card.owner, card.rank) for card in others})
            ]
        return found

    def outcome(self) -> Outcome | None:
        if self.to_move():
            return None
        reason = "mistakes" if self.mistakes >= MISTAKES else "all_lit" if sum(self.lit) == 12 else "deck_empty"
        return Outcome.together(reason, sum(self.lit))

    def scores(self) -> tuple[float, ...]:
        return (float(sum(self.lit)),) * self.options.players

    def conceals(self, player: int, entity: Entity, name: str) -> bool:
        return isinstance(entity, Card) and entity.owner == player

    def to_document(self) -> dict[str, Any]:
        cards = [[card.id, card.owner, self.kind(card), card.told_colour, card.told_rank] for card in self.cards]
        names = ("turn", "next_card", "hints", "mistakes", "last_turn")
        return {"lit": list(self.lit), "gone": list(self.gone), "cards": cards} | {n: getattr(self, n) for n in names}

    def load(self, document: dict[str, Any]) -> None:
        for name in ("turn", "next_card", "hints", "mistakes", "last_turn"):
            setattr(self, name, document[name])
        self.lit, self.gone = tuple(document["lit"]), tuple(document["gone"])
        made = []
        for id_, owner, kind, told_colour, told_rank in document["cards"]:
            (colour, rank), told = DECK[kind], {"told_colour": told_colour, "told_rank": told_rank}
            made.append(self.create(Card, id_, owner=owner, colour=colour, rank=rank, **told))
        self.cards = tuple(made)

    @classmethod
    def determinize(cls, view: list[Any], player: int, rng: Random, options: Any) -> Any:
        state = cls.from_view(view, options)
        own = [card for card in state.cards if card.owner == player]
        left = state.unseen(tuple(card for card in state.cards if card.owner != player))
        rng.shuffle(left)
        fill_in(own, left)
        state.commit()
        return state


def fill_in(cards: list[Card], left: list[int]) -> bool:
    """Give each card a value that agrees with the hints, from the cards left."""
    if not cards:
        return True
    first, *rest = cards
    for place, kind in enumerate(left):
        colour, rank = DECK[kind]
        if first.told_colour in (None, colour) and first.told_rank in (None, rank):
            first.colour, first.rank = colour, rank
            if fill_in(rest, left[:place] + left[place + 1 :]):
                return True
    return False


def spec(state: Any = Lanterns) -> GameSpec:
    players = Option("players", "int", 3, "How many play.", 2, 5)
    return GameSpec(name="lanterns", title="Lanterns", version="1.0", state=state, options=(players,))
