"""The state of the game: what the framework calls."""

from __future__ import annotations

from functools import cache
from random import Random
from typing import Self

from arena.game import Document, OptionValues, Outcome, Tile, View
from arena_snakes import documents, ending, estimate, start, turns
from arena_snakes.entities import Position
from arena_snakes.words import DIRECTIONS, STEPS, Direction


class Game(Position):
    """Two to eight snakes on a square board; the last one wins."""

    action_functions = (turns.move,)
    hidden_information = True

    def prepare(self) -> None:
        """Make the tiles of the board, which all copies of the game share."""
        self.share(tiles=_tiles(self.options.size))

    def setup(self) -> None:
        """Make the starting position."""
        start.set_up(self)

    def load(self, document: Document) -> None:
        """Load the position of a JSON document."""
        documents.load(self, document)

    def to_document(self) -> Document:
        """Return the state as plain JSON."""
        return documents.to_document(self)

    def to_move(self) -> tuple[int, ...]:
        """Return the players who have not chosen a move yet; empty when the game is over."""
        if self.reason:
            return ()
        return tuple([snake.owner for snake in self.snakes if snake.chosen is None and not snake.cause])

    def turn_number(self) -> int:
        """Return the number of turns played. Clocks and replays use this number."""
        return self.turn

    def legal_actions(self, player: int | None = None) -> list[Document]:
        """Return all moves of a player; empty if the player is not to move. Even a deadly direction is legal."""
        to_move = self.to_move()
        if player is None and to_move:
            player = to_move[0]
        if player not in to_move:
            return []
        name = self.snakes[player].id
        return [{"type": "move", "snake": name, "direction": direction} for direction in STEPS]

    def fallback_action(self, player: int) -> Document:
        """Return the move straight ahead; up for a snake that has not moved yet."""
        snake = self.snakes[player]
        (x, y), (neck_x, neck_y) = snake.body[:2]
        direction: Direction = DIRECTIONS.get((x - neck_x, y - neck_y), "up")
        return {"type": "move", "snake": snake.id, "direction": direction}

    def leave(self, player: int) -> None:
        """Eliminate the snake of a player whose program has failed."""
        turns.leave(self, self.snakes[player])

    def outcome(self) -> Outcome | None:
        """Return the outcome, or None while the game goes on."""
        return ending.outcome(self) if self.reason else None

    def scores(self) -> tuple[float, ...]:
        """Return the length of each snake."""
        return tuple(float(len(snake.body)) for snake in self.snakes)

    def evaluate(self) -> tuple[float, ...]:
        """Estimate the probabilities that the players win."""
        return estimate.shares(self)

    @classmethod
    def determinize(cls, view: View, player: int, rng: Random, options: OptionValues) -> Self:  # noqa: ARG003
        """Return a state in which no other player has chosen a move, because their choices are hidden."""
        return cls.from_view(view, options)


@cache
def _tiles(size: int) -> tuple[Tile, ...]:
    return tuple(Tile(x, y) for y in range(size) for x in range(size))
