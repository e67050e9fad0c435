"""The set-up: the starting position of a mission, the deployment of marines, and reinforcements."""

from __future__ import annotations

from typing import Any

from arena.game import IllegalAction, Integers, Tile
from arena_derelict.board import Cell, cell_of
from arena_derelict.entities import Decision, Door, Unit
from arena_derelict.flow import Todo, ask, proceed
from arena_derelict.pieces import Pieces
from arena_derelict.position import Position
from arena_derelict.reveal import create_alien_unit
from arena_derelict.rulesets import BLIP_DIE, blip_count

MARKS = ("guard", "overwatch", "jam")


def place_mission(game: Position) -> None:
    """Put all objects of the mission on the board."""
    mission: dict[str, Any] = game.options.mission
    place_map(game)
    game.decision = game.create(Decision, "decision")
    game.flamer_fuel = game.options.flamer_fuel
    units = []
    for number, entry in enumerate(mission["marines"], 1):
        x, y = cell_of(entry)
        marks = {mark: entry.get(mark, False) for mark in MARKS}
        units.append(
            game.create(
                Unit,
                f"m{number}",
                kind="marine",
                marine_type=entry["type"],
                x=x,
                y=y,
                facing=entry["facing"],
                **marks,
            )
        )
    for number, entry in enumerate(mission.get("aliens", []), 1):
        x, y = cell_of(entry)
        kind, _, count = entry["type"].partition("_")
        number_behind = int(count or 1) if kind == "blip" else None
        units.append(game.create(Unit, f"a{number}", kind=kind, count=number_behind, x=x, y=y, facing=entry["facing"]))
    game.next_alien = 1 + len(mission.get("aliens", []))
    game.units = tuple(units)
    doors = []
    for number, entry in enumerate(mission.get("doors", []), 1):
        x, y = cell_of(entry)
        is_open = isinstance(entry, dict) and entry.get("open", False)
        doors.append(game.create(Door, f"d{number}", x=x, y=y, open=is_open))
    game.doors = tuple(doors)


def place_map(game: Position) -> None:
    """Fill in the fields that show the static map and the ruleset."""
    mission = game.options.mission
    board = game.board
    game.ruleset = game.options.ruleset
    game.width = board.width
    game.height = board.height
    game.cells = "".join(mission["rows"])
    game.sections = "".join(mission.get("sections") or ())
    game.objectives = _tiles(board.objectives)
    game.entry_cells = _tiles(board.entry_cells)
    game.lurk_cells = _tiles(board.lurk_cells)
    game.start_cells = _tiles(tuple(board.start_cells))


def _tiles(cells: tuple[Cell, ...]) -> tuple[Tile, ...]:
    return tuple(Tile(*cell) for cell in cells)


# -- deployment --------------------------------------------------------------------------------------------------------


def waiting(game: Position) -> list[Unit]:
    """List the marines that stand on drop cells."""
    drop_cells = game.board.drop_cells
    return [unit for unit in game.units if unit.kind == "marine" and (unit.x, unit.y) in drop_cells]


def open_starts(game: Position, pieces: Pieces) -> list[Cell]:
    """List the start cells without a unit, row by row."""
    cells = sorted(game.board.start_cells, key=lambda cell: (cell[1], cell[0]))
    return [cell for cell in cells if pieces.unit_at(*cell) is None]


def deploy(game: Position, todo: Todo) -> bool:
    """Ask the marine player which marine to place next. Stop when no marine waits or no start cell is free."""
    if not (game.options.deployment and waiting(game) and open_starts(game, game.pieces)):
        return False
    todo.append(("deployment",))
    return ask(game, "deploy_pick", 0)


def pick(game: Position, cell: Tile) -> None:
    """Pick the marine to be placed."""
    unit = game.pieces.unit_at(cell.x, cell.y)
    if unit is None or unit not in waiting(game):
        raise IllegalAction("no_unit_of_yours_there")
    game.choices_made += 1
    ask(game, "deploy_place", 0, unit=unit)


def place(game: Position, cell: Tile) -> None:
    """Place the marine that was picked."""
    if cell not in game.board.start_cells:
        raise IllegalAction("not_a_start_cell")
    if cell not in open_starts(game, game.pieces):
        raise IllegalAction("occupied")
    assert game.decision is not None
    unit = game.decision.unit
    assert unit is not None
    unit.x, unit.y = cell
    unit.facing = game.board.start_cells[cell]  # type: ignore[assignment]
    game.event("placed", unit=unit.id, what="marine", x=unit.x, y=unit.y)
    proceed(game, ("check",))


# -- reinforcements ----------------------------------------------------------------------------------------------------


def open_lurks(game: Position, pieces: Pieces) -> list[Cell]:
    """List the lurk cells without a unit and without a closed door."""
    return [cell for cell in game.board.lurk_cells if pieces.is_free(*cell)]


def ask_for_reinforcement(game: Position, todo: Todo, remaining: int) -> bool:
    """Ask the alien player to place the next blip. Without a free cell, the remaining blips are lost."""
    if not remaining or not open_lurks(game, game.pieces):
        return False
    todo.append(("reinforce", remaining - 1))
    return ask(game, "reinforce", 1, remaining=remaining)


def reinforce(game: Position, cell: Tile) -> None:
    """Put a new blip on a lurk cell, then draw the number of its aliens."""
    if cell not in open_lurks(game, game.pieces):
        raise IllegalAction("not_an_open_cell")
    value = game.chance.draw(Integers(1, BLIP_DIE), "blip_type", public=False)
    unit = create_alien_unit(game, "blip", cell, "South", deactivated=False, count=blip_count(value))
    game.event("roll", seen_by=(1,), label="blip_type", unit=unit.id, dice=[value], needed=None, result=unit.count)
    proceed(game, ("check",))
