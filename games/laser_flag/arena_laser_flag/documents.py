"""Convert the state to JSON and back, and make the starting position of a map."""

from __future__ import annotations

from typing import Any

from arena_laser_flag.entities import Base, Player, Position, Unit, settle
from arena_laser_flag.rulesets import mode_of
from arena_laser_flag.turns import go_on_overwatch

Document = dict[str, Any]


def set_up(game: Position) -> None:
    """Make the starting position: player 0 has AP. With the rule `opening_overwatch`, player 1 is on overwatch."""
    map_file, rules = game.options.map, game.rules
    _prepare(game, (0, 0))
    game.mode = mode_of(map_file.get("bases", []), rules.base_access)  # type: ignore[assignment]
    units = []
    for number, listed in enumerate(map_file["units"]):
        unit = game.create(
            Unit,
            f"u{number}",
            player=listed["player"],
            unit_class=listed["class"],
            **settle(game.board, listed["x"], listed["y"]),
        )
        if unit.player == 0:
            unit.ap = rules.max_ap
        elif rules.opening_overwatch:
            go_on_overwatch(game, unit, rules.max_ap)
        units.append(unit)
    muster(game, units)


def load(game: Position, document: Document) -> None:
    """Load the position of a JSON document."""
    _prepare(game, document["scores"])
    game.mode = document["mode"]
    game.turn = document["turn"]
    game.active_player = document["active_player"]
    game.eliminated = tuple(document["eliminated"])
    muster(game, [_load_unit(game, unit) for unit in document["units"]])


def _load_unit(game: Position, document: Document) -> Unit:
    copied = ("player", "ap", "overwatch", "overwatch_mode", "laser", "shots_fired", "moved")
    return game.create(
        Unit,
        document["id"],
        unit_class=document["class"],
        **settle(game.board, document["x"], document["y"]),
        **{name: document[name] for name in copied},
    )


def _prepare(game: Position, scores: Any) -> None:
    """Set the fields that do not depend on the units."""
    board, rules = game.board, game.rules
    game.ruleset = game.options.ruleset
    game.width, game.height, game.terrain = board.width, board.height, board.rows
    game.last_turn = rules.last_turn
    game.players = tuple(
        game.create(Player, f"p{index}", index=index, score=scores[index], target_score=rules.target_score[index])
        for index in (0, 1)
    )
    game.bases = tuple(
        game.create(Base, f"b{number}", x=mark.x, y=mark.y, owner=mark.owner) for number, mark in enumerate(board.bases)
    )


def muster(game: Position, units: list[Unit]) -> None:
    """Set the unit lists of the game and its players, ordered by the numbers in the ids."""
    units.sort(key=lambda unit: int(unit.id[1:]))
    game.units = tuple(units)
    for player in game.players:
        player.units = tuple(unit for unit in units if unit.player == player.index)


def to_document(game: Position) -> Document:
    """Return the state in the form of the specification."""
    return {
        "ruleset": game.ruleset,
        "mode": game.mode,
        "turn": game.turn,
        "active_player": game.active_player,
        "scores": [player.score for player in game.players],
        "units": [_unit_document(unit) for unit in game.units],
        "eliminated": list(game.eliminated),
    }


def _unit_document(unit: Unit) -> Document:
    return {
        "id": unit.id,
        "player": unit.player,
        "class": unit.unit_class,
        "x": unit.x,
        "y": unit.y,
        "ap": unit.ap,
        "overwatch": unit.overwatch,
        "overwatch_mode": unit.overwatch_mode,
        "laser": unit.laser,
        "shots_fired": unit.shots_fired,
        "moved": unit.moved,
        "elevated": unit.elevated,
        "cover": list(unit.cover),
    }
