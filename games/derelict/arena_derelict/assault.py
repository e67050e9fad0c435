"""Assaults on doors, and between marines and aliens."""

from __future__ import annotations

from arena.game import IllegalAction, Integers, Tile
from arena_derelict.entities import Door, Unit
from arena_derelict.flow import Todo, ask, destroy, destroy_door, pay, proceed
from arena_derelict.moving import active_unit, after_effect, need
from arena_derelict.pieces import Pieces
from arena_derelict.position import Position
from arena_derelict.rulesets import ASSAULT_DICE, DOOR_BREAKS, FACINGS, VECTORS, MarineType

Dice = tuple[int, ...]


def target_of(pieces: Pieces, unit: Unit) -> Unit | Door | None:
    """Return the target of a unit's assault: an enemy straight ahead, else a door there, else None."""
    x, y = unit.ahead()
    other = pieces.unit_at(x, y)
    if other is not None and other.kind == ("alien" if unit.kind == "marine" else "marine"):
        return other
    return pieces.door_at(x, y)


def assault(game: Position, cell: Tile) -> None:
    """Carry out an assault of the active unit."""
    unit = active_unit(game)
    if unit.kind == "blip":
        raise IllegalAction("blips_cannot_assault")
    if unit.ahead() != cell:
        raise IllegalAction("not_straight_ahead")
    target = target_of(game.pieces, unit)
    if target is None:
        raise IllegalAction("no_target_there")
    need(game, 1)
    unit.drop_marks()
    pay(game, 1)
    if isinstance(target, Door):
        _assault_door(game, unit, target)
    else:
        _assault_unit(game, unit, target)


def _assault_door(game: Position, unit: Unit, door: Door) -> None:
    broken = unit.kind == "marine" and unit.weapons.cuts_doors
    if not broken:
        dice = _draw(game, "assault_door", ASSAULT_DICE[unit.kind])
        broken = max(dice) >= DOOR_BREAKS
        game.event("roll", label="assault_door", unit=unit.id, target=door.id, dice=list(dice), needed=6, result=broken)
    if broken:
        destroy_door(game, door, "assault")
    proceed(game, *after_effect(game, unit))


def _draw(game: Position, label: str, number: int, bonus: int = 0) -> Dice:
    """Draw dice one after the other, and add the bonus to each. Return them highest first."""
    dice = [game.chance.draw(Integers(1, 6), label, public=True) + bonus for _ in range(number)]
    return tuple(sorted(dice, reverse=True))


# -- marine against alien ----------------------------------------------------------------------------------------------


def _marine_and_alien(attacker: Unit, defender: Unit) -> tuple[Unit, Unit]:
    return (attacker, defender) if attacker.kind == "marine" else (defender, attacker)


def _modifiers(marine: Unit, alien: Unit) -> MarineType:
    """Return the marine's type if the marine faces the alien. Otherwise, return a type without modifiers."""
    return marine.weapons if faces(marine, alien) else MarineType(None)


def faces(unit: Unit, other: Unit) -> bool:
    """Return whether another unit is straight ahead of a unit."""
    return unit.ahead() == (other.x, other.y)


def _assault_unit(game: Position, attacker: Unit, defender: Unit) -> None:
    marine, alien = _marine_and_alien(attacker, defender)
    if defender is marine:
        marine.drop_watch()
    modifiers = _modifiers(marine, alien)
    rolls = {
        "marine": ("assault_marine", modifiers.assault_dice, modifiers.assault_bonus),
        "alien": ("assault_alien", modifiers.alien_dice, 0),
    }
    dice = {unit.kind: _draw(game, *rolls[unit.kind]) for unit in (attacker, defender)}
    _record_dice(game, attacker, defender, dice["marine"], dice["alien"])
    contest = ("contest", attacker.id, defender.id, dice["marine"], dice["alien"])
    proceed(game, *([("overwatch", attacker.id)] if attacker is alien else []), contest)


def _record_dice(game: Position, attacker: Unit, defender: Unit, marine_dice: Dice, alien_dice: Dice) -> None:
    """Record the dice of an assault as an event, which viewers show."""
    marine_wins, alien_wins = marine_dice[0] > alien_dice[0], alien_dice[0] > marine_dice[0]
    game.event(
        "assault",
        attacker=attacker.id,
        defender=defender.id,
        marine_dice=list(marine_dice),
        alien_dice=list(alien_dice),
        result="marine" if marine_wins else "alien" if alien_wins else "tie",
    )


