"""The format of traces: the recorded games that come with a specification."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from arena.game.chance import Chance, Draw, Scripted
from arena.game.data import Document

if TYPE_CHECKING:
    from arena.game.options import OptionValues
    from arena.game.spec import GameSpec
    from arena.game.state import State


class TraceFormat:
    """Converts the parts of a trace. A game overrides the methods of the parts whose format differs in its traces."""

    def options(self, first: Document) -> Document:
        """Return the options given in a trace's first line."""
        options: Document = first.get("options", {})
        return options

    def start(self, game: GameSpec, options: OptionValues, first: Document) -> State:
        """Build the starting state from a trace's first line.

        If the line has set-up draws, set up the game with these draws. Otherwise load the state that the line contains.
        """
        chance = self.setup_chance(first)
        if chance is None:
            return game.load(first["initial"], options)
        return game.start(options, chance)

    def setup_chance(self, first: Document) -> Chance | None:
        """Return a script of the set-up's draws, or None if the trace starts from a given state."""
        draws = first.get("setup_draws")
        return None if draws is None else Scripted(draws)

    def chance(self, draws: list[Any]) -> Scripted:
        """Return a script of the draws of one action."""
        return Scripted(draws)

    def draws(self, made: list[Draw]) -> list[Any]:
        """Return draws in the form of the trace."""
        return [draw.value for draw in made]

    def legal_actions(self, state: State) -> list[Document]:
        """Return the list of legal actions in the form of the trace."""
        return state.legal_actions() if state.to_move() else []

    def document(self, state: State) -> Document:
        """Return the state in the form of the trace."""
        return state.to_document()

    def extras(self, state: State) -> Document:
        """Return the additional keys and values of a line in this game's traces."""
        del state
        return {}

    def comparable(self, key: str, value: Any) -> object:
        """Return a value in a normal form for comparison. For example, sort a list whose order has no meaning."""
        del key
        return value
