"""The turns of the sides: start and end, command points, activation."""

from __future__ import annotations

from arena.game import IllegalAction, Integers, Tile
from arena_derelict import ending
from arena_derelict.entities import Unit
from arena_derelict.flow import Todo, ask, pay, proceed, rest, run
from arena_derelict.position import Position
from arena_derelict.rulesets import SIDES


def start_game(game: Position) -> None:
    """Run the rules from the mission's position to the first choice."""
    run(game, ("marine_turn",), ("deployment",))


# -- start and end -------------------------------------------------------------------------------------------------


def start_marine_turn(game: Position, todo: Todo) -> bool:
    """Start the marine turn: end guard and overwatch, remove flames and, with ``jam_cleared``, jams.

    Then the rules check for blips in sight and roll the command points.
    """
    for unit in game.units:
        if unit.kind == "marine":
            unit.drop_marks()
            if game.options.jam_cleared:
                unit.jam = False
    game.flames = ()
    game.event("turn", side="marine", turn=game.turn)
    todo += [("command_roll",), ("check",)]
    return False


def start_alien_turn(game: Position, todo: Todo) -> bool:
    """Start the alien turn. The alien player then places the reinforcements."""
    options = game.options
    game.event("turn", side="alien", turn=game.turn)
    todo.append(("reinforce", options.reinforcements_first if game.turn == 1 else options.reinforcements_later))
    return False


def end_turn(game: Position) -> None:
    """End the side's turn. The other side's turn starts, unless the game is over."""
    for unit in game.units:
        unit.deactivated = False
    rest(game)
    game.choices_made = 0
    ending.judge_at_pass(game)
    if game.ended is not None:
        return
    if game.side == "marine":
        game.side = "alien"
        run(game, ("alien_turn",))
    else:
        game.side = "marine"
        game.turn += 1
        game.command_points = 0
        run(game, ("marine_turn",))


# -- command points --------------------------------------------------------------------------------------------------


def roll_command_points(game: Position, todo: Todo) -> bool:  # noqa: ARG001 - all steps have the parameter `todo`
    """Roll the die for the command points. If the type of any marine has `leads`, ask whether to roll again."""
    if not game.options.command_points:
        return False
    rolled = game.chance.draw(Integers(1, 6), "command_points", public=True)
    game.event("roll", label="command_points", dice=[rolled], needed=None, result=rolled)
    if any(unit.kind == "marine" and unit.weapons.leads for unit in game.units):
        return ask(game, "command_reroll", 0, rolled=rolled)
    _grant(game, rolled)
    return False


def settle_command_roll(game: Position, *, again: bool) -> None:
    """Carry out the answer to command_reroll. The second roll counts even if it is lower."""
    assert game.decision is not None
    points = game.decision.rolled
    assert points is not None
    if again:
        points = game.chance.draw(Integers(1, 6), "command_reroll", public=True)
        game.event("roll", label="command_reroll", dice=[points], needed=None, result=points)
    _grant(game, points)
    proceed(game)


def _grant(game: Position, points: int) -> None:
    game.command_points = points
    game.event("command_points", points=points)


# -- activation ------------------------------------------------------------------------------------------------------


def budget(game: Position, unit: Unit) -> int:
    """Return the action points of a unit at the start of its first activation in a turn."""
    options = game.options
    points: int = {"marine": options.ap_marine, "alien": options.ap_alien, "blip": options.ap_blip}[unit.kind]
    return points


def may_reactivate(game: Position) -> bool:
    """Return whether a marine can be activated again in the same turn. Only the ruleset full allows this."""
    return game.ruleset == "full"


def activation_points(game: Position, unit: Unit) -> int | str:
    """Return the action points that a unit would get if activated, or the reason why it cannot be activated."""
    if unit is game.active:
        return "already active"
    if not unit.deactivated:
        return budget(game, unit)
    if unit.kind != "marine" or not may_reactivate(game):
        return "already used this turn"
    if game.command_points < game.options.reactivate_min:
        return "no command points"
    return 0


def ready_units(game: Position) -> list[tuple[Unit, int]]:
    """Return the units of the side whose turn it is that can be activated, with their action points.

    It finds in one pass what `activation_points` returns for each unit.
    """
    is_marine = game.side == "marine"
    again = is_marine and may_reactivate(game) and game.command_points >= game.options.reactivate_min
    points: dict[str, int] = {}
    found = []
    for unit in game.units:
        kind = unit.kind
        if (kind == "marine") is not is_marine or unit is game.active:
            continue
        if not unit.deactivated:
            if kind not in points:
                points[kind] = budget(game, unit)
            found.append((unit, points[kind]))
        elif again:
            found.append((unit, 0))
    return found


def activate(game: Position, cell: Tile) -> None:
    """Activate a unit of the side whose turn it is."""
    unit = game.pieces.unit_at(cell.x, cell.y)
    if unit is None or unit.player != SIDES.index(game.side):
        raise IllegalAction("no_unit_of_yours_there")
    points = activation_points(game, unit)
    if isinstance(points, str):
        raise IllegalAction(points.replace(" ", "_"))
    if game.active is not None:
        game.active.deactivated = True
    unit.deactivated = False
    game.active = unit
    pay(game, 0)
    game.ap = points
    proceed(game)
