"""A test game for several players who move at the same time: draw a card each round, and keep it or not."""

from __future__ import annotations

from random import Random
from typing import Any

from arena.game import Entity, GameSpec, Integers, Option, Outcome, State, action, field


class Player(Entity):
    """One of the players."""

    index: int = field("From 0.")
    score: int = field("The sum of the cards that were kept.", 0)
    done: bool = field("Whether the player has moved in this round.", False)


class Rounds(State):
    """All move in each round. The rules draw when a player submits, so the order of submissions matters."""

    classes = (Player,)

    round: int = field("The round that is played, from 1.", 1)
    players: tuple[Player, ...] = field("All players.", ())

    def setup(self) -> None:
        self.players = tuple(self.create(Player, f"p{index}", index=index) for index in range(self.options.players))

    def to_document(self) -> dict[str, Any]:
        return {"round": self.round, "players": [[player.score, player.done] for player in self.players]}

    def load(self, document: dict[str, Any]) -> None:
        self.round = document["round"]
        self.players = tuple(
            self.create(Player, f"p{index}", index=index, score=score, done=done)
            for index, (score, done) in enumerate(document["players"])
        )

    def to_move(self) -> tuple[int, ...]:
        over = self.round > self.options.rounds
        return () if over else tuple(player.index for player in self.players if not player.done)

    def turn_number(self) -> int:
        return self.round

    @action
    def keep(self) -> None:
        """Draw a card and keep it."""
        self.players[self.actor].score += self.chance.draw(Integers(1, 1000), "card")
        self._done()

    @action
    def pass_(self) -> None:
        """Draw nothing."""
        self._done()

    def _done(self) -> None:
        self.players[self.actor].done = True
        if all(player.done for player in self.players):
            for player in self.players:
                player.done = False
            self.round += 1

    def legal_actions(self, player: int | None = None) -> list[dict[str, Any]]:
        may = self.to_move()
        if not may or (player is not None and player not in may):
            return []
        return [{"type": "keep"}, {"type": "pass"}]

    def outcome(self) -> Outcome | None:
        if self.to_move():
            return None
        scores = self.scores()
        return Outcome(None, "rounds_played", tuple(1 + sum(other > own for other in scores) for own in scores))

    def scores(self) -> tuple[float, ...]:
        return tuple(float(player.score) for player in self.players)

    @classmethod
    def determinize(cls, view: list[Any], player: int, rng: Random, options: Any) -> Rounds:
        del player, rng
        return cls.from_view(view, options)


GAME = GameSpec(
    name="tallest",
    title="Tallest",
    version="1",
    state=Rounds,
    options=(
        Option("players", "int", 4, "How many play.", 2, 8),
        Option("rounds", "int", 12, "How many rounds.", 1, 1000),
    ),
)
