"""Decide a match of several games (legs), in which the contestants swap sides after each game."""

from __future__ import annotations

from arena_derelict.position import Position

_BY_DEED = ("objective_burned", "aliens_eliminated")


def leg_score(game: Position) -> int:
    """Return the score of the marines' side in one game (leg). In a tied match, the sums of these scores decide.

    A win gives 1000 points, and each surviving marine gives 10. A win by objective or elimination also gives the turn
    limit (0 for no limit) minus the turn number.
    """
    won = game.ended is not None and game.winner == 0
    score = 10 * sum(unit.kind == "marine" for unit in game.units)
    if won:
        score += 1000
        if game.ended in _BY_DEED:
            score += game.options.turn_limit - game.turn
    return score


def decide(legs: list[Position]) -> int | None:
    """Decide a match of an even number of games.

    Args:
        legs: The games. Contestant 0 is player 0 in the first game, the third and so on.

    Returns:
        The contestant who won, or None for a draw.
    """
    points = [0.0, 0.0]
    as_marines = [0, 0]
    for number, game in enumerate(legs):
        marines = number % 2
        if game.winner is None:
            points[0] += 0.5
            points[1] += 0.5
        else:
            points[marines if game.winner == 0 else 1 - marines] += 1
        as_marines[marines] += leg_score(game)
    for first, second in (points, as_marines):
        if first != second:
            return 0 if first > second else 1
    return None
