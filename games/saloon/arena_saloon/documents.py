"""Convert the state to JSON and back."""

from __future__ import annotations

from typing import Any

from arena.game import Entity, Tile
from arena_saloon.entities import Bottle, Cowboy, Furnishing, Player, Position, YoungGun

Document = dict[str, Any]


def write(game: Position) -> Document:
    """Return the state in the form that the rules specify."""
    return {
        "game": "saloon",
        "current_turn": game.current_turn,
        "current_player": game.current_player,
        "next_id": {"cowboy": game.next_cowboy, "furnishing": game.next_furnishing, "bottle": game.next_bottle},
        "width": game.width,
        "height": game.height,
        "hazards": [[x, y] for x, y in game.hazards],
        "players": [_player(player) for player in game.players],
        "cowboys": [_fields(cowboy) for cowboy in game.cowboys],
        "arrivals": [_fields(cowboy) for cowboy in game.arrivals],
        "furnishings": [_fields(furnishing) for furnishing in game.furnishings],
        "bottles": [_fields(bottle) for bottle in game.bottles],
    }


def _fields(entity: Entity) -> Document:
    return {"id": entity.id, **{name: getattr(entity, name) for name in type(entity).fields_}}


def _player(player: Player) -> Document:
    gun = player.young_gun
    return {
        "index": player.index,
        "score": player.score,
        "kills": player.kills,
        "rowdiness": player.rowdiness,
        "siesta": player.siesta,
        "young_gun": {
            "id": gun.id,
            "x": gun.x,
            "y": gun.y,
            "can_call_in": gun.can_call_in,
            "call_in": list(gun.call_in_tile),
        },
    }


def read(game: Position, document: Document) -> None:
    """Fill a blank game from a document.

    Raises:
        ValueError, KeyError, TypeError: The document is not a state of this game.
    """
    if document["game"] != "saloon":
        raise ValueError(f"The document is a state of {document['game']}, not of saloon.")
    game.current_turn = document["current_turn"]
    game.current_player = document["current_player"]
    next_id = document["next_id"]
    game.next_cowboy, game.next_furnishing, game.next_bottle = (
        next_id[name] for name in ("cowboy", "furnishing", "bottle")
    )
    game.width, game.height = document["width"], document["height"]
    game.hazards = tuple(Tile(x, y) for x, y in document["hazards"])
    game.players = tuple(_read_player(game, player) for player in document["players"])
    game.cowboys = tuple(game.create(Cowboy, **cowboy) for cowboy in document["cowboys"])
    game.arrivals = tuple(game.create(Cowboy, **cowboy) for cowboy in document["arrivals"])
    game.furnishings = tuple(game.create(Furnishing, **furnishing) for furnishing in document["furnishings"])
    game.bottles = tuple(game.create(Bottle, **bottle) for bottle in document["bottles"])


def _read_player(game: Position, document: Document) -> Player:
    values = dict(document)
    gun = dict(values.pop("young_gun"))
    tile = Tile(*gun.pop("call_in"))
    young_gun = game.create(YoungGun, owner=values["index"], call_in_tile=tile, **gun)
    return game.create(Player, f"p{values['index']}", young_gun=young_gun, **values)
