"""Veteran: sensible play without looking ahead.

Marines shoot visible aliens, cover the paths of the enemy, and carry the flamer to the objective. Aliens stay out of
sight, open doors when enough aliens are near, and attack from the side.
"""

from __future__ import annotations

from derelict import AI
from judgement import Judgement

from arena_derelict.board import board_of
from arena_derelict.pieces import Pieces


class Veteran(AI):
    """Makes the choice with the highest estimated value."""

    def start(self) -> None:
        """Prepare the map."""
        self.board = board_of(self.options["mission"])
        self.judgement = Judgement(self.options, self.board)

    def run_turn(self) -> None:
        """Make one choice. The kit calls this again while there is a choice."""
        game = self.game
        pieces = Pieces(self.board, game.units, game.doors, game.flames)  # type: ignore[arg-type]
        choice = self.judgement.choose(game, pieces, self.legal_actions)
        self.act({key: choice[key] for key in ("type", "x", "y") if key in choice})
