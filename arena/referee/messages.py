"""Build the messages that a match sends. `arena_player.wire.table` documents each field."""

from __future__ import annotations

from typing import Any

from arena.game import GameSpec, Outcome
from arena.referee.seat import Seat
from arena_player.wire import PROTOCOL

Message = dict[str, Any]


def welcome(seat: Seat, players: int, schema: dict[str, Any], options: dict[str, Any], version: str) -> Message:
    """Build ``welcome``: the game, its options, the player's number and the time limits."""
    return {
        "type": "welcome",
        "protocol": PROTOCOL,
        "game": schema["game"],
        "version": version,
        "schema": schema,
        "player": seat.player,
        "players": players,
        "options": options,
        "settings": seat.settings,
        "seed": seat.seed,
        "clock": seat.clock.settings.to_document(),
    }


def start(seat: Seat, view: list[Any]) -> Message:
    return {"type": "start", "seq": seat.seq, "view": view}


def turn(seat: Seat, number: int, legal_actions: list[Any] | None, out: list[int]) -> Message:
    """Build ``turn``, which asks a player to act and has the changes since the last message."""
    delta, events = seat.take_updates()
    message = {
        "type": "turn",
        "seq": seat.seq,
        "turn": number,
        "delta": delta,
        "events": events,
        "clock": _clock(seat),
    }
    if out:
        message["out"] = out
    return _listed(message, legal_actions)


def result(
    seat: Seat,
    *,
    accepted: int,
    error: Message | None,
    value: str | None,
    draws: list[Any],
    your_move: bool,
    legal_actions: list[Any] | None = None,
) -> Message:
    delta, events = seat.take_updates()
    message = {
        "type": "result",
        "seq": seat.seq,
        "accepted": accepted,
        "error": error,
        "value": value,
        "delta": delta,
        "events": events,
        "draws": draws,
        "your_move": your_move,
        "clock": _clock(seat),
    }
    return _listed(message, legal_actions)


def too_late(seat: Seat) -> Message:
    """Build ``result`` for actions that came too late, if the policy lets the player continue."""
    error = {"code": "too_late", "message": "the time for this turn had run out"}
    return result(seat, accepted=0, error=error, value=None, draws=[], your_move=False)


def over(seat: Seat, outcome: Outcome, players: list[Message]) -> Message:
    delta, events = seat.take_updates()
    return {
        "type": "over",
        "outcome": outcome.to_document(),
        "delta": delta,
        "events": events,
        "players": players,
    }


def refused(hello: Message, game: GameSpec, schema_hash: str) -> Message | None:
    """Return the message ``refused`` for a client that cannot take part; None if the client can take part."""
    name = game.name
    if hello["protocol"] != PROTOCOL:
        code = "wrong_protocol"
        message = f"speaks protocol {hello['protocol']}, the referee speaks {PROTOCOL}"
    elif hello["schema"] not in (None, schema_hash):
        code = "stale_schema"
        message = (
            f"its classes are those of another version of the game; `arena sdk {name}` writes them anew "
            "(with `--language`, if they are not in Python)"
        )
    else:
        return None
    return {"type": "refused", "code": code, "message": message}


def _clock(seat: Seat) -> Message:
    return {"bank": seat.clock.bank, "turn": seat.clock.turn_left()}


def _listed(message: Message, legal_actions: list[Any] | None) -> Message:
    if legal_actions is not None:
        message["legal_actions"] = legal_actions
    return message
