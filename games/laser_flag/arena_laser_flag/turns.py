"""The end of a turn, where unused action points become reaction shots."""

from __future__ import annotations

from arena.game import action
from arena_laser_flag.ending import end_on_turn_limit
from arena_laser_flag.entities import Position, Unit
from arena_laser_flag.visibility import witnesses


@action
def end_turn(game: Position) -> None:
    """End the turn. Your charging lasers become charged.

    Then your units with AP left and a charged laser go on overwatch, except those that have fired.
    """
    player = game.active_player
    for unit in game.players[player].units:
        _stand_down(game, unit)
    for unit in game.players[1 - player].units:
        _make_ready(unit, game.rules.max_ap)
    game.active_player = 1 - player
    game.turn += 1
    end_on_turn_limit(game)


def go_on_overwatch(game: Position, unit: Unit, ap: int) -> None:
    """Convert action points to reaction shots.

    Args:
        game: The game.
        unit: The unit.
        ap: Its AP, at least 1.
    """
    if game.rules.overwatch_style == "stance":
        unit.overwatch = 1
        unit.overwatch_mode = "snap" if ap == 1 else "regular"
        return
    unit.overwatch = min(ap, unit.numbers.max_overwatch)
    unit.overwatch_mode = "snap" if unit.overwatch else None


def _stand_down(game: Position, unit: Unit) -> None:
    """Update a unit at the end of its team's turn."""
    if unit.laser == "charging":
        unit.laser = "charged"
        game.event("charged", seen_by=witnesses(game, unit), unit=unit.id)
    if unit.ap and not unit.shots_fired and unit.laser == "charged":
        go_on_overwatch(game, unit, unit.ap)
    else:
        unit.overwatch, unit.overwatch_mode = 0, None
    unit.ap = 0
    _forget(unit)


def _make_ready(unit: Unit, ap: int) -> None:
    """Update a unit at the start of its team's turn."""
    unit.overwatch, unit.overwatch_mode = 0, None
    unit.ap = ap
    _forget(unit)


def _forget(unit: Unit) -> None:
    unit.shots_fired = 0
    unit.moved = False
