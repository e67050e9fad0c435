"""The match of a job, for a worker process: what `arena play` plays, with loaded bots, clocks and people."""

from __future__ import annotations

import multiprocessing
import time
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from multiprocessing.connection import Client
from typing import Any, Self

from arena.match.isolation import IN_MEMORY
from arena.match.job import Job
from arena.match.result import MatchResult
from arena.play.memory.choices import copied
from arena.play.memory.match import MatchInMemory, Seated
from arena.play.memory.notes import SeatOutput
from arena.play.memory.players import bot_class
from arena.play.memory.referee import Referee
from arena.play.memory.seats import MemorySeat
from arena.play.memory.watch import FIELDS, POLL, STOP, StoppedError, Watch
from arena.play.referee.match_process import Report
from arena.play.referee.prepared import PreparedMatch

INTERRUPTED = "interrupted by SIGINT"
PROGRESS = 0.1
"""Seconds between two reports of progress: people do not read faster."""


@dataclass(frozen=True, slots=True)
class JobTask:
    """Plays the match of a job."""

    job: Job

    @property
    def memory(self) -> int:
        """The bytes of memory that all bots together may use."""
        return len(self.job.seats) * self.job.limits.memory

    def run(self, watch: Watch, report: Report | None) -> MatchResult:
        """Play the match, and return its result. A failure of the rules is in it, as its `fault`."""
        match = MatchOfJob(PreparedMatch(self.job, in_memory=True), watch)
        first = match.state.turn_number() if self.job.start is None else self.job.start.first
        fault, reported = "", 0.0
        try:
            for _ in match.turns():
                if watch.stopped:
                    match.stop(INTERRUPTED)
                elif report is not None and time.monotonic() - reported >= PROGRESS:
                    reported = time.monotonic()
                    turn = match.state.turn_number() - first + 1
                    report({"event": "turn", "turn": turn, "scores": list(match.state.scores())})
        except StoppedError:
            match.stop(INTERRUPTED)
        except Exception as error:
            if not match.over:
                raise
            fault = f"{type(error).__name__}: {error}"
        return replace(match.result(), fault=fault)


class MatchOfJob(MatchInMemory):
    """A match of a worker process. Its bots are loaded as they start up, and time passes.

    A limit takes effect when the code comes back: whoever reads the watch ends what hangs.
    """

    def __init__(self, prepared: PreparedMatch, watch: Watch) -> None:
        self.game = prepared.game
        match, recording = prepared.open_match([IN_MEMORY] * len(prepared.bots))
        referee = Referee(match, None if recording is None else recording.write, time.monotonic, watch)
        seated = []
        for bot in prepared.bots:
            output = SeatOutput(captures=not prepared.job.debug)
            loader = None if bot.is_outside else partial(bot_class, self.game, bot.folder / bot.entry)
            seated.append(Seated(None, output, loader, bot.content_hash, is_brought=bot.is_brought))
        self._begin(prepared.job, referee, seated, recording, raises=False)

    def _seat(self, number: int, seated: Seated, *, raises: bool) -> MemorySeat:
        if seated.loader is None and not seated.is_brought:
            return PersonSeat(self._referee, number, seated.output, self._job.seats[number].address)
        return super()._seat(number, seated, raises=raises)

    def stop(self, reason: str) -> None:
        """End the match without a result, like `close`."""
        self._stopped = reason
        with self._playing():
            self._match.void(reason)
            self._referee.carry_out()


class PersonSeat(MemorySeat):
    """The seat of a person, who is at the other end of a connection (`arena.play.seats.waiting`)."""

    plays = True

    def __init__(self, referee: Referee, player: int, output: SeatOutput, address: str) -> None:
        super().__init__(referee, player, output)
        self._link = Client(address, authkey=multiprocessing.current_process().authkey)

    def start(self) -> None:
        """Wait for the person's program."""
        self.waits = False
        self._referee.connect(self._player)
        for _ in ("hello", "ready"):
            self.play()

    def send(self, message: dict[str, Any]) -> None:
        """Show a message to the person."""
        with suppress(OSError):  # `play` notices that the person is gone
            self._link.send(copied(message))

    def play(self) -> None:
        """Wait for what the person chooses."""
        try:
            while not self._link.poll(POLL):
                if self._referee.watch is not None and self._referee.watch.stopped:
                    raise StoppedError
            message = self._link.recv()
        except (EOFError, OSError):
            self._referee.end(self._player, "crashed", "has left")
            return
        if message["type"] == "resign":
            self._referee.end(self._player, "resigned", "")
        else:
            self._say(message)

    def finish(self) -> None:
        """Close the connection."""
        self._link.close()


class DebuggedMatch:
    """A match in this process, whose bots use this terminal. Use it like a `MatchProcess`."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self._watch = Watch([0.0] * FIELDS, lambda _: None)

    def wait(self, _report: Report | None = None) -> MatchResult:
        """Play the match, and return its result."""
        return JobTask(self._job).run(self._watch, None)

    def interrupt(self) -> None:
        """End the match after the present turn."""
        self._watch.now[STOP] = 1

    kill = interrupt

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None: ...
