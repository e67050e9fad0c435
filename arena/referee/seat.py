"""One chair at the table: where a player's program stands in the protocol, and what it has done so far."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from arena.match.ending import Ending
from arena.referee.clock import SeatClock
from arena.referee.notes import NoteBudget


class Phase(Enum):
    """What a seat may do now."""

    WAITING = "waiting"  # its program may not begin yet
    LOBBY = "lobby"  # hello is awaited
    READY = "ready"  # ready is awaited
    IDLE = "idle"  # nothing may come
    THINKING = "thinking"  # act is awaited, log and draw may precede it
    LATE = "late"  # its time ran out and was forgiven; the answer that still comes does not count
    GONE = "gone"  # nothing will be sent to it any more


@dataclass(slots=True)
class Seat:
    """The state of one seat.

    Attributes:
        player: The player's number.
        name: The bot's name.
        clock: Its time.
        notes: How much it may still log and draw.
        settings: What the user passed to this bot.
        phase: Where it stands in the protocol.
        seq: The number of the last request to it.
        delta: Changes that it has not been told yet.
        events: Events that it has not been told yet.
        wants_legal_actions: It asked for the list of legal actions.
        refusals: Refused actions, by code.
        refused_this_turn: How many in the present turn.
        strikes: Time-outs that were forgiven.
        ending: How the match ended for it; None while it goes on.
        detail: What is known about that, in one sentence.
    """

    player: int
    name: str
    clock: SeatClock
    notes: NoteBudget
    settings: dict[str, str] = field(default_factory=dict)
    phase: Phase = Phase.WAITING
    seq: int = 0
    delta: list[Any] = field(default_factory=list)
    events: list[Any] = field(default_factory=list)
    wants_legal_actions: bool = False
    refusals: Counter[str] = field(default_factory=Counter)
    refused_this_turn: int = 0
    strikes: int = 0
    ending: Ending | None = None
    detail: str = ""

    @property
    def starting(self) -> bool:
        """Return whether the seat's program is starting up."""
        return self.phase in (Phase.LOBBY, Phase.READY)

    @property
    def asked(self) -> bool:
        """Return whether the seat's time runs: it is starting up, or an answer is awaited."""
        return self.starting or (self.clock.running and self.phase is not Phase.GONE)

    def take_news(self) -> tuple[list[Any], list[Any]]:
        """Return what it has not been told yet, and regard it as told."""
        news = self.delta, self.events
        self.delta, self.events = [], []
        return news
