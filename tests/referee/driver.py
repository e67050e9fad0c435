"""Drives the state machine of a match by hand: lists go in and come out, and time passes when the test says so."""

from __future__ import annotations

from typing import Any

from arena.game import Clock, GameSpec, Seeded
from arena.match.policy import Policy
from arena.referee.clock import Reading
from arena.referee.match import Begin, HangUp, Match, SeatSetup, Send
from arena.referee.record import Memory

CLOCK = Clock(startup=2.0, bank=10.0, increment=0.5, turn=3.0, grace=0.1)


class Driver:
    """A match, its record, a clock that stands still until it is moved, and what was sent to each seat."""

    def __init__(
        self,
        game: GameSpec,
        options: dict[str, Any] | None = None,
        *,
        clock: Clock = CLOCK,
        policy: Policy | None = None,
        with_cpu: bool = False,
    ) -> None:
        self.now = 100.0
        self.cpu = [0.0] * game.players
        self.waited = 0.0
        self.with_cpu = with_cpu
        self.record = Memory()
        state = game.start(options or {}, Seeded(1))
        names = [SeatSetup(f"bot {player}", {}) for player in range(game.players)]
        self.match = Match(
            game, state, names, Seeded(2), clock, policy or Policy(), self.record, self.look, self.kept_waiting
        )
        self.match.begin()
        self.sent: list[list[dict[str, Any]]] = [[] for _ in names]
        self.hung_up: list[int] = []
        self.begun: list[int] = []
        self.collect()

    def look(self, player: int) -> Reading:
        return Reading(self.now, self.cpu[player] if self.with_cpu else None)

    def kept_waiting(self, _player: int) -> float:
        seconds, self.waited = self.waited, 0.0
        return seconds

    def collect(self) -> None:
        for command in self.match.take_commands():
            if isinstance(command, Send):
                self.sent[command.player].append(command.message)
            elif isinstance(command, Begin):
                self.begun.append(command.player)
            else:
                assert isinstance(command, HangUp)
                self.hung_up.append(command.player)

    def say(self, player: int, kind: str, **fields: Any) -> dict[str, Any] | None:
        """Let a seat send a message; returns the last message to it since."""
        before = len(self.sent[player])
        self.match.on_message(player, {"type": kind, **fields})
        self.collect()
        return self.sent[player][-1] if len(self.sent[player]) > before else None

    def hello(self, player: int, **changes: Any) -> dict[str, Any] | None:
        fields = {"protocol": 1, "client": "test", "schema": None, "legal_actions": False, **changes}
        return self.say(player, "hello", **fields)

    def start(self, **changes: Any) -> None:
        """Bring all seats to the first turn."""
        for player in range(len(self.sent)):
            self.hello(player, **changes)
            self.say(player, "ready", seq=self.seq(player))

    def seq(self, player: int) -> int:
        return int(self.match.seats[player].seq)

    def act(self, player: int, *actions: dict[str, Any]) -> dict[str, Any]:
        """Let a seat act; returns the result that it got."""
        before = len(self.sent[player])
        self.match.on_message(player, {"type": "act", "seq": self.seq(player), "actions": list(actions)})
        self.collect()
        return next(message for message in self.sent[player][before:] if message["type"] in ("result", "over"))

    def pass_time(self, seconds: float, *, cpu: float = 0.0, player: int | None = None) -> None:
        """Let time pass, and CPU time of one seat, and let the match look at its clocks."""
        self.now += seconds
        if player is not None:
            self.cpu[player] += cpu
        for seat in range(len(self.sent)):
            self.match.on_time(seat)
        self.collect()

    def endings(self) -> list[str | None]:
        return [seat.ending for seat in self.match.seats]

    def kinds(self, player: int) -> list[str]:
        return [message["type"] for message in self.sent[player]]
