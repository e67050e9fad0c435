"""The complete list of legal choices."""

from __future__ import annotations

from random import Random
from typing import Any

from arena_derelict import reveal, setup
from arena_derelict.assault import target_of
from arena_derelict.board import Cell
from arena_derelict.commands import MARK_COST, may_command
from arena_derelict.entities import Unit
from arena_derelict.moving import doors_in_reach, is_blocked, rotation_cost
from arena_derelict.pieces import Pieces
from arena_derelict.position import Position
from arena_derelict.rulesets import FLAMER_COST
from arena_derelict.shooting import flamer_targets, shot_cost, targets
from arena_derelict.steps import list_steps
from arena_derelict.turns import ready_units

Choice = dict[str, Any]

_TURNS = ("turn_left", "turn_right")
OPEN: dict[str, frozenset[str]] = {
    "turn": frozenset(
        {"activate", "move", *_TURNS, "door", "pass"}
        | {"shoot", "assault", "overwatch", "guard", "unjam", "command", "reveal"}
    ),
    "deploy_pick": frozenset({"activate"}),
    "deploy_place": frozenset({"move"}),
    "command_reroll": frozenset({"reroll", "accept"}),
    "reinforce": frozenset({"deploy"}),
    "reveal": frozenset({*_TURNS, "deploy", "activate", "pass"}),
    "forced_orient": frozenset({*_TURNS, "pass"}),
    "forced_place": frozenset({"deploy"}),
    "alien_die_reroll": frozenset({"reroll", "accept"}),
    "guard_reroll": frozenset({"reroll", "accept"}),
    "face_attacker": frozenset({"face", "accept"}),
    "unjam_now": frozenset({"unjam", "decline"}),
}
"""The types of choice that are possible in each kind of decision."""
_SIMPLE = {
    "command_reroll": ("reroll", "accept"),
    "alien_die_reroll": ("reroll", "accept"),
    "guard_reroll": ("reroll", "accept"),
    "face_attacker": ("face", "accept"),
    "unjam_now": ("unjam", "decline"),
}


def is_over_limit(game: Position, kind: str, name: str) -> bool:
    """Return whether the choice limit forbids a type of choice in the current turn."""
    limit = game.options.choice_limit
    if not 0 < limit <= game.choices_made:
        return False
    if kind == "turn":
        return name != "pass"
    return kind in ("reveal", "forced_orient") and name in _TURNS


def list_choices(game: Position) -> list[Choice]:
    """List all choices of the current decision."""
    assert game.decision is not None
    kind = game.decision.kind
    if kind in _SIMPLE:
        return [_simple(name) for name in _SIMPLE[kind]]
    pieces = game.pieces
    if kind == "turn":
        return _list_turn(game, pieces)
    if kind == "reveal":
        return _list_reveal(game, pieces)
    if kind == "forced_orient":
        return [_simple("pass"), *_orientations(game, kind)]
    if kind == "deploy_pick":
        return [_activation(unit, 0) for unit in setup.waiting(game)]
    if kind == "deploy_place":
        return [
            {"type": "move", "x": x, "y": y, "cost": 0, "step": "deploy"} for x, y in setup.open_starts(game, pieces)
        ]
    return _deployments(setup.open_lurks(game, pieces) if kind == "reinforce" else reveal.forced_cells(game, pieces))


def random_choice(game: Position, rng: Random) -> Choice:
    """Return the choice that ``rng.choice(list_choices(game))`` would return."""
    decision = game.decision
    if decision is None or decision.kind != "turn" or is_over_limit(game, "turn", ""):
        return rng.choice(list_choices(game))
    listed = _list_active(game, game.pieces)
    ready = ready_units(game)
    number = rng.randrange(len(listed) + len(ready))
    return listed[number] if number < len(listed) else _activation(*ready[number - len(listed)])


def _simple(name: str, cost: int = 0) -> Choice:
    return {"type": name, "cost": cost}


def _deployments(cells: list[Cell]) -> list[Choice]:
    return [{"type": "deploy", "x": x, "y": y, "cost": 0} for x, y in cells]


