"""A test game of simultaneous moves: rock, paper, scissors over several rounds, with sealed orders."""

from __future__ import annotations

from random import Random
from typing import Any, Literal

from arena.game import Entity, GameSpec, IllegalAction, Option, Outcome, State, action, field

Hand = Literal["rock", "paper", "scissors"]
BEATS = {"rock": "scissors", "paper": "rock", "scissors": "paper"}


class Player(Entity):
    """One of the two players."""

    index: int = field("0 or 1.")
    score: int = field("Rounds won.", 0)
    sealed: str | None = field("The hand chosen for this round, until both have chosen.", None, secret=True)


class Rounds(State):
    """The game: both choose at the same time, round after round."""

    classes = (Player,)
    hidden_information = True

    round: int = field("The round being played, from 1.", 1)
    players: tuple[Player, ...] = field("Both players.", ())

    def setup(self) -> None:
        self.players = tuple(self.create(Player, f"p{index}", index=index) for index in range(2))

    def load(self, document: dict[str, Any]) -> None:
        self.round = document["round"]
        self.players = tuple(
            self.create(Player, f"p{index}", index=index, score=score, sealed=sealed)
            for index, (score, sealed) in enumerate(zip(document["scores"], document["sealed"], strict=True))
        )

    def to_document(self) -> dict[str, Any]:
        return {
            "round": self.round,
            "scores": [player.score for player in self.players],
            "sealed": [player.sealed for player in self.players],
        }

    def to_move(self) -> tuple[int, ...]:
        if self.round > self.options.rounds:
            return ()
        return tuple(player.index for player in self.players if player.sealed is None)

    def turn_number(self) -> int:
        return self.round

    def conceals(self, player: int, entity: Entity, name: str) -> bool:
        return isinstance(entity, Player) and entity.index != player

    @action
    def choose(self, hand: Hand) -> None:
        """Choose a hand for this round.

        Args:
            hand: What to show.
        """
        player = self.players[self.actor]
        if player.sealed is not None:
            raise IllegalAction("already_chosen", "you have chosen already")
        player.sealed = hand
        if all(one.sealed is not None for one in self.players):
            self._resolve()

    def _resolve(self) -> None:
        hands = [player.sealed for player in self.players]
        self.event("shown", hands=hands)
        for player, own, other in zip(self.players, hands, reversed(hands), strict=True):
            if BEATS[own or ""] == other:
                player.score += 1
            player.sealed = None
        self.round += 1

    def legal_actions(self, player: int | None = None) -> list[dict[str, Any]]:
        may = self.to_move()
        if not may or (player is not None and player not in may):
            return []
        return [{"type": "choose", "hand": hand} for hand in BEATS]

    def outcome(self) -> Outcome | None:
        if self.round <= self.options.rounds:
            return None
        first, second = self.scores()
        return Outcome(None if first == second else int(second > first), "rounds_played")

    def scores(self) -> tuple[float, ...]:
        return tuple(float(player.score) for player in self.players)

    @classmethod
    def determinize(cls, view: list[Any], player: int, rng: Random, options: Any) -> Rounds:
        """Guess that the other player has chosen nothing yet, since the choice is secret."""
        del player, rng
        return cls.from_view(view, options)


GAME = GameSpec(
    name="sealed_orders",
    title="Sealed orders",
    version="1",
    state=Rounds,
    options=(Option("rounds", "int", 5, "How many rounds.", 1, 1000),),
)
