"""The types of a state to search in. `game.fork()` returns such a state; `arena sdk` adds the game's own fields."""

from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

if TYPE_CHECKING:
    from random import Random
    from typing import Self


class SearchTile(NamedTuple):
    """A tile of a state: a pair of numbers with names."""

    x: int
    y: int


class SearchOutcome(Protocol):
    """The result of a state that is over."""

    winner: int | None
    """The player who has won, or None."""
    reason: str
    """Why the game is over."""


class SearchState(Protocol):
    """A copy of the game. It is not connected to the match."""

    def legal_actions(self, player: int | None = None) -> list[dict[str, Any]]:
        """Return the legal actions of a player, by default of the first player to move."""

    def random_action(self, player: int, rng: "Random") -> dict[str, Any]:
        """Return a legal action at random. The player must be to move."""

    def push(self, player: int, action: dict[str, Any], chance: Any = None) -> int:
        """Carry out an action, and return a mark for `pop`.

        Args:
            player: The player who acts.
            action: The action.
            chance: The source of dice. By default the dice are random.
        """

    def pop(self, mark: int) -> None:
        """Undo all actions since `push` returned the mark."""

    def clone(self) -> "Self":
        """Return a copy that is independent of this state."""

    def to_move(self) -> tuple[int, ...]:
        """Return the players who are to move; none if the game is over."""

    def outcome(self) -> SearchOutcome | None:
        """Return the result, or None while the game goes on."""

    def scores(self) -> tuple[float, ...]:
        """Return the scores of the players."""

    def turn_number(self) -> int:
        """Return the game's number of the turn."""

    def entity(self, id_: str) -> Any:
        """Return the object with an id, or None."""
