"""Play bots against each other in this process, without sockets or a clock."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from threaded_bots import Message, Seat, begin, end

from arena.game import IllegalAction, Seeded
from arena_player.ai import AI
from arena_snakes import GAME, Game


def play(bots: Sequence[type[AI]], seed: int, options: Message | None = None) -> tuple[Game, list[Seat]]:
    """Play a whole game.

    Args:
        bots: The class of each player.
        seed: The seed of all draws.
        options: The options of the game.
    """
    chance = Seeded(seed)
    resolved = GAME.resolve_options({"players": len(bots), **(options or {})})
    state: Any = GAME.start(resolved, chance)
    seats = [Seat(kind()) for kind in bots]
    begin(seats, GAME.schema(), resolved.to_document(), [state.view(player) for player in range(len(bots))])
    while to_move := state.to_move():
        for player in to_move:
            _turn(state, player, seats[player], chance)
    end(seats)
    game: Game = state
    return game, seats


def _turn(state: Any, player: int, seat: Seat, chance: Seeded) -> None:
    """Let one player choose a move; the last one to choose plays the turn."""
    seat.to_bot.put({"type": "turn", "seq": 1, "turn": state.turn, **_news(state, player, seat)})
    accepted = 0
    error = None
    (action,) = seat.answer()["actions"]
    try:
        state.push(player, action, chance)
        accepted = 1
    except IllegalAction as refusal:
        error = {"code": refusal.code, "message": refusal.message}
        seat.refusals.append((action, refusal.code))
    result = {"type": "result", "seq": 1, "accepted": accepted, "error": error, "value": None, "your_move": False}
    seat.to_bot.put({**result, **_news(state, player, seat)})


def _news(state: Any, player: int, seat: Seat) -> Message:
    mark, seat.seen = seat.seen, state.mark
    return {"delta": state.delta(mark, player), "events": state.events(mark, player)}