def _orientations(game: Position, kind: str) -> list[Choice]:
    return [_simple(name) for name in _TURNS if not is_over_limit(game, kind, name)]


def _activation(unit: Unit, points: int) -> Choice:
    return {"type": "activate", "x": unit.x, "y": unit.y, "cost": 0, "unit": unit.id, "ap": points}


def _list_reveal(game: Position, pieces: Pieces) -> list[Choice]:
    cells = reveal.open_cells(game, pieces)
    listed = _deployments(cells) if cells else [*_list_activations(game), _simple("pass")]
    return listed + _orientations(game, "reveal")


# -- in a side's turn --------------------------------------------------------------------------------------------------


def _list_turn(game: Position, pieces: Pieces) -> list[Choice]:
    if is_over_limit(game, "turn", ""):
        return [_simple("pass")]
    return _list_active(game, pieces) + _list_activations(game)


def _list_active(game: Position, pieces: Pieces) -> list[Choice]:
    """List the end of the turn, and the choices of the active unit."""
    listed = [_simple("pass")]
    unit = game.active
    if unit is not None:
        listed += [
            {"type": "move", "x": x, "y": y, "cost": cost, "step": name}
            for x, y, cost, name in list_steps(game, pieces, unit)
        ]
        _add_doors(game, pieces, unit, listed)
        if unit.kind != "blip" and game.options.combat:
            _add_assault(game, pieces, unit, listed)
        cost = rotation_cost(game, unit)
        if cost <= game.ap:
            listed += [_simple(name, cost) for name in _TURNS]
        if unit.kind == "marine":
            _add_marine(game, pieces, unit, listed)
        elif unit.kind == "blip" and game.ap >= reveal.REVEAL_COST and pieces.aliens < game.options.alien_cap:
            listed.append(_simple("reveal", reveal.REVEAL_COST))
    return listed


def _add_doors(game: Position, pieces: Pieces, unit: Unit, listed: list[Choice]) -> None:
    if game.ap < 1 or not pieces.doors:
        return
    for door in doors_in_reach(pieces, unit):
        if not is_blocked(pieces, door):
            to = "closed" if door.open else "open"
            listed.append({"type": "door", "x": door.x, "y": door.y, "cost": 1, "to": to})


def _add_assault(game: Position, pieces: Pieces, unit: Unit, listed: list[Choice]) -> None:
    if game.ap < 1:
        return
    target = target_of(pieces, unit)
    if target is not None:
        listed.append({"type": "assault", "x": target.x, "y": target.y, "cost": 1, "target": target.id})


def _add_marine(game: Position, pieces: Pieces, unit: Unit, listed: list[Choice]) -> None:
    """List the actions that only marines have, in addition to steps, doors and turns."""
    if may_command(game):
        listed.append(_simple("command"))
    if not game.options.combat:
        return
    weapons = unit.weapons
    if not unit.jam:
        if weapons.weapon is not None and shot_cost(game) <= game.ap:
            cost = shot_cost(game)
            listed += [
                {"type": "shoot", "x": target.x, "y": target.y, "cost": cost, "target": target.id}
                for target in targets(pieces, unit)
            ]
        elif weapons.has_flamer:
            _add_flamer(game, pieces, unit, listed)
    elif game.ap >= 1:
        listed.append(_simple("unjam", 1))
    if game.ap >= MARK_COST:
        if weapons.weapon is not None and not unit.jam:
            listed.append(_simple("overwatch", MARK_COST))
        listed.append(_simple("guard", MARK_COST))


def _add_flamer(game: Position, pieces: Pieces, unit: Unit, listed: list[Choice]) -> None:
    if game.ap < FLAMER_COST or game.flamer_fuel <= 0:
        return
    width = pieces.board.width
    listed += [
        {"type": "shoot", "x": cell % width, "y": cell // width, "cost": FLAMER_COST, "target": "section"}
        for cell in flamer_targets(game, pieces, unit).values()
    ]


def _list_activations(game: Position) -> list[Choice]:
    return [_activation(unit, points) for unit, points in ready_units(game)]
