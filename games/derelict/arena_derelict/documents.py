"""Convert the state to JSON and back."""

from __future__ import annotations

from typing import Any

from arena.game import Tile
from arena_derelict import ending, setup
from arena_derelict.entities import Decision, Door, Unit
from arena_derelict.position import Position
from arena_derelict.rulesets import SIDES

Document = dict[str, Any]

_DECISION_KEYS: dict[str, tuple[str, ...]] = {
    "turn": (),
    "deploy_pick": (),
    "deploy_place": ("unit",),
    "command_reroll": ("rolled",),
    "reinforce": ("remaining",),
    "reveal": ("unit", "origin", "remaining"),
    "forced_orient": ("unit", "origin", "remaining"),
    "forced_place": ("origin", "remaining"),
    "alien_die_reroll": ("attacker", "defender", "marine_dice", "alien_dice"),
    "guard_reroll": ("attacker", "defender", "marine_dice", "alien_dice"),
    "face_attacker": ("attacker", "defender"),
    "unjam_now": ("unit",),
}
_UNIT_KEYS = {
    "marine": ("guard", "overwatch", "jam", "overwatch_target"),
    "alien": (),
    "blip": (),
}
_PLAIN_KEYS = ("ruleset", "turn", "side", "ap", "last_action", "last_shot_target", "command_points", "flamer_fuel")


def state_document(game: Position) -> Document:
    """Return the JSON state: the position as spectators see it. `pending_document` returns the rest of a saved game."""
    return {
        "ruleset": game.ruleset,
        "turn": game.turn,
        "side": game.side,
        "active": None if game.active is None else game.active.id,
        "ap": game.ap,
        "last_action": game.last_action,
        "last_shot_target": game.last_shot_target,
        "command_points": game.command_points,
        "flamer_fuel": game.flamer_fuel,
        "decision": None if game.decision is None else _decision_document(game.decision),
        "units": [_unit_document(unit) for unit in game.units],
        "doors": [{"id": door.id, "x": door.x, "y": door.y, "open": door.open} for door in game.doors],
        "flames": [[x, y] for x, y in game.flames],
    }


def pending_document(game: Position) -> Document:
    """Return the data of a saved game that its JSON state lacks: unfinished steps of an action, counters, result."""
    return {
        "agenda": _to_json(game.agenda),
        "choices_made": game.choices_made,
        "next_alien": game.next_alien,
        "winner": game.winner,
        "ended": game.ended,
    }


def _decision_document(decision: Decision) -> Document:
    document: Document = {"kind": decision.kind, "player": decision.player}
    for key in _DECISION_KEYS[decision.kind]:
        value = getattr(decision, key)
        document[key] = value.id if isinstance(value, Unit) else _to_json(value)
    return document


def _unit_document(unit: Unit) -> Document:
    document: Document = {"id": unit.id, "kind": unit.kind}
    if unit.kind == "marine":
        document["type"] = unit.marine_type
    elif unit.kind == "blip":
        document["count"] = unit.count
    document |= {"x": unit.x, "y": unit.y, "facing": unit.facing, "deactivated": unit.deactivated}
    for key in _UNIT_KEYS[unit.kind]:
        document[key] = getattr(unit, key)
    return document


def _to_json(value: Any) -> Any:
    return [_to_json(item) for item in value] if isinstance(value, tuple) else value


def _from_json(value: Any) -> Any:
    return tuple(_from_json(item) for item in value) if isinstance(value, list) else value


# -- loading -----------------------------------------------------------------------------------------------------------


def load(game: Position, document: Document) -> None:
    """Set up the position of a JSON state, with or without the key ``pending``."""
    setup.place_map(game)
    for key in _PLAIN_KEYS:
        setattr(game, key, document[key])
    game.units = tuple(_load_unit(game, entry) for entry in document["units"])
    game.doors = tuple(
        game.create(Door, entry["id"], x=entry["x"], y=entry["y"], open=entry["open"]) for entry in document["doors"]
    )
    game.flames = tuple(Tile(x, y) for x, y in document["flames"])
    game.active = _unit(game, document["active"])
    decision = game.create(Decision, "decision")
    if document["decision"] is not None:
        game.decision = decision
        _load_decision(game, decision, document["decision"])
    _load_pending(game, document.get("pending") or {})
    if game.decision is None and game.ended is None:
        _find_end(game, decision)


def _load_unit(game: Position, entry: Document) -> Unit:
    marks = {key: entry[key] for key in _UNIT_KEYS[entry["kind"]]}
    return game.create(
        Unit,
        entry["id"],
        kind=entry["kind"],
        marine_type=entry.get("type"),
        count=entry.get("count"),
        x=entry["x"],
        y=entry["y"],
        facing=entry["facing"],
        deactivated=entry["deactivated"],
        **marks,
    )


def _unit(game: Position, identity: str | None) -> Unit | None:
    unit: Unit | None = None if identity is None else game.entity(identity)
    if identity is not None and not isinstance(unit, Unit):
        raise ValueError(f"The state refers to the unit {identity}, which it does not have.")
    return unit


def _load_decision(game: Position, decision: Decision, document: Document) -> None:
    decision.kind = document["kind"]
    decision.player = document["player"]
    for key in _DECISION_KEYS[decision.kind]:
        value = document[key]
        if key in ("unit", "attacker", "defender"):
            value = _unit(game, value)
        elif key == "origin":
            value = Tile(*value)
        setattr(decision, key, _from_json(value))


def _load_pending(game: Position, pending: Document) -> None:
    numbers = [int(unit.id[1:]) for unit in game.units if unit.player == 1]
    game.agenda = _from_json(pending.get("agenda", []))
    game.choices_made = pending.get("choices_made", 0)
    game.next_alien = pending.get("next_alien", 1 + max(numbers, default=0))
    game.winner = pending.get("winner")
    game.ended = pending.get("ended")


def _find_end(game: Position, decision: Decision) -> None:
    """Derive the result of a finished game whose JSON state does not contain the result."""
    game.decision = decision
    decision.player = SIDES.index(game.side)
    ending.judge(game)
    if game.ended is None:
        ending.judge_at_pass(game)
    if game.ended is None:
        raise ValueError("The state has no decision, but the game is not over.")
