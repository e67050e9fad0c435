"""Estimate who will win, from what both sides see. Analyses use the estimate.

It never uses the numbers in blips. They hardly help: with them, the logarithmic loss was 0.417 instead of 0.418.
"""

from __future__ import annotations

from math import exp, log

from arena_derelict.board import Cell
from arena_derelict.ending import reinforcements_possible
from arena_derelict.position import Position
from arena_derelict.situation import FAR, cell_of, distances_on

# The weights are those of a logistic regression. For it, bots of both sides played up to half of a match, the Veteran
# with random actions in every third turn, or the Castaway in one of five matches; then the Veteran played against
# itself. There were 428 such matches of crossways, 165 of airlock, 399 of pump_station, and 206 of long_dark. In other
# matches, the logarithmic loss was 0.49, 0.51, 0.35 and 0.35; that of the share of wins is 0.69, 0.67, 0.43 and 0.55.
# The power that fits these other matches is 0.97, and the way of `find_evaluation_power` finds 0.79: the game has 0.85.
SURVIVE = {
    "start": 0.45,
    "marine": 1.56,
    "marine_turn": 0.51,
    "alien": -0.31,
    "blip": -0.62,
    "near": -0.9,
    "left": -1.51,
}
"""The weights if the marines win at the turn limit: `near` counts contacts less, the farther away all marines are, and
`left` is the logarithm of the number of turns left."""
BURN = {
    "start": 3.78,
    "marine": 0.28,
    "marine_turn": 0.57,
    "way": -6.41,
    "on_way": -0.48,
    "guards": -3.52,
    "left": -1.72,
}
"""The weights of missions with objectives: `way` is that of the flamer to an objective, as a share of the longest one.
`on_way` counts contacts less, the longer the flamer's detour over them would be, and `guards` the farther away the
objectives are. `left` is the share of turns left: in each of them come reinforcements."""
NEAR = 4.0
"""So many steps farther away, a contact counts 1/e as much."""


def shares(game: Position) -> tuple[float, float] | None:
    """Return the probabilities that the players win.

    Return None for missions to which no weights were fitted: those without a turn limit, or with an unusual winner at
    the limit, or with reinforcements but without an objective.
    """
    options, objectives = game.options, game.board.objectives
    usual = options.limit_winner == ("alien" if objectives else "marine")
    if not options.turn_limit or not usual or (reinforcements_possible(game) and not objectives):
        return None
    seen = _features_to_burn(game) if objectives else _features_to_survive(game)
    if seen is None:
        return 0.0, 1.0
    weights = BURN if objectives else SURVIVE
    seen |= {"start": 1.0, "marine": len(game.pieces.marines), "marine_turn": game.side == "marine"}
    share = 1 / (1 + exp(-sum(weights[name] * seen[name] for name in weights)))
    return share, 1 - share


def _turns_left(game: Position) -> float:
    limit: int = game.options.turn_limit
    return max(0.5, limit - game.turn + (1.0 if game.side == "marine" else 0.5))


def _features_to_survive(game: Position) -> dict[str, float]:
    distances, board, pieces = distances_on(game.board), game.board, game.pieces
    fields = [distances.field(cell_of(marine)) for marine in pieces.marines]
    contacts = [board.number(unit.x, unit.y) for unit in game.units if unit.kind != "marine"]
    return {
        "alien": pieces.aliens,
        "blip": len(pieces.blips),
        "near": sum(exp(-min((field[cell] for field in fields), default=FAR) / NEAR) for cell in contacts),
        "left": log(_turns_left(game)),
    }


def _features_to_burn(game: Position) -> dict[str, float] | None:
    """Return None if no flamer is left."""
    distances, board = distances_on(game.board), game.board
    fields = [distances.field(objective) for objective in board.objectives]

    def way(cell: Cell) -> int:
        return min(field[board.number(*cell)] for field in fields)

    carriers = [cell_of(marine) for marine in game.pieces.marines if marine.weapons.has_flamer]
    if not carriers:
        return None
    # A marine that waits for its deployment has no way yet.
    flamer = min((cell for carrier in carriers for cell in _places(game, carrier)), key=way)
    contacts = [cell_of(unit) for unit in game.units if unit.kind != "marine"]
    longest = max(steps for field in fields for steps in field if steps < FAR)
    detours = [max(0, distances.between(cell, flamer) + way(cell) - way(flamer)) for cell in contacts]
    return {
        "way": min(1.0, way(flamer) / max(1, longest)),
        "on_way": sum(1 / (1 + detour) for detour in detours),
        "guards": sum(exp(-way(cell) / NEAR) for cell in contacts),
        "left": _turns_left(game) / game.options.turn_limit,
    }


def _places(game: Position, cell: Cell) -> list[Cell]:
    return [cell] if game.board.is_corridor(*cell) else list(game.board.start_cells) or [cell]
