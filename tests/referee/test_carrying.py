"""Carry out the outputs of a match whose seats are objects."""

from __future__ import annotations

from typing import Any

from driver import CLOCK

from arena.game import Seeded, load
from arena.match.job import SeatAssignment
from arena.match.policy import Policy
from arena.referee.carrying import hand_over, read_clocks
from arena.referee.clock import Reading
from arena.referee.match import Match


class End:
    """Starts, and refuses to be sent its turn if it is `full`, like a program that reads nothing."""

    def __init__(self, match: Match, player: int, *, full: bool) -> None:
        self.match = match
        self.player = player
        self.full = full
        self.asked = False

    def read_clocks(self) -> Reading:
        return Reading(100.0)

    def begin(self) -> None:
        hello = {"type": "hello", "protocol": 1, "client": "", "schema": None, "legal_actions": False}
        self.match.on_message(self.player, hello, self.read_clocks())

    def send(self, message: dict[str, Any]) -> None:
        if message["type"] == "start":
            self.match.on_message(self.player, {"type": "ready", "seq": message["seq"]}, self.read_clocks())
        elif message["type"] == "turn" and self.full:
            self.match.on_violation(self.player, "left too many bytes unread")
        elif message["type"] == "turn":
            self.asked = True

    def collect_stack(self) -> None:
        raise AssertionError("nobody is late")

    def hang_up(self) -> None:
        assert self.full


def test_time_runs_for_a_request_that_another_seats_failure_caused() -> None:
    game = load("snakes")
    seats = [SeatAssignment("", f"bot {player}") for player in range(3)]
    state = game.start({"players": 3}, Seeded(1))
    match = Match(game, state, seats, Seeded(2), CLOCK, Policy(), recorded=False)
    ends = [End(match, player, full=player == 0) for player in range(3)]
    match.start_next()
    while match.outputs:
        read_clocks(match, ends)
        hand_over(match, ends, None)
    assert match.seats[0].ending == "bad_message"
    assert ends[1].asked
    assert match.time.next_check(1) == 100.0 + CLOCK.turn + CLOCK.grace  # type: ignore[operator]
