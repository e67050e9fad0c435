"""Carry out the outputs of a match whose seats are objects."""

from __future__ import annotations

from typing import Any

from driver import CLOCK

from arena.game import Seeded, load
from arena.match.job import SeatAssignment
from arena.match.limits import Policy
from arena.play.referee.carrying import Resident, hand_over, read_clocks
from arena.play.referee.match import Match


class Full(Resident):
    """Refuses to be sent its turn, like a program that reads nothing."""

    def send(self, message: dict[str, Any]) -> None:
        if message["type"] == "turn":
            self._match.on_violation(self._player, "left too many bytes unread")
        else:
            super().send(message)


def test_time_runs_for_a_request_that_another_seats_failure_caused() -> None:
    game = load("snakes")
    seats = [SeatAssignment("", f"bot {player}") for player in range(3)]
    state = game.start({"players": 3}, Seeded(1))
    match = Match(game, state, seats, Seeded(2), CLOCK, Policy(), recorded=False)
    asked: list[dict[str, Any]] = []
    ends = [(Resident if player else Full)(match, player, asked.append) for player in range(3)]
    match.start_next()
    while match.outputs:
        read_clocks(match, ends)
        hand_over(match, ends, None)
    assert match.seats[0].ending == "bad_message"
    assert [message["type"] for message in asked] == ["turn"]
    assert match.mover == 1
    assert match.time.next_check(1) == CLOCK.turn + CLOCK.grace  # type: ignore[operator]
