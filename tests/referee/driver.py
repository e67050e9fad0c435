"""Drives the state machine of a match by hand: lists go in and come out, and time passes when the test says so."""

from __future__ import annotations

from typing import Any

from arena.game import Clock, GameSpec, Seeded
from arena.match.job import SeatAssignment
from arena.match.limits import Policy
from arena.play.referee.clock import Reading
from arena.play.referee.match import Match
from arena.play.referee.outputs import Begin, Entry, HangUp, ReadClock, Send

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
        recorded: bool = True,
    ) -> None:
        self.now = 100.0
        self.cpu = [0.0] * game.players
        self.waited = 0.0
        self.with_cpu = with_cpu
        self.entries: list[Entry] = []
        state = game.start(options or {}, Seeded(1))
        names = [SeatAssignment("", f"bot {player}") for player in range(game.players)]
        self.match = Match(game, state, names, Seeded(2), clock, policy or Policy(), recorded=recorded)
        self.match.start_next()
        self.sent: list[list[dict[str, Any]]] = [[] for _ in names]
        self.hung_up: list[int] = []
        self.begun: list[int] = []
        self.collect()

    def read(self, player: int) -> Reading:
        return Reading(self.now, self.cpu[player] if self.with_cpu else None)

    def settle(self, player: int) -> Reading:
        """Read the clocks of a seat, as the host does before a limit counts as passed."""
        reading = self.read(player)
        if self.match.time.overrun(player, reading) > 0:
            seconds, self.waited = self.waited, 0.0
            self.match.on_kept_waiting(player, reading, seconds)
        return reading

    def collect(self) -> None:
        while self.match.outputs:
            output = self.match.outputs.popleft()
            if isinstance(output, Send):
                self.sent[output.player].append(output.message)
            elif isinstance(output, Begin):
                self.begun.append(output.player)
            elif isinstance(output, HangUp):
                self.hung_up.append(output.player)
            elif isinstance(output, ReadClock):
                self.match.on_clock(output.player, self.read(output.player))
            else:
                self.entries.append(output)

    def say(self, player: int, kind: str, **fields: Any) -> dict[str, Any] | None:
        """Let a seat send a message; returns the last message to it since."""
        before = len(self.sent[player])
        self.match.on_message(player, {"type": kind, **fields}, self.settle(player))
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

    def act(self, player: int, *actions: dict[str, Any], **more: Any) -> dict[str, Any]:
        """Let a seat act; returns the result that it got."""
        before = len(self.sent[player])
        message = {"type": "act", "seq": self.seq(player), "actions": list(actions), **more}
        self.match.on_message(player, message, self.settle(player))
        self.collect()
        return next(message for message in self.sent[player][before:] if message["type"] in ("result", "over"))

    def pass_time(
        self,
        seconds: float,
        *,
        cpu: float = 0.0,
        idle: float = 0.0,
        waited: float = 0.0,
        entitled: float = 0.0,
        player: int | None = None,
    ) -> None:
        """Let time pass, CPU time and idle time of one seat, and let the match check its limits.

        Args:
            waited: How long other programs kept the asked seat from running.
            entitled: How long a program of normal weight would have run.
        """
        self.now += seconds
        self.waited += waited
        for seat in range(len(self.sent)):
            self.match.time.clock(seat).count_entitled(entitled)
        if player is not None:
            self.cpu[player] += cpu
            self.match.time.clock(player).count_idle(idle)
        for seat in range(len(self.sent)):
            self.match.on_time(seat, self.settle(seat))
        self.collect()

    def entries_of(self, *kinds: type[Entry]) -> list[Any]:
        return [entry for entry in self.entries if isinstance(entry, kinds)]

    def endings(self) -> list[str | None]:
        return [seat.ending for seat in self.match.seats]

    def kinds(self, player: int) -> list[str]:
        return [message["type"] for message in self.sent[player]]
