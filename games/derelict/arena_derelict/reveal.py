"""Revealing blips: by the aliens' choice, or because a marine sees the blip."""

from __future__ import annotations

from arena.game import IllegalAction, Tile
from arena_derelict.board import Cell
from arena_derelict.entities import Unit
from arena_derelict.flow import Todo, ask, destroy, pay, proceed
from arena_derelict.moving import active_unit, need
from arena_derelict.pieces import Pieces
from arena_derelict.position import Position

REVEAL_COST = 6


def _become_alien(game: Position, blip: Unit, *, forced: bool) -> None:
    blip.kind = "alien"
    blip.count = None
    game.event("revealed", unit=blip.id, x=blip.x, y=blip.y, forced=forced)


def create_alien_unit(
    game: Position, kind: str, cell: Cell, facing: str, *, deactivated: bool, count: int | None
) -> Unit:
    """Put a new alien or blip on the board, with the next id."""
    number = game.next_alien
    game.next_alien = number + 1
    unit = game.create(
        Unit, f"a{number}", kind=kind, x=cell[0], y=cell[1], facing=facing, deactivated=deactivated, count=count
    )
    game.units = (*game.units, unit)
    game.event("placed", unit=unit.id, what=kind, x=unit.x, y=unit.y)
    return unit


def orient(game: Position, quarters: int) -> None:
    """Turn the alien of the current decision. This is free and triggers nothing."""
    assert game.decision is not None
    unit = game.decision.unit
    assert unit is not None
    unit.rotate(quarters)
    game.choices_made += 1


# -- by the aliens' choice ---------------------------------------------------------------------------------------------


def reveal(game: Position) -> None:
    """Reveal the active blip."""
    unit = active_unit(game)
    if unit.kind != "blip":
        raise IllegalAction("not_a_blip")
    need(game, REVEAL_COST)
    room = game.options.alien_cap - game.pieces.aliens
    if room <= 0:
        raise IllegalAction("too_many_aliens")
    others = min(unit.count or 1, room) - 1
    pay(game, REVEAL_COST)
    _become_alien(game, unit, forced=False)
    game.choices_made += 1
    ask(game, "reveal", 1, unit=unit, origin=Tile(unit.x, unit.y), remaining=others)


def open_cells(game: Position, pieces: Pieces) -> list[Cell]:
    """List the cells where the next alien of a revealed blip can be placed: free neighbours that no marine sees."""
    assert game.decision is not None
    origin = game.decision.origin
    if origin is None or not game.decision.remaining:
        return []
    return [cell for cell in _free_neighbours(pieces, origin) if not pieces.is_seen_by_any(*cell)]


def _free_neighbours(pieces: Pieces, origin: Cell) -> list[Cell]:
    return [cell for cell in pieces.board.neighbours(*origin) if pieces.is_free(*cell)]


def is_offered(game: Position, name: str) -> bool:
    """Return whether a kind of choice is legal in a decision ``reveal``."""
    if name in ("turn_left", "turn_right"):
        return True
    return (name == "deploy") == bool(open_cells(game, game.pieces))


def deploy(game: Position, cell: Tile) -> None:
    """Place another alien of the contact. Its facing is decided next."""
    decision = game.decision
    assert decision is not None
    if cell not in open_cells(game, game.pieces):
        raise IllegalAction("not_an_open_cell")
    assert decision.unit is not None
    assert decision.remaining is not None
    decision.unit = create_alien_unit(game, "alien", cell, decision.unit.facing, deactivated=False, count=None)
    decision.remaining -= 1
    game.choices_made += 1


# -- forced ------------------------------------------------------------------------------------------------------------


def check(game: Position, todo: Todo) -> bool:
    """Reveal the blips that marines see, one after the other. All decisions about a blip come before the next blip."""
    if not game.options.involuntary_reveal:
        return False
    while True:
        pieces = game.pieces
        blip = pieces.seen_blip()
        if blip is None:
            return False
        number = min(blip.count or 1, game.options.alien_cap - pieces.aliens)
        if number > 0:
            break
        destroy(game, blip, "no_room")
    _become_alien(game, blip, forced=True)
    others = number - 1
    todo += [("check",), ("place_others", blip.id, blip.id, others), ("orient", blip.id, blip.x, blip.y, others)]
    return False


def ask_to_orient(game: Position, todo: Todo, unit_id: str, x: int, y: int, remaining: int) -> bool:  # noqa: ARG001
    """Let the alien player turn an alien of a blip that marines saw."""
    return ask(game, "forced_orient", 1, unit=game.entity(unit_id), origin=Tile(x, y), remaining=remaining)


def place_others(game: Position, todo: Todo, first_id: str, last_id: str, remaining: int) -> bool:
    """Let the marine player place the next alien of a contact. Without a free cell, the remaining aliens are lost."""
    first: Unit = game.entity(first_id)
    if not remaining or not _free_neighbours(game.pieces, (first.x, first.y)):
        return False
    todo.append(("place_others", first_id, last_id, remaining))
    return ask(game, "forced_place", 0, origin=Tile(first.x, first.y), remaining=remaining)


def forced_cells(game: Position, pieces: Pieces) -> list[Cell]:
    """List the cells for the next alien of a blip that marines saw."""
    assert game.decision is not None
    origin = game.decision.origin
    return [] if origin is None else _free_neighbours(pieces, origin)


def forced_place(game: Position, cell: Tile) -> None:
    """Place the next alien with the facing of the previous one. The alien player can then turn this alien."""
    if cell not in forced_cells(game, game.pieces):
        raise IllegalAction("not_an_open_cell")
    _, first_id, last_id, remaining = game.agenda[-1]
    first, last = game.entity(first_id), game.entity(last_id)
    unit = create_alien_unit(game, "alien", cell, last.facing, deactivated=first.deactivated, count=None)
    game.agenda = game.agenda[:-1]
    left = remaining - 1
    proceed(game, ("place_others", first_id, unit.id, left), ("orient", unit.id, first.x, first.y, left))
