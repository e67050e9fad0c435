"""Find the warnings about a mission. A mission with warnings can be played; a mission with errors cannot."""

from __future__ import annotations

from typing import Any

from arena.game.editor import Problem
from arena_derelict.board import Board, Cell, cell_of
from arena_derelict.rulesets import RULESETS
from arena_derelict.sight import is_open


def warnings_about(document: dict[str, Any]) -> list[Problem]:
    """Return all warnings about a mission that has no errors."""
    board = Board(document)
    warnings = _exposed_lurks(board) + _visible_blips(document, board) + _unreachable_objectives(document, board)
    if len(board.start_cells) < len(board.drop_cells):
        warnings.append(
            _warning("fewer_starts_than_drops", "start_cells", "There are fewer start cells than drop cells.")
        )
    ruleset = document.get("ruleset", "full")
    if document.get("turn_limit", RULESETS[ruleset]["turn_limit"]) == 0:
        warnings.append(_warning("no_turn_limit", "turn_limit", "The game has no turn limit and need not end."))
    return warnings


def _warning(code: str, where: str, message: str, cell: Cell | None = None) -> Problem:
    return Problem(code, message, where, cell, is_error=False)


def _exposed_lurks(board: Board) -> list[Problem]:
    return [
        _warning("lurk_exposed", f"lurk_cells[{number}]", "A corridor cell is beside the lurk cell.", cell)
        for number, cell in enumerate(board.lurk_cells)
        if board.neighbours(*cell)
    ]


def _visible_blips(document: dict[str, Any], board: Board) -> list[Problem]:
    units = [*document["marines"], *document.get("aliens", [])]
    blocked = [cell_of(unit) for unit in units]
    blocked += [cell_of(door) for door in document.get("doors", []) if not _is_open(door)]
    obstructed = sum(1 << board.number(*cell) for cell in set(blocked))
    found = []
    for number, alien in enumerate(document.get("aliens", [])):
        if alien["type"] == "alien":
            continue
        target = board.number(*cell_of(alien))
        for marine in document["marines"]:
            line = board.sight(board.number(*cell_of(marine)), marine["facing"]).get(target)
            if line is not None and is_open(line, obstructed):
                message = "A marine sees the blip at the start."
                found.append(_warning("visible_blip", f"aliens[{number}]", message, cell_of(alien)))
                break
    return found


def _is_open(door: Any) -> bool:
    return isinstance(door, dict) and bool(door.get("open", False))


def _unreachable_objectives(document: dict[str, Any], board: Board) -> list[Problem]:
    """Return a warning for each objective that cannot be reached from any marine or start cell. Doors do not block."""
    reached = {cell_of(marine) for marine in document["marines"]} - set(board.drop_cells) | set(board.start_cells)
    edge = list(reached)
    while edge:
        for cell in board.neighbours(*edge.pop()):
            if cell not in reached:
                reached.add(cell)
                edge.append(cell)
    return [
        _warning("unreachable_objective", f"objectives[{number}]", "No marine can walk to the objective.", cell)
        for number, cell in enumerate(board.objectives)
        if cell not in reached
    ]
