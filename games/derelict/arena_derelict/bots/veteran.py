"""Veteran: sensible play without looking ahead.

Marines shoot what they see, cover the ways on which the enemy may come, and carry the flamer to the objective. Aliens
keep out of sight, open doors when there are enough of them, and attack from the side.
"""

from __future__ import annotations

from types import SimpleNamespace

from derelict import AI
from judgement import Judgement

from arena_derelict.board import Board
from arena_derelict.pieces import Pieces


class Veteran(AI):
    """Makes the choice that looks best."""

    def start(self) -> None:
        """Prepare the map."""
        self.board = Board(self.options["mission"])
        self.judgement = Judgement(self.options, self.board)

    def run_turn(self) -> None:
        """Make one choice; this is called again for as long as there is one."""
        game = self.game
        pieces = SimpleNamespace(board=self.board, units=game.units, doors=game.doors, flames=game.flames)
        choice = self.judgement.choose(game, Pieces(pieces), self.legal_actions)  # type: ignore[arg-type]
        self.act({key: choice[key] for key in ("type", "x", "y") if key in choice})
