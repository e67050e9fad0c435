"""The class that a bot is written as."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, ClassVar

from .draw import Draw
from .grid import Tile
from .objects import GameObject
from .result import Result

if TYPE_CHECKING:
    from .session import Session


class Outcome:
    """How a match ended.

    Attributes:
        won: True when this bot won.
        ending: How it ended for this bot: "won", "lost", "drawn", "timed_out" and so on.
        endings: The same for all players, in order.
        document: What the game itself says about it.
    """

    def __init__(self, document: dict[str, Any], endings: list[str], player: int) -> None:
        self.document = document
        self.endings = endings
        self.ending = endings[player] if player < len(endings) else ""
        self.won = self.ending == "won"

    def __repr__(self) -> str:
        return f"<Outcome: {self.ending} {self.document}>"


class AI:
    """Write a class below this one and fill in `run_turn`.

    Attributes:
        game: The game, always current; its objects are reached from here.
        player: You: the game's object for you, or your number where the game has none.
        me: Another name for `player`.
        index: Your number, from 0.
        turn: The number of the turn being played.
        settings: What was given with `--bot-option NAME=VALUE`.
        options: The options of the game as played.
        events: What happened since the last update, as maps with a `kind`.
        legal_actions: All actions that would be accepted now, where `wants_legal_actions` is set.
        draw: Draws on the board of the replay.
    """

    wants_legal_actions: ClassVar[bool] = False
    """Set to True to have `self.legal_actions` filled in; costs time in each move."""

    schema_hash: ClassVar[str | None] = None
    game_classes: ClassVar[Mapping[str, type[GameObject]]] = {}
    tile_class: ClassVar[type[Tile]] = Tile

    game: Any
    player: Any
    me: Any
    index: int
    turn: int
    settings: dict[str, str]
    options: dict[str, Any]
    events: list[dict[str, Any]]
    legal_actions: list[dict[str, Any]]
    draw: Draw

    _session: "Session"

    def start(self) -> None:
        """Called once before the first turn, when `self.game` is complete."""

    def run_turn(self) -> None:
        """Called when it is your turn: call actions here, and return when you are done.

        Returning ends the turn in games that have an action for it. In games where the last
        action ends the turn, this is called again for as long as you are to move.
        """
        raise NotImplementedError("write a method run_turn(self) in your class")

    def game_updated(self) -> None:
        """Called after each change of the game, in your turn and in the others'."""

    def refused(self, action: dict[str, Any], result: Result[Any]) -> None:
        """Called when an action of yours was refused; `result` has code and message."""

    def end(self, outcome: Outcome) -> None:
        """Called once when the match is over."""

    @property
    def time_left(self) -> float | None:
        """Seconds left for this turn; None when there is no clock."""
        return self._session.time_left()

    def log(self, *values: object) -> None:
        """Writes a line into the replay, like `print`. Only you will see it.

        It is sent with your next action: what `start` logs appears with the first one, what `end` logs is lost.
        """
        self._session.notes.write(" ".join(map(str, values)))

    def act(self, action: dict[str, Any]) -> Result[Any]:
        """Sends an action in the form of the game's specification: {"type": ..., ...}."""
        return self._session.act(action)

    @contextmanager
    def batch(self) -> Iterator[list[Result[Any]]]:
        """Sends all actions of a `with` block at once, which is faster than one by one.

        The actions are carried out in order up to the first that is refused. Gives the list of
        their results, which is filled in when the block ends.

            with self.batch() as results:
                first.move(tile)
                second.move(other)
        """
        with self._session.batch() as results:
            yield results