def contest(
    game: Position, todo: Todo, attacker_id: str, defender_id: str, marine_dice: Dice, alien_dice: Dice
) -> bool:
    """Ask the marine player whether to roll the alien's best die again.

    Ask only if the marine faces the alien, its type has `can_reroll_alien`, and its best die does not beat the alien's.
    """
    attacker, defender = game.entity(attacker_id), game.entity(defender_id)
    marine, alien = _marine_and_alien(attacker, defender)
    if _modifiers(marine, alien).can_reroll_alien and marine_dice[0] <= alien_dice[0]:
        return _ask(game, "alien_die_reroll", attacker, defender, marine_dice, alien_dice)
    todo.append(("guard", attacker_id, defender_id, marine_dice, alien_dice))
    return False


def on_guard(
    game: Position, todo: Todo, attacker_id: str, defender_id: str, marine_dice: Dice, alien_dice: Dice
) -> bool:
    """Ask whether to roll a guarding marine's dice again, if its best die does not beat the alien's."""
    attacker, defender = game.entity(attacker_id), game.entity(defender_id)
    if _marine_and_alien(attacker, defender)[0].guard and marine_dice[0] <= alien_dice[0]:
        return _ask(game, "guard_reroll", attacker, defender, marine_dice, alien_dice)
    todo.append(("resolve", attacker_id, defender_id, marine_dice[0], alien_dice[0]))
    return False


def _ask(game: Position, kind: str, attacker: Unit, defender: Unit, marine_dice: Dice, alien_dice: Dice) -> bool:
    return ask(game, kind, 0, attacker=attacker, defender=defender, marine_dice=marine_dice, alien_dice=alien_dice)


def settle(game: Position, *, again: bool) -> None:
    """Carry out the answer to the decision alien_die_reroll or guard_reroll."""
    decision = game.decision
    assert decision is not None
    attacker, defender = decision.attacker, decision.defender
    marine_dice, alien_dice = decision.marine_dice, decision.alien_dice
    assert attacker is not None
    assert defender is not None
    assert marine_dice is not None
    assert alien_dice is not None
    guarding = decision.kind == "guard_reroll"
    if again and guarding:
        modifiers = _modifiers(*_marine_and_alien(attacker, defender))
        marine_dice = _draw(game, "guard_reroll", modifiers.assault_dice, modifiers.assault_bonus)
    elif again:
        (new,) = _draw(game, "alien_die_reroll", 1)
        alien_dice = tuple(sorted((new, *alien_dice[1:]), reverse=True))
    if again:
        _record_dice(game, attacker, defender, marine_dice, alien_dice)
    if guarding:
        proceed(game, ("resolve", attacker.id, defender.id, marine_dice[0], alien_dice[0]))
    else:
        proceed(game, ("guard", attacker.id, defender.id, marine_dice, alien_dice))


def resolve(game: Position, todo: Todo, attacker_id: str, defender_id: str, marine_best: int, alien_best: int) -> bool:
    """Decide an assault by the best dice.

    - If the attacker has the better die, destroy the defender.
    - Otherwise, if the defender does not face the attacker, ask the defender's player whether to turn it.
    - Otherwise, if the defender has the better die, destroy the attacker.
    """
    attacker, defender = game.entity(attacker_id), game.entity(defender_id)
    advantage = marine_best - alien_best if attacker.kind == "marine" else alien_best - marine_best
    if advantage > 0:
        destroy(game, defender, "assault")
        todo.append(("check",))
    elif not faces(defender, attacker):
        return ask(game, "face_attacker", defender.player, attacker=attacker, defender=defender)
    elif advantage < 0:
        destroy(game, attacker, "assault")
        todo.append(("check",))
    return False


def face(game: Position) -> None:
    """Turn the defender to its attacker."""
    assert game.decision is not None
    attacker, defender = game.decision.attacker, game.decision.defender
    assert attacker is not None
    assert defender is not None
    direction = VECTORS.index((attacker.x - defender.x, attacker.y - defender.y))
    defender.facing = FACINGS[direction]
    proceed(game, ("check",))
