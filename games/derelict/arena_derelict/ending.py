"""The end of the game."""

from __future__ import annotations

from arena_derelict.position import Position

DECISION_DETAILS = ("unit", "origin", "remaining", "rolled", "attacker", "defender", "marine_dice", "alien_dice")


def judge(game: Position) -> None:
    """End the game if an end condition holds before the next choice."""
    if _holds_at_any_time(game):
        return
    decision = game.decision
    if (
        decision is not None
        and decision.kind == "turn"
        and not any(unit.player == decision.player for unit in game.units)
    ):
        finish(game, 1 - decision.player, "no_units")


def judge_at_pass(game: Position) -> None:
    """End the game if an end condition holds at the end of a side's turn."""
    if _holds_at_any_time(game):
        return
    options = game.options
    if game.side == "alien" and 0 < options.turn_limit <= game.turn:
        finish(game, {"marine": 0, "alien": 1, "draw": None}[options.limit_winner], "turn_limit")


def finish(game: Position, winner: int | None, reason: str) -> None:
    """End the game."""
    decision = game.decision
    assert decision is not None
    for name in DECISION_DETAILS:
        setattr(decision, name, None)
    game.decision = None
    game.agenda = ()
    game.winner = winner
    game.ended = reason
    game.event("ended", winner=winner, reason=reason)


def _holds_at_any_time(game: Position) -> bool:
    kinds = {unit.kind for unit in game.units}
    if "marine" not in kinds:
        finish(game, 1, "marines_eliminated")
    elif game.board.objectives and _mission_is_decided(game):
        pass
    elif len(kinds) == 1 and not reinforcements_possible(game):
        finish(game, 0, "aliens_eliminated")
    return game.ended is not None


def _mission_is_decided(game: Position) -> bool:
    if game.flames and not set(game.flames).isdisjoint(game.board.objectives):
        finish(game, 0, "objective_burned")
    elif not any(unit.marine_type == "marine_flame" for unit in game.units):
        finish(game, 1, "flamer_lost")
    elif game.flamer_fuel == 0:
        finish(game, 1, "fuel_exhausted")
    return game.ended is not None


def reinforcements_possible(game: Position) -> bool:
    """Return whether the mission has lurk cells, and the options allow reinforcements."""
    options = game.options
    return bool(game.board.lurk_cells and (options.reinforcements_first or options.reinforcements_later))
