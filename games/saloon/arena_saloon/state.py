"""The state of a game of Saloon: what the framework calls."""

from __future__ import annotations

from typing import Any

from arena.game import Outcome
from arena_saloon import commands, documents, estimate, legal_actions, map_generator, turns, young_guns
from arena_saloon.entities import Player, Position, YoungGun, inwards


class Game(Position):
    """Two gangs share one saloon. The player with more piano plays wins."""

    action_functions = (turns.end_turn, young_guns.call_in, commands.move, commands.play, commands.act)

    def setup(self) -> None:
        """Make the starting position: a symmetric map without cowboys, with both young guns in their corners."""
        self.width, self.height = self.options.width, self.options.height
        right, bottom = self.width - 1, self.height - 1
        self.players = tuple(self._gang(index, x, y) for index, (x, y) in enumerate(((0, 0), (right, bottom))))
        map_generator.furnish(self)

    def _gang(self, index: int, x: int, y: int) -> Player:
        tile = inwards(x, y, self.width, self.height)
        gun = self.create(YoungGun, f"g{index}", owner=index, x=x, y=y, call_in_tile=tile)
        return self.create(Player, f"p{index}", index=index, young_gun=gun)

    def load(self, document: dict[str, Any]) -> None:
        """Load the position of a JSON document."""
        documents.read(self, document)

    def to_document(self) -> dict[str, Any]:
        """Return the position as JSON, in the form that the rules specify. It contains neither winner nor reason."""
        return documents.write(self)

    def to_move(self) -> tuple[int, ...]:
        """Return the current player; an empty tuple if the game is over."""
        return () if self.reason else (self.current_player,)

    def turn_number(self) -> int:
        """Return the number of the current turn, counted over both players."""
        return self.current_turn

    def legal_actions(self, player: int | None = None) -> list[dict[str, Any]]:
        """Return all legal actions; empty for the player who is not to move."""
        if self.reason or (player is not None and player != self.current_player):
            return []
        return legal_actions.legal_actions(self)

    def outcome(self) -> Outcome | None:
        """Return the outcome, or None while the game goes on."""
        return Outcome(self.winner, self.reason) if self.reason else None

    def scores(self) -> tuple[float, ...]:
        """Return the points of both players."""
        return tuple(float(player.score) for player in self.players)

    def evaluate(self) -> tuple[float, ...]:
        """Estimate the probabilities that the players win."""
        return estimate.shares(self)
