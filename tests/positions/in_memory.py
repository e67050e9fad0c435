"""Matches without processes: the real state machine, record and rules; random legal actions in place of bots."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

from arena.game import Clock, load
from arena.match.isolation import Isolation
from arena.match.job import Job, SeatAssignment
from arena.match.position import Position
from arena.referee.clock import Reading
from arena.referee.outputs import Begin, HangUp, ReadClock, Send
from arena.referee.prepared import PreparedMatch
from arena_replays import Reader
from arena_replays.compact import assemble

CLOCK = Clock(startup=60.0, bank=None, increment=0.0, turn=None)
NOW = Reading(100.0, None)
SHORT: dict[str, dict[str, Any]] = {"saloon": {"max_turns": 60}}
"""Options for shorter matches."""
LONGEST = 400
"""Actions after which players only finish their turns, so that a random match ends soon."""


class Seats:
    """The seats of a match, and what was sent to each."""

    def __init__(self, job: Job, rng: Random) -> None:
        self.rng = rng
        prepared = PreparedMatch(job)
        self.match, self.recording = prepared.open_match([Isolation()] * len(job.seats))
        self.sent: list[list[dict[str, Any]]] = [[] for _ in job.seats]
        self.actions = 0

    def play(self) -> None:
        """Play to the end, and write the replay."""
        match = self.match
        match.start_next()
        while True:
            waiting = self.carry_out()
            if match.over:
                break
            for player, message in waiting:
                match.on_message(player, message, NOW)
        if self.recording is not None:
            self.recording.finish(match, "")

    def carry_out(self) -> list[tuple[int, dict[str, Any]]]:
        """Carry out what the state machine wants, and return the answers of the seats."""
        answers = []
        outputs = self.match.outputs
        while outputs:
            output = outputs.popleft()
            if isinstance(output, ReadClock):
                self.match.on_clock(output.player, NOW)
            elif isinstance(output, Begin):
                hello = {"protocol": 1, "client": "test", "schema": None, "legal_actions": False}
                answers.append((output.player, {"type": "hello", **hello}))
            elif isinstance(output, Send):
                self.sent[output.player].append(output.message)
                answers += self.answer(output.player, output.message)
            elif not isinstance(output, HangUp) and self.recording is not None:
                self.recording.write(output)
        return answers

    def answer(self, player: int, message: dict[str, Any]) -> list[tuple[int, dict[str, Any]]]:
        """Return the answer of a seat to a message, if it wants one."""
        if message["type"] == "start":
            return [(player, {"type": "ready", "seq": message["seq"]})]
        if message["type"] == "turn" or message.get("your_move"):
            return [(player, {"type": "act", "seq": message["seq"], "actions": [self.choose(player)]})]
        return []

    def choose(self, player: int) -> dict[str, Any]:
        """Return a random legal action; after many, one that finishes the turn."""
        state = self.match.state
        self.actions += 1
        if self.actions > LONGEST or self.rng.random() < 0.1:
            return state.fallback_action(player)
        return self.rng.choice(state.legal_actions(player))


def play(
    path: Path,
    game: str,
    seed: int,
    start: Position | None = None,
    players: int | None = None,
    options: dict[str, Any] | None = None,
) -> Seats:
    """Play a match of random actions into a replay."""
    bots = [f"builtin:{load(game).bots[0].name}"] * (players or load(game).players)
    given = {} if start is not None else options or SHORT.get(game, {})
    seats = Seats(
        Job(game, tuple(map(SeatAssignment, bots)), given, seed=seed, clock=CLOCK, replay=str(path), start=start),
        Random(seed),
    )
    seats.play()
    return seats


def name_parent(path: Path, file: str) -> None:
    """Change the path of the parent in the header of a replay."""
    reader = Reader(path)
    header = {**reader.header, "parent": {**reader.header["parent"], "file": file}}
    views = [list(reader.frames(stream)) for stream in range(reader.streams)]
    path.write_bytes(assemble(header, reader.truth, views, reader.notes, reader.footer))
