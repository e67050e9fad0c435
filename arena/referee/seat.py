"""The state of a player's program: its phase in the protocol, pending updates and failures."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from arena.match.ending import Ending
from arena.referee.clock import SeatClock
from arena.referee.record_share import RecordShare


class Phase(Enum):
    WAITING = "waiting"  # other programs start up before this one
    LOBBY = "lobby"  # the referee waits for hello
    READY = "ready"  # the referee waits for ready
    IDLE = "idle"  # no message is allowed
    THINKING = "thinking"  # the referee waits for act; log and draw can come before it
    ANSWERED = "answered"  # the answer waits until the players before this one have moved
    LATE = "late"  # the request timed out, but the player plays on; a late answer is ignored
    GONE = "gone"  # the program has failed; nothing is sent to it any more

    __hash__ = object.__hash__  # faster than `Enum.__hash__`, which is written in Python; runs for each message


SILENT = (Phase.WAITING, Phase.IDLE, Phase.ANSWERED, Phase.GONE)
"""Phases in which the host does not read messages of a seat."""


@dataclass(slots=True)
class Seat:
    """The state of one seat.

    Attributes:
        asked: Whether the player's time runs: the program starts up, or the referee waits for an answer.
        ending: How the match ended for the player; None while it goes on.
        answer: An answer that waits until the players before this one have moved.
        skipped: Why the referee finishes the current turn for the player; empty if the player plays the turn.
        failure: The ending and the detail of a failed program. In a game for more than two players, the failure takes
            effect when the player is to move. So the match does not depend on when the referee notices the failure.
    """

    player: int
    name: str
    clock: SeatClock
    share: RecordShare
    settings: dict[str, str] = field(default_factory=dict)
    seed: str = ""
    phase: Phase = Phase.WAITING
    connected: bool = False
    asked: bool = False
    seq: int = 0
    delta: list[Any] = field(default_factory=list)
    events: list[Any] = field(default_factory=list)
    wants_legal_actions: bool = False
    refusals: Counter[str] = field(default_factory=Counter)
    refused_this_turn: int = 0
    strikes: int = 0
    ending: Ending | None = None
    detail: str = ""
    answer: Any = None
    skipped: str = ""
    failure: tuple[Ending, str] | None = None

    @property
    def starting(self) -> bool:
        return self.phase is Phase.LOBBY or self.phase is Phase.READY

    @property
    def progress(self) -> str:
        """Return a text that names the last step of the start-up that the program has reached."""
        if self.phase is Phase.READY:
            return "connected, but not ready"
        return "connected, but sent no hello" if self.connected else "never connected"

    def take_updates(self) -> tuple[list[Any], list[Any]]:
        updates = self.delta, self.events
        self.delta, self.events = [], []
        return updates
