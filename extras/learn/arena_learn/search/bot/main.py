"""builtin:search: plays any game by search, from its rules and its built-in bots."""

from __future__ import annotations

from engine import Budget, Searcher

from arena.game import load
from arena_player import AI


class Search(AI):
    """Takes the first action of the best plan, or the action that did best in playouts.

    Its settings are ``playouts`` and ``seconds``, both for one turn: ``builtin:search?playouts=200``.
    """

    def start(self) -> None:
        """Read the settings."""
        game = load(self.game.world.schema.game)
        players = game.players_in(self.options)
        self.searcher = Searcher(game, self.index, players, Budget.of(self.settings), self.random)

    def run_turn(self) -> None:
        """Choose one action after the other, while it is this bot's move."""
        while (choice := self.searcher.choose(self.game.fork, self.time_left)) is not None:
            self.log("search", value=choice.value, playouts=choice.playouts)
            if not self.act(choice.action):
                return
