"""Decide when the game is over, and who has won."""

from __future__ import annotations

from arena.game import Integers
from arena_saloon.entities import Position


def check(game: Position) -> None:
    """Check at the end of a turn whether the game is over.

    The checks are in this order: the turn limit, no piano left, a lead that the other player cannot catch up with.
    """
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
    """Return the most points that one player can still get: pianos times turns, divided by 2 and rounded up.

    Args:
        pianos: The number of pianos left.
        turns: The number of turns left for both players together, the current turn included.
    """
    return (pianos * turns + 1) // 2


def decide(game: Position, cause: str) -> None:
    """Set winner and reason if they are not set. Compare the scores, then the kills, then flip a coin."""
    if game.reason:
        return
    first, second = game.players
    for criterion in ("score", "kills"):
        difference = getattr(first, criterion) - getattr(second, criterion)
        if difference:
            _fix(game, 0 if difference > 0 else 1, f"{cause}/{criterion}")
            return
    _fix(game, game.chance.draw(Integers(0, 1), "coin_flip"), f"{cause}/coin_flip")


def _fix(game: Position, winner: int, reason: str) -> None:
    game.winner = winner
    game.reason = reason
