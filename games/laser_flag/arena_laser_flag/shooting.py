"""The actions ``fire`` and ``fire_at_base``."""

from __future__ import annotations

from arena.game import IllegalAction, Tile, action
from arena_laser_flag.ending import end_on_score
from arena_laser_flag.entities import Position, Unit
from arena_laser_flag.hits import hit, roll, score, segment, shoot_at
from arena_laser_flag.orders import check_order, check_weapon, is_legal_target
from arena_laser_flag.reaction import react
from arena_laser_flag.to_hit import parts_against, parts_against_base
from arena_laser_flag.visibility import witnesses


@action
def fire(unit: Unit, target: Unit) -> None:
    """Shoot at an enemy in sight.

    Args:
        target: The enemy.
    """
    game = unit.game
    check_order(unit, game.actor)
    check_weapon(unit)
    _check_target(game, unit, target)
    parts = parts_against(game, unit, target)
    _pay(unit)
    is_hit = shoot_at(game, unit, target, parts, reaction=False)
    if not (is_hit and hit(game, target)) and "fire" in game.rules.overwatch_triggers:
        react(game, unit)


@action
def fire_at_base(unit: Unit, tile: Tile) -> None:
    """Shoot at an enemy base in sight, if the rules have ``base_shooting``.

    Args:
        tile: The base's tile.
    """
    game = unit.game
    check_order(unit, game.actor)
    check_weapon(unit)
    base = game.board.base_at(*tile)
    if base is None:
        raise IllegalAction("no_such_base", f"there is no base on ({tile.x}, {tile.y})")
    if base.owner != 1 - unit.player:
        raise IllegalAction("not_an_enemy_base", f"the base on ({tile.x}, {tile.y}) is not the enemy's")
    _check_sight(game, unit, *tile)
    parts = parts_against_base(game, unit)
    needed = sum(parts.values())
    _pay(unit)
    dice = roll(game)
    is_hit = sum(dice) >= needed
    _record_base_shot(game, unit, tile, dice, parts, is_hit)
    if is_hit:
        score(game, unit.player, game.rules.base_points)
    if not (is_hit and end_on_score(game, unit.player)) and "fire" in game.rules.overwatch_triggers:
        react(game, unit)


def _check_target(game: Position, unit: Unit, target: Unit | None) -> None:
    """Refuse a target that cannot be shot at. `Game.admit` passes None for a unit that the player does not see."""
    if target is None:
        raise IllegalAction("no_such_target", "you see no such unit on the board")
    if target.player == unit.player:
        raise IllegalAction("friendly_target", f"{target.id} is on your own side")
    _check_sight(game, unit, *target.place)
    if not is_legal_target(game.rules, target):
        raise IllegalAction("invalid_target", f"{target.id} is deactivated and cannot be shot at")


def _check_sight(game: Position, unit: Unit, x: int, y: int) -> None:
    if not game.board.sees(unit.place, (x, y)):
        raise IllegalAction("no_line_of_sight", f"{unit.id} does not see ({x}, {y})")


def _pay(unit: Unit) -> None:
    """Count the shot, and subtract its cost: 1 AP if the unit can shoot or move again, else all its AP."""
    numbers = unit.numbers
    unit.shots_fired += 1
    allowance = numbers.allowance(unit.moved)
    cheap = numbers.move_after_fire or allowance is None or unit.shots_fired < allowance
    unit.ap = unit.ap - 1 if cheap else 0


def _record_base_shot(
    game: Position, unit: Unit, tile: Tile, dice: list[int], parts: dict[str, int], is_hit: bool
) -> None:
    """Record the event. A player who does not see the shooter learns only the base, the dice and the result."""
    known = {"base": [tile.x, tile.y], "dice": dice, "hit": is_hit, "reaction": False}
    full = {"shooter": unit.id, "target": None, "line": segment(game, unit.place, tile), "parts": parts}
    audience = witnesses(game, unit)
    game.event("shot", seen_by=audience, **full, **known, needed=sum(parts.values()))
    if audience is not None and len(audience) < 2:
        game.event("shot", seen_by=(1 - unit.player,), shooter=None, target=None, **known)
