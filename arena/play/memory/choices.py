"""What a player without a program gets, and what it gives back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from arena_player import wire

if TYPE_CHECKING:
    from arena.game import Document, GameSpec, State, View


# Copy messages, so that no player shares a list with another player, the rules or the record.

PLAIN = frozenset((str, int, float, bool, type(None), bytes))
FEW_ENTRIES = 8
"""An action with so few plain entries cannot exceed any limit of a message that `wire.check` does not check.

More than the actions of any game of the house have, and far below the limits: it is there for speed.
"""


def copied(value: Any) -> Any:
    """Return a deep copy of lists, tuples and dictionaries. Tuples become lists, as on the wire."""
    # A plain value within another is not passed on: most values are plain, and a call takes longer than the test.
    cls = type(value)
    if cls is dict:
        return {name: entry if type(entry) in PLAIN else copied(entry) for name, entry in value.items()}
    if cls is list or cls is tuple:
        return [entry if type(entry) in PLAIN else copied(entry) for entry in value]
    return value  # a plain value, or for example the bytes of an array


def as_sent(message: dict[str, Any]) -> dict[str, Any] | bytes:
    """Return a client's message as it would travel: its copy if it obeys all limits for certain, otherwise its bytes.

    Raises:
        wire.WireError: The client's end of a connection would not send it.
    """
    if not _is_short(message):
        return wire.pack(message)
    wire.check(message, "client")
    copy: dict[str, Any] = copied(message)
    return copy


def _is_short(message: dict[str, Any]) -> bool:
    actions = message.get("actions", ())
    if len(message) != 3 or type(actions) is not list or len(actions) != 1 or type(actions[0]) is not dict:
        return False
    action = actions[0]
    return len(action) <= FEW_ENTRIES and PLAIN.issuperset(map(type, action.values()))


@dataclass(frozen=True, slots=True)
class Answer:
    """The referee's answer to a player's actions.

    Attributes:
        accepted: How many of them were carried out.
        code: The code of the refusal; the player's ending if the player lost by these actions. Empty if all were
            carried out.
        message: The reason in words.
        value: The id of the object that the last action made; None if it made none.
        draws: The public draws of the actions, each a label and a value.
        your_move: Whether the player is still to move.
    """

    accepted: int
    code: str = ""
    message: str = ""
    value: str | None = None
    draws: Sequence[Sequence[Any]] = ()
    your_move: bool = False


@dataclass(frozen=True, slots=True)
class Turn:
    """What a policy gets whenever it must choose.

    Attributes:
        state: The state of the game, with everything that is hidden from the player. The policy must not change it.
        player: The number of the policy's player.
        number: The number that the game gives to the turn.
        game: The game.
        answer: The answer to the policy's previous choice in this turn; None before the first choice.
    """

    state: State
    player: int
    number: int
    game: GameSpec
    answer: Answer | None = None

    @property
    def view(self) -> View:
        """What the player sees now, in the form of `State.view`."""
        return self.state.view(self.player)

    @property
    def legal_actions(self) -> list[Document]:
        """The player's legal actions."""
        return self.state.legal_actions(self.player)


Policy = Callable[[Turn], "Document | Sequence[Document]"]
"""A function that plays. It returns one action, or several to be tried in this order."""
