"""How the game ends, and who has won."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arena.game import Integers

if TYPE_CHECKING:
    from arena_saloon.state import Game


def check(game: Game) -> None:
    """Judge at the end of a turn whether the game is over: limit first, then pianos, then out of reach."""
    if game.reason:
        return
    if game.current_turn + 1 >= game.options.max_turns:
        decide(game, "max_turns")
        return
    pianos = game.piano_count()
    if pianos == 0:
        decide(game, "pianos_destroyed")
        return
    lead = game.players[0].score - game.players[1].score
    if abs(lead) > most_points(pianos, game.options.max_turns - game.current_turn):
        _fix(game, 0 if lead > 0 else 1, "out_of_reach/score")


def most_points(pianos: int, turns: int) -> int:
    """Return how many points one player can still make: each piano once in each own turn.

    Args:
        pianos: How many are left.
        turns: How many turns of both players are left, the present one included.
    """
    return (pianos * turns + 1) // 2


def decide(game: Game, cause: str) -> None:
    """Fix the outcome by score, kills and coin flip, unless it is fixed already."""
    if game.reason:
        return
    first, second = game.players
    for criterion in ("score", "kills"):
        difference = getattr(first, criterion) - getattr(second, criterion)
        if difference:
            _fix(game, 0 if difference > 0 else 1, f"{cause}/{criterion}")
            return
    _fix(game, game.chance.draw(Integers(0, 1), "coin_flip"), f"{cause}/coin_flip")


def _fix(game: Game, winner: int, reason: str) -> None:
    game.winner = winner
    game.reason = reason
