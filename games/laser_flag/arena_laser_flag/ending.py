"""Check for the end of the game. Each function `end_on_...` returns whether it has ended the game."""

from __future__ import annotations

from arena_laser_flag.entities import Position


def end_on_score(game: Position, player: int) -> bool:
    """End the game if a player has reached the target score."""
    scorer = game.players[player]
    if scorer.target_score is None or scorer.score < scorer.target_score:
        return False
    return _end(game, player, "score")


def end_on_elimination(game: Position, player: int) -> bool:
    """End the game if a player has no unit left."""
    loser = game.players[player]
    if loser.units:
        return False
    # If attackers without a target score are eliminated, the player with more points wins.
    is_attacker = game.mode == "assault" and not can_recharge(game, player)
    if is_attacker and loser.target_score is None:
        return _end(game, _leader(game), "elimination")
    return _end(game, 1 - player, "elimination")


def end_on_checkmate(game: Position, player: int) -> bool:
    """End the game if the rule `checkmate` is on and a player is checkmated.

    Checkmate: all the player's lasers are off, and enemies stand on all bases that the player can use.
    """
    rules = game.rules
    units = game.players[player].units
    if not rules.checkmate or not units:
        return False
    for unit in units:
        if unit.laser != "deactivated":
            return False
    places = [base[:2] for base in game.board.bases if rules.usable(base.owner, player)]
    if not places or not {unit.place for unit in game.players[1 - player].units}.issuperset(places):
        return False
    game.event("checkmate", player=player)
    return _end(game, 1 - player, "checkmate")


def end_on_turn_limit(game: Position) -> bool:
    """End the game if the last turn is over."""
    return game.turn > game.last_turn and _end(game, _leader(game), "turn_limit")


def can_recharge(game: Position, player: int) -> bool:
    """Return whether the map has a base that a player can use, even if a unit stands on the base."""
    return any(game.rules.usable(base.owner, player) for base in game.board.bases)


def _leader(game: Position) -> int | None:
    first, second = (player.score for player in game.players)
    return None if first == second else int(second > first)


def _end(game: Position, winner: int | None, reason: str) -> bool:
    game.winner = winner
    game.reason = reason
    return True
