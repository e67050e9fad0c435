"""The state of a game of Saloon."""

from __future__ import annotations

from typing import Any

from arena.game import Outcome, State, Tile, action, field
from arena_saloon import documents, ending, estimate, legal_actions, map_generator, turns
from arena_saloon.entities import Bottle, Cowboy, Furnishing, Player, YoungGun, inwards
from arena_saloon.words import JOBS, Direction


class Game(State):
    """Two gangs share one saloon. The player with more piano plays wins."""

    classes = (Player, YoungGun, Cowboy, Furnishing, Bottle)
    grid = ("width", "height")

    current_turn: int = field("The turn being played, from 0; both players' turns count.", 0)
    current_player: int = field("The player whose turn it is, 0 or 1.", 0)
    width: int = field("Columns of the map, balcony included.", 0)
    height: int = field("Rows of the map, balcony included.", 0)
    players: tuple[Player, ...] = field("Both players.", ())
    cowboys: tuple[Cowboy, ...] = field(
        "All cowboys except newcomers, in order of arrival. The dead are removed at the end of the turn.", ()
    )
    arrivals: tuple[Cowboy, ...] = field(
        "Newcomers: cowboys called in during this turn. They join `cowboys` when the turn ends.", ()
    )
    furnishings: tuple[Furnishing, ...] = field("Pianos and other furnishings, in order of creation.", ())
    bottles: tuple[Bottle, ...] = field("All bottles in flight, in order of creation.", ())
    hazards: tuple[Tile, ...] = field("Tiles that hurt the cowboys on them at the end of every turn.", ())
    jobs: tuple[str, ...] = field("All jobs.", JOBS)
    next_cowboy: int = field("The number of the next cowboy's id.", 1)
    next_furnishing: int = field("The number of the next furnishing's id.", 1)
    next_bottle: int = field("The number of the next bottle's id.", 1)
    winner: int | None = field("The player who has won; null while the game goes on.", None)
    reason: str = field("Why the game is over, such as max_turns/score; empty while it goes on.", "")

    # -- the contract --------------------------------------------------------------------------------

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

    # -- actions -------------------------------------------------------------------------------------

    @action
    def end_turn(self) -> None:
        """End the turn.

        Your drunk cowboys stagger, your idle Sharpshooters gain focus, and your Brawlers punch. All bottles fly, and
        hazards hurt all cowboys on them. Your young gun goes one step. Then it is the other player's turn.
        """
        turns.end_turn(self)

    def add_bottle(self, x: int, y: int, direction: Direction, drunk_direction: Direction) -> None:
        """Add a bottle that flies from a tile."""
        number = self.next_bottle
        self.next_bottle = number + 1
        bottle = self.create(Bottle, f"b{number}", x=x, y=y, direction=direction, drunk_direction=drunk_direction)
        self.bottles = (*self.bottles, bottle)

    # -- queries of the rules ------------------------------------------------------------------------

    def is_balcony(self, x: int, y: int) -> bool:
        """Return whether a tile is on the edge, where only young guns are."""
        return x == 0 or y == 0 or x == self.width - 1 or y == self.height - 1

    def cowboy_at(self, x: int | None, y: int | None) -> Cowboy | None:
        """Return the living cowboy on a tile, newcomers included, or None."""
        for cowboy in self.cowboys:
            if cowboy.x == x and cowboy.y == y:
                return cowboy
        for cowboy in self.arrivals:
            if cowboy.x == x and cowboy.y == y:
                return cowboy
        return None

    def furnishing_at(self, x: int | None, y: int | None) -> Furnishing | None:
        """Return the furnishing on a tile, or None. A destroyed furnishing is on no tile."""
        for furnishing in self.furnishings:
            if furnishing.x == x and furnishing.y == y:
                return furnishing
        return None

    def bottle_at(self, x: int | None, y: int | None) -> Bottle | None:
        """Return the bottle on a tile, or None."""
        for bottle in self.bottles:
            if bottle.x == x and bottle.y == y:
                return bottle
        return None

    def thing_at(self, x: int, y: int) -> Cowboy | Furnishing | Bottle | None:
        """Return the object on a floor tile, or None. A tile has two objects only while bottles fly."""
        return self.cowboy_at(x, y) or self.furnishing_at(x, y) or self.bottle_at(x, y)

    def living_with_job(self, player: int, job: str) -> int:
        """Count a player's living cowboys of one job. Newcomers do not count."""
        return sum(1 for cowboy in self.cowboys if cowboy.owner == player and cowboy.job == job and not cowboy.is_dead)

    def piano_count(self) -> int:
        """Count the pianos that are not destroyed."""
        return sum(1 for furnishing in self.furnishings if furnishing.is_piano and not furnishing.is_destroyed)

    def piano_is_gone(self) -> None:
        """Decide the game now if no piano is left. The current action is still completed."""
        if self.piano_count() == 0:
            ending.decide(self, "pianos_destroyed")
