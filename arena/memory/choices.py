"""What a player without a program gets, and what it gives back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from arena.game import Document, GameSpec, State, View


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
