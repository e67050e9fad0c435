"""Play two bots against each other in this process, without sockets or a clock."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from threaded_bots import Message, Seat, begin, end

from arena.game import IllegalAction, Seeded
from arena_player.ai import AI
from arena_saloon import GAME, Game


def play(bots: Sequence[type[AI]], seed: int, options: Message | None = None) -> tuple[Game, list[Seat]]:
    """Play a whole game.

    Args:
        bots: The classes of player 0 and player 1.
        seed: The seed of the map and of the coin flip.
        options: The options of the game.
    """
    chance = Seeded(seed)
    resolved = GAME.resolve_options(options or {})
    state: Any = GAME.start(resolved, chance)
    seats = [Seat(kind()) for kind in bots]
    begin(seats, GAME.schema(), resolved.to_document(), [state.view() for _ in bots])
    while state.to_move():
        _turn(state, seats[state.current_player], chance)
    end(seats)
    game: Game = state
    return game, seats


def _turn(state: Any, seat: Seat, chance: Seeded) -> None:
    player = state.current_player
    seat.to_bot.put({"type": "turn", "seq": 1, "turn": state.current_turn, **_news(state, seat)})
    while state.to_move() == (player,):
        accepted = 0
        error = None
        value = None
        for action in seat.answer()["actions"]:
            if state.to_move() != (player,):
                break
            try:
                state.push(player, action, chance)
            except IllegalAction as refusal:
                error = {"code": refusal.code, "message": refusal.message}
                seat.refusals.append((action, refusal.code))
                break
            accepted += 1
            value = getattr(state.value, "id", None)
        seat.to_bot.put(
            {
                "type": "result",
                "seq": 1,
                "accepted": accepted,
                "error": error,
                "value": value,
                "your_move": state.to_move() == (player,),
                **_news(state, seat),
            }
        )


def _news(state: Any, seat: Seat) -> Message:
    mark, seat.seen = seat.seen, state.mark
    return {"delta": state.delta(mark), "events": state.events(mark)}
