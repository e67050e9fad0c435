"""Shots of marines in their own turn, the flamer, and overwatch fire in the aliens' turn."""

from __future__ import annotations

from arena.game import IllegalAction, Integers, Tile
from arena_derelict.entities import Door, Unit
from arena_derelict.flow import Todo, ask, destroy, destroy_door, pay, proceed
from arena_derelict.moving import active_unit, need
from arena_derelict.pieces import Pieces
from arena_derelict.position import Position
from arena_derelict.rulesets import FLAME_KILLS, FLAMER_COST, Weapon
from arena_derelict.sight import is_open


def _roll(
    game: Position, label: str, weapon: Weapon, needed: int, ids: tuple[str, str], cell: Tile
) -> tuple[bool, bool]:
    """Roll a weapon's dice.

    Args:
        game: The game.
        label: The label of the dice.
        weapon: The weapon.
        needed: The lowest value that hits.
        ids: The ids of shooter and target. An earlier shot can have destroyed the target.
        cell: The target's cell.

    Returns:
        Whether a die hit, and whether all dice are equal.
    """
    dice = [game.chance.draw(Integers(1, 6), label, public=True) for _ in range(weapon.dice)]
    hit = max(dice) >= needed
    shooter, target = ids
    game.event("roll", label=label, unit=shooter, target=target, dice=dice, needed=needed, result=hit)
    kind = "shot" if label == "shoot" else "overwatch_shot"
    game.event(kind, unit=shooter, target=target, x=cell.x, y=cell.y, hit=hit)
    return hit, len(set(dice)) == 1


# -- the marines' turn -------------------------------------------------------------------------------------------------


def shot_cost(game: Position) -> int:
    """Return the current cost of a shot with a bolter or cannon."""
    return 0 if game.last_action in ("move", "turn", "free_turn") else 1


def targets(pieces: Pieces, unit: Unit) -> list[Unit | Door]:
    """List the possible targets of a marine: the visible aliens and closed doors."""
    found: list[Unit | Door] = []
    if pieces.aliens:
        found += [
            other for other in pieces.units.values() if other.kind == "alien" and pieces.is_seen(unit, other.x, other.y)
        ]
    found += [door for door in pieces.doors.values() if not door.open and pieces.is_seen(unit, door.x, door.y)]
    return found


def shoot(game: Position, cell: Tile) -> None:
    """Shoot with the active marine."""
    unit = active_unit(game)
    weapons = unit.weapons if unit.kind == "marine" else None
    if weapons is None or (weapons.weapon is None and not weapons.has_flamer):
        raise IllegalAction("no_ranged_weapon")
    if unit.jam:
        raise IllegalAction("weapon_jammed")
    if weapons.weapon is None:
        _shoot_flamer(game, unit, cell)
    else:
        _shoot_at(game, unit, weapons.weapon, cell)


def _shoot_at(game: Position, unit: Unit, weapon: Weapon, cell: Tile) -> None:
    pieces = game.pieces
    other = pieces.unit_at(cell.x, cell.y)
    door = pieces.door_at(cell.x, cell.y)
    target: Unit | Door | None = other if other is not None and other.kind == "alien" else None
    if target is None and door is not None and not door.open:
        target = door
    if target is None:
        raise IllegalAction("no_target_there")
    if not pieces.is_seen(unit, cell.x, cell.y):
        raise IllegalAction("not_visible")
    cost = shot_cost(game)
    need(game, cost)
    repeated = game.last_action == "shoot" and game.last_shot_target == target.id
    unit.drop_marks()
    pay(game, cost, "shoot")
    game.last_shot_target = target.id
    hit, _ = _roll(game, "shoot", weapon, weapon.repeated if repeated else weapon.first, (unit.id, target.id), cell)
    if not hit:
        proceed(game)
        return
    if isinstance(target, Unit):
        destroy(game, target, "shot")
    else:
        destroy_door(game, target, "shot")
    proceed(game, ("check",))


# -- the flamer --------------------------------------------------------------------------------------------------------


def flamer_targets(game: Position, pieces: Pieces, unit: Unit) -> dict[str, int]:
    """Return the sections that a flamer can reach, each with its nearest visible cell."""
    field = pieces.board.flamer_field(pieces.board.number(unit.x, unit.y), unit.facing, game.options.flamer_range)
    found: dict[str, int] = {}
    for cell, section, line in field:
        if section not in found and not pieces.closed >> cell & 1 and is_open(line, pieces.obstructed):
            found[section] = cell
    return found


