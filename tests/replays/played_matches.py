"""Matches of the referee's state machine without programs, into replays, with every kind of ending; and forged replays.

The seats answer, fail and run out of time as a random generator says, in any order and at any moment.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

from arena.game import Clock, GameSpec
from arena.match.job import Job, SeatAssignment
from arena.match.limits import Policy
from arena.match.lookup import options_for
from arena.match.position import Position
from arena.match.void import HOST_LATE
from arena.play.referee.carrying import HELLO
from arena.play.referee.clock import Reading
from arena.play.referee.match import Match
from arena.play.referee.opening import MatchPlayer, Opening
from arena.play.referee.outputs import Begin, HangUp, ReadClock, Send
from arena.play.referee.recording import Recording
from arena.play.referee.seat import Phase
from arena_replays import Reader, compact

CLOCK = Clock(startup=2.0, bank=None, increment=0.0, turn=3.0, grace=0.1)
SHORT: dict[str, dict[str, Any]] = {
    "saloon": {"max_turns": 8},
    "derelict": {"turn_limit": 2},
    "laser_flag": {"rules": {"hard_turn_limit": 2}},
    "snakes": {},
}
"""Options for short matches."""
NONSENSE = ({"type": "nonsense"}, {"type": "nonsense", "text": "x" * 600}, {"type": "end_turn", "extra": 1})


@dataclass(frozen=True)
class Habits:
    """How likely things happen in each step of a match.

    Attributes:
        fails: That a program fails, whoever is to move.
        hangs: That a player who is asked runs out of time.
        errs: That a player submits an illegal action.
        ends: That the match becomes void.
    """

    fails: float = 0.0
    hangs: float = 0.0
    errs: float = 0.1
    ends: float = 0.0


class Played:
    """A match that is played to its end into a replay."""

    def __init__(
        self,
        path: Path,
        game: GameSpec,
        seed: int,
        habits: Habits,
        *,
        players: int | None = None,
        options: dict[str, Any] | None = None,
        policy: Policy | None = None,
        start: Position | None = None,
        leg: int = 0,
        finishes: bool = True,
    ) -> None:
        self.rng = Random(seed)
        self.habits = habits
        self.path = path
        number = players or game.players
        seats = tuple(SeatAssignment("", f"bot {player}") for player in range(number))
        given = dict(options or {}) if start is None else start.options
        job = Job(game.name, seats, seed=seed, leg=leg, policy=policy or Policy(), replay=str(path), start=start)
        entrants = [MatchPlayer(seat.name) for seat in seats]
        opening = Opening(job, game, options_for(game, given, number), CLOCK, entrants)
        self.match: Match
        self.recording: Recording
        self.match, self.recording = opening.open()  # type: ignore[assignment]
        self.now = [0.0] * number
        self.trouble = ""
        self.match.start_next()
        self.collect()
        for _ in range(20_000):
            if self.match.over:
                break
            self.step()
        if finishes:
            self.recording.finish(self.match, self.trouble)
        else:
            self.recording._writer.abandon()

    def collect(self) -> None:
        outputs = self.match.outputs
        while outputs:
            output = outputs.popleft()
            if isinstance(output, ReadClock):
                self.match.on_clock(output.player, self.reading(output.player))
            elif not isinstance(output, Send | Begin | HangUp):
                self.recording.write(output)

    def reading(self, player: int) -> Reading:
        return Reading(self.now[player])

    def step(self) -> None:
        chance, habits, match = self.rng.random(), self.habits, self.match
        seat = self.rng.choice([seat for seat in match.seats if seat.phase is not Phase.GONE])
        if chance < habits.fails:
            ending = self.rng.choice(("crashed", "out_of_memory", "resigned", "no_build", "bad_message"))
            if ending == "bad_message":
                match.on_violation(seat.player, "sent no map")
            elif ending != "no_build" or seat.phase in (Phase.WAITING, Phase.LOBBY):
                match.on_exit(seat.player, ending, "exit code 1")  # type: ignore[arg-type]
        elif chance < habits.fails + habits.ends:
            self.void(seat.player)
        elif seat.asked and self.rng.random() < habits.hangs:
            self.now[seat.player] += 10
            match.on_time(seat.player, self.reading(seat.player))
        elif seat.asked:
            self.answer(seat.player)
        self.collect()

    def void(self, player: int) -> None:
        way = self.rng.randrange(3)
        if way == 0:
            self.match.on_killed(player, "another program killed its sandbox")
        elif way == 1:
            self.match.void_at(player, HOST_LATE, "took longer than 1 s while other programs used the processor")
        else:
            self.trouble = "interrupted by SIGINT"
            self.match.void(self.trouble)

    def answer(self, player: int) -> None:
        match, rng = self.match, self.rng
        seat, state = match.seats[player], match.state
        say = partial(match.on_message, player, reading=self.reading(player))
        if seat.phase is Phase.LOBBY:
            say({**HELLO, "protocol": 99} if rng.random() < self.habits.fails else HELLO)
        elif seat.phase is Phase.READY:
            say({"type": "ready", "seq": seat.seq})
        else:
            actions: list[dict[str, Any]] = []
            for _ in range(rng.randrange(1, 4)):
                errs = rng.random() < self.habits.errs or player not in state.to_move()
                actions.append(rng.choice(NONSENSE) if errs else state.random_action(player, rng))
            say({"type": "act", "seq": seat.seq, "actions": actions, "keep_going": rng.random() < 0.5})


def forge(path: Path, out: Path, change: Callable[[dict[str, Any]], None], *, views: bool = False) -> None:
    """Write a changed copy of a replay with a correct hash chain.

    Args:
        change: Changes the parts of the file: ``header``, ``truth``, ``views`` and ``footer``.
        views: Whether the copy has views. Without them, nothing but the entries can give the change away.
    """
    reader = Reader(path)
    parts: dict[str, Any] = {
        "header": dict(reader.header),
        "truth": [list(entry) for entry in reader.truth],
        "views": [list(reader.frames(stream)) for stream in range(reader.streams)] if views else [],
        "footer": dict(reader.footer or {}),
    }
    if not views:
        parts["footer"]["left_out"] = ["views"]
    change(parts)
    out.write_bytes(compact.assemble(parts["header"], parts["truth"], parts["views"], reader.notes, parts["footer"]))
