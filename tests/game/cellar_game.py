"""A test game with hidden information and dice: cards held close, a cellar to hide them in, and a die for luck."""

from __future__ import annotations

from random import Random
from typing import Any

from arena.game import Chance, Entity, GameSpec, IllegalAction, Integers, Option, Outcome, State, action, field

RANKS = Integers(1, 9)
DIE = Integers(1, 6)


class Player(Entity):
    """One of the two players."""

    index: int = field("0 or 1.")
    score: int = field("Points won.", 0)
    stashed: int = field("The number of the player's cards in the cellar, which everybody may know.", 0)


class Card(Entity):
    """A card in a player's hand, or in the cellar, where only the owner can see it."""

    owner: Player = field("Whose it is.")
    rank: int = field("1 to 9; known to the owner only.", secret=True)
    in_cellar: bool = field("It lies in the cellar.", False)

    game: Cellar

    @action
    def play(self) -> None:
        """Show the card and roll a die: from 3 on, its rank is won. A new card comes into the hand."""
        game = self.game
        game.check_owner(self)
        roll = game.chance.draw(DIE, "luck")
        game.event("played", player=game.actor, rank=self.rank, roll=roll)
        if roll >= 3:
            self.owner.score += self.rank
        if self.in_cellar:
            self.owner.stashed -= 1
        game.remove(self)
        game.deal(self.owner, game.chance)
        game.pass_turn()

    @action
    def stash(self) -> Card:
        """Put the card into the cellar, out of sight. A new card comes into the hand.

        Returns:
            The new card.
        """
        game = self.game
        game.check_owner(self)
        if self.in_cellar:
            raise IllegalAction("in_cellar", "the card is in the cellar already")
        self.in_cellar = True
        self.owner.stashed += 1
        game.event("stashed", seen_by=[game.actor], card=self.id, rank=self.rank)
        new = game.deal(self.owner, game.chance)
        game.pass_turn()
        return new


class Cellar(State):
    """The game: players take turns to play or hide cards, or to raid the other's hand."""

    classes = (Player, Card)
    hidden_information = True

    turn: int = field("The turn being played, from 1.", 1)
    next_card: int = field("The number of the next card.", 1)
    players: tuple[Player, ...] = field("Both players.", ())

    def setup(self) -> None:
        self.players = tuple(self.create(Player, f"p{index}", index=index) for index in range(2))
        for player in self.players:
            for _ in range(self.options.hand):
                self.deal(player, self.chance)

    def load(self, document: dict[str, Any]) -> None:
        self.turn = document["turn"]
        self.players = tuple(
            self.create(Player, f"p{index}", index=index, score=score) for index, score in enumerate(document["scores"])
        )
        for card in document["cards"]:
            owner = self.players[card["owner"]]
            self.create(Card, card["id"], owner=owner, rank=card["rank"], in_cellar=card["in_cellar"])
            owner.stashed += card["in_cellar"]
        self.next_card = document["next_card"]

    def to_document(self) -> dict[str, Any]:
        return {
            "turn": self.turn,
            "next_card": self.next_card,
            "scores": [player.score for player in self.players],
            "cards": [
                {"id": card.id, "owner": card.owner.index, "rank": card.rank, "in_cellar": card.in_cellar}
                for card in sorted(self.cards(), key=lambda card: int(card.id[1:]))
            ],
        }

    def cards(self) -> list[Card]:
        return [entity for entity in self._entities.values() if isinstance(entity, Card)]

    def deal(self, player: Player, chance: Chance) -> Card:
        rank = chance.draw(RANKS, "card", public=False)
        card = self.create(Card, f"k{self.next_card}", owner=player, rank=rank)
        self.next_card += 1
        return card

    def check_owner(self, card: Card) -> None:
        if card.owner.index != self.actor:
            if card.in_cellar:  # the player cannot know that there is such a card
                raise IllegalAction("bad_argument", "bad value for card")
            raise IllegalAction("not_yours", "this card is the other player's")

    def pass_turn(self) -> None:
        self.turn += 1

    @action
    def raid(self, card: Card) -> None:
        """Reach for a card in the other's hand; on a 5 or 6 it is taken.

        Args:
            card: A card of the other player, not in the cellar.
        """
        if card.owner.index == self.actor:
            raise IllegalAction("own_card", "this card is yours")
        if card.in_cellar:
            raise IllegalAction("bad_argument", "bad value for card")
        if self.chance.draw(DIE, "raid") >= 5:
            card.owner = self.players[self.actor]
        self.pass_turn()

    @action
    def end_turn(self) -> None:
        """Do nothing."""
        self.pass_turn()

    def to_move(self) -> tuple[int, ...]:
        return () if self.turn > self.options.turns else ((self.turn - 1) % 2,)

    def turn_number(self) -> int:
        return self.turn

    def legal_actions(self, player: int | None = None) -> list[dict[str, Any]]:
        may = self.to_move()
        if not may or (player is not None and player not in may):
            return []
        listed: list[dict[str, Any]] = [{"type": "end_turn"}]
        for card in self.cards():
            if card.owner.index != may[0]:
                listed += [] if card.in_cellar else [{"type": "raid", "card": card.id}]
                continue
            listed.append({"type": "play", "card": card.id})
            if not card.in_cellar:
                listed.append({"type": "stash", "card": card.id})
        return listed

    def outcome(self) -> Outcome | None:
        if self.to_move():
            return None
        first, second = self.scores()
        return Outcome(None if first == second else int(second > first), "turns_played")

    def scores(self) -> tuple[float, ...]:
        return tuple(float(player.score) for player in self.players)

    def sees(self, player: int, entity: Entity) -> bool:
        return not (isinstance(entity, Card) and entity.in_cellar and entity.owner.index != player)

    def conceals(self, player: int, entity: Entity, name: str) -> bool:
        return isinstance(entity, Card) and entity.owner.index != player

    @classmethod
    def determinize(cls, view: list[Any], player: int, rng: Random, options: Any) -> Cellar:
        """Guess the ranks of the other player's cards, and the numbers of the cards in the cellar."""
        state = cls.from_view(view, options)
        for card in state.cards():
            if card.rank is None:
                card.rank = RANKS.sample(rng)
        missing = [number for number in range(1, state.next_card) if state.entity(f"k{number}") is None]
        other = state.players[1 - player]
        for number in sorted(rng.sample(missing, other.stashed)):
            state.create(Card, f"k{number}", owner=other, rank=RANKS.sample(rng), in_cellar=True)
        return state


GAME = GameSpec(
    name="cellar",
    title="Cellar",
    version="1",
    state=Cellar,
    options=(
        Option("turns", "int", 12, "How many turns.", 1, 1000),
        Option("hand", "int", 3, "How many cards each has.", 1, 10),
    ),
)