def _shoot_flamer(game: Position, unit: Unit, cell: Tile) -> None:
    pieces = game.pieces
    width = pieces.board.width
    nearest = {(number % width, number // width): name for name, number in flamer_targets(game, pieces, unit).items()}
    section = nearest.get(cell)
    if section is None:
        raise IllegalAction("no_target_there")
    need(game, FLAMER_COST)
    if game.flamer_fuel <= 0:
        raise IllegalAction("no_fuel")
    unit.drop_marks()
    pay(game, FLAMER_COST, "shoot")
    game.flamer_fuel -= 1
    proceed(game, *([("check",)] if _burn(game, pieces, unit, section) else []))


def _burn(game: Position, pieces: Pieces, shooter: Unit, section: str) -> bool:
    """Set a section on fire.

    Returns:
        Whether any unit was destroyed.
    """
    width = pieces.board.width
    fresh = [number for number in pieces.board.sections[section] if not (pieces.closed | pieces.flames) >> number & 1]
    lit = [Tile(number % width, number // width) for number in fresh]
    if lit:
        game.flames = tuple(sorted((*game.flames, *lit), key=lambda tile: (tile.y, tile.x)))
    game.event("flames", unit=shooter.id, section=section, cells=[list(tile) for tile in lit])
    victims = [pieces.units[number] for number in fresh if number in pieces.units]
    burnt = [unit for unit in victims if _is_burnt(game, unit)]
    return bool(burnt)


def _is_burnt(game: Position, unit: Unit) -> bool:
    die = game.chance.draw(Integers(1, 6), "flame_hit", public=True)
    burnt = bool(die >= FLAME_KILLS)
    game.event("roll", label="flame_hit", target=unit.id, dice=[die], needed=FLAME_KILLS, result=burnt)
    if burnt:
        destroy(game, unit, "flames")
    return burnt


# -- overwatch ---------------------------------------------------------------------------------------------------------


def open_overwatch_fire(game: Position, todo: Todo, alien_id: str) -> bool:
    """Let marines on overwatch fire at an alien that has just acted, if they see it in range."""
    alien = game.entity(alien_id)
    if alien is None or alien.kind != "alien":
        return False
    pieces = game.pieces
    reach = game.options.overwatch_range
    watching = tuple(
        marine.id
        for marine in pieces.marines
        if marine.overwatch
        and max(abs(marine.x - alien.x), abs(marine.y - alien.y)) <= reach
        and pieces.is_seen(marine, alien.x, alien.y)
    )
    if watching:
        todo.append(("fire", alien_id, alien.x, alien.y, watching))
    return False


def fire(game: Position, todo: Todo, alien_id: str, x: int, y: int, watching: tuple[str, ...]) -> bool:
    """Let the first of the watching marines fire, even if the alien is destroyed already. The others fire later."""
    if not watching:
        if game.entity(alien_id) is None:
            todo.append(("check",))
        return False
    todo.append(("fire", alien_id, x, y, watching[1:]))
    marine: Unit = game.entity(watching[0])
    weapon = marine.weapons.weapon
    assert weapon is not None
    repeated = marine.overwatch_target == alien_id
    needed = weapon.repeated if repeated else weapon.first
    hit, equal = _roll(game, "overwatch", weapon, needed, (marine.id, alien_id), Tile(x, y))
    alien = game.entity(alien_id)
    if hit and alien is not None:
        destroy(game, alien, "overwatch")
    if weapon.jams and equal:
        return _jam(game, marine)
    marine.overwatch_target = alien_id
    return False


def _jam(game: Position, marine: Unit) -> bool:
    marine.drop_watch()
    marine.jam = True
    game.event("jam", unit=marine.id)
    return game.command_points > 0 and ask(game, "unjam_now", 0, unit=marine)


def unjam_now(game: Position, *, accepted: bool) -> None:
    """Carry out the answer to unjam_now. If accepted, a command point clears the jam and resumes overwatch."""
    assert game.decision is not None
    marine = game.decision.unit
    if accepted and marine is not None:
        game.command_points -= 1
        game.event("command_points", points=game.command_points)
        marine.jam = False
        marine.overwatch = True
    proceed(game)
