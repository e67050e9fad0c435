"""How the recorded games of a specification are read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from arena.game.chance import Chance, Draw, Scripted
from arena.game.values import Document

if TYPE_CHECKING:
    from arena.game.options import OptionValues
    from arena.game.spec import GameSpec
    from arena.game.state import State


class TraceFormat:
    """The first line and the draws of a trace; a game overrides what its specification writes otherwise."""

    def options(self, first: Document) -> Document:
        """Return the options given in a trace's first line."""
        options: Document = first.get("options", {})
        return options

    def start(self, game: GameSpec, options: OptionValues, first: Document) -> State:
        """Build the starting state: by the set-up draws where the trace has them, else from its first state."""
        chance = self.setup_chance(first)
        if chance is None:
            return game.load(first["initial"], options)
        return game.start(options, chance)

    def setup_chance(self, first: Document) -> Chance | None:
        """Return a script of the set-up's draws, or None where the trace starts from a given state."""
        draws = first.get("setup_draws")
        return None if draws is None else Scripted(draws)

    def chance(self, draws: list[Any]) -> Scripted:
        """Return a script of the draws of one action."""
        return Scripted(draws)

    def draws(self, made: list[Draw]) -> list[Any]:
        """Return draws that were made as the trace would list them."""
        return [draw.value for draw in made]

    def legal_actions(self, state: State) -> list[Document]:
        """Return the list that the trace should hold."""
        return state.legal_actions() if state.to_move() else []

    def document(self, state: State) -> Document:
        """Return the state as the trace should hold it."""
        return state.to_document()

    def extras(self, state: State) -> Document:
        """Return further keys of a line which this game's traces may hold."""
        del state
        return {}

    def comparable(self, key: str, value: Any) -> Any:
        """Return a further key's value so that equal meanings are equal: where order means nothing, sorted."""
        del key
        return value
