"""Where a player's program stands in the protocol, and what it has done so far."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from arena.match.ending import Ending
from arena.referee.clock import SeatClock
from arena.referee.record_share import RecordShare


class Phase(Enum):
    """What a seat may do now."""

    WAITING = "waiting"  # its program may not begin yet
    LOBBY = "lobby"  # hello is awaited
    READY = "ready"  # ready is awaited
    IDLE = "idle"  # nothing may come
    THINKING = "thinking"  # act is awaited, log and draw may precede it
    ANSWERED = "answered"  # its answer waits until those before it have moved
    LATE = "late"  # its time ran out and was forgiven; the answer that still comes does not count
    GONE = "gone"  # nothing is sent to it any more


SILENT = (Phase.WAITING, Phase.IDLE, Phase.ANSWERED, Phase.GONE)
"""Phases in which nothing that a seat sends is read."""


@dataclass(slots=True)
class Seat:
    """The state of one seat.

    Attributes:
        player: The player's number.
        name: The bot's name.
        clock: Its time.
        share: How much of the record it may still fill.
        settings: What the user passed to this bot.
        seed: The seed for this bot's own random numbers.
        phase: Where it stands in the protocol.
        connected: Whether its program has connected.
        asked: Whether its time runs: it is starting up, or an answer is awaited.
        seq: The number of the last request to it.
        delta: Changes that were not sent to it yet.
        events: Events that were not sent to it yet.
        wants_legal_actions: Whether its messages include the list of legal actions.
        refusals: Refused actions, by code.
        refused_this_turn: How many in the present turn.
        strikes: Time-outs that were forgiven.
        ending: How the match ended for it; None while it goes on.
        detail: The reason for the ending.
        answer: An answer that waits until those before it have moved.
        skipped: Why the referee finishes the present turn for it; empty if it does not.
        failure: Ending and detail of a program that failed. They count when its player is asked next, so that the
            match does not depend on the moment at which the failure was noticed.
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
        """Return whether the seat's program is starting up."""
        return self.phase is Phase.LOBBY or self.phase is Phase.READY

    @property
    def progress(self) -> str:
        """Return how far the start of the seat's program has come, in words."""
        if self.phase is Phase.READY:
            return "connected, but not ready"
        return "connected, but sent no hello" if self.connected else "never connected"

    def take_updates(self) -> tuple[list[Any], list[Any]]:
        """Return the pending changes and events, and forget them."""
        updates = self.delta, self.events
        self.delta, self.events = [], []
        return updates
