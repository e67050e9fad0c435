"""The complete list of legal actions."""

from __future__ import annotations

from typing import Any

from arena_saloon.entities import Cowboy, Furnishing, Position, YoungGun
from arena_saloon.words import DIRECTIONS, JOBS, STEPS

Document = dict[str, Any]
Blocked = dict[tuple[int | None, int | None], "Furnishing | None"]
"""Maps each tile with a cowboy or a furnishing to the furnishing, or to None for a cowboy."""

AROUND = tuple(STEPS[direction] for direction in DIRECTIONS)


def legal_actions(game: Position) -> list[Document]:
    """List all legal actions of the current player, in a fixed order."""
    player = game.current_player
    listed: list[Document] = [{"type": "end_turn"}]
    listed += _call_ins(game.players[player].young_gun)
    blocked: Blocked = {(furnishing.x, furnishing.y): furnishing for furnishing in game.furnishings}
    everybody = game.cowboys + game.arrivals
    for cowboy in everybody:
        blocked[cowboy.x, cowboy.y] = None
    for cowboy in everybody:
        if cowboy.owner == player and not cowboy.is_dead and not cowboy.is_drunk:
            _commands(game, cowboy, blocked, listed)
    return listed


def _call_ins(gun: YoungGun) -> list[Document]:
    game = gun.game
    if not gun.can_call_in:
        return []
    limit = game.options.max_cowboys_per_job
    living = [cowboy.job for cowboy in game.cowboys if cowboy.owner == gun.owner and not cowboy.is_dead]
    return [{"type": "call_in", "young_gun": gun.id, "job": job} for job in JOBS if living.count(job) < limit]


def _commands(game: Position, cowboy: Cowboy, blocked: Blocked, listed: list[Document]) -> None:
    right, bottom = game.width - 1, game.height - 1
    id_ = cowboy.id
    can_move = cowboy.can_move
    idle = cowboy.turns_busy == 0
    if not (can_move or idle):
        return
    words = _words(cowboy) if idle else ()
    for dx, dy in AROUND:
        x, y = (cowboy.x or 0) + dx, (cowboy.y or 0) + dy
        if can_move and (x, y) not in blocked and 0 < x < right and 0 < y < bottom:
            listed.append({"type": "move", "cowboy": id_, "x": x, "y": y})
        for word in words:
            listed.append({"type": "act", "cowboy": id_, "x": x, "y": y, "drunk_direction": word})
        if idle:
            furnishing = blocked.get((x, y))
            if furnishing is not None and furnishing.is_piano and not furnishing.is_playing:
                listed.append({"type": "play", "cowboy": id_, "furnishing": furnishing.id})


def _words(cowboy: Cowboy) -> tuple[str, ...]:
    """Return the allowed values of `drunk_direction` for a cowboy who is not busy; empty if he cannot act."""
    if cowboy.job == "Bartender":
        return DIRECTIONS
    return ("",) if cowboy.job == "Sharpshooter" and cowboy.focus > 0 else ()
