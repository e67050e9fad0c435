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
    """The phase of a seat in the protocol."""

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
        player: The player's number.
        name: The bot's name.
        clock: The player's clock.
        share: The limits of what the player can still add to the replay.
        settings: The bot's settings from the user.
        seed: The seed for this bot's own random numbers.
        phase: The phase in the protocol.
        connected: Whether the program has connected.
        asked: Whether the player's time runs: the program starts up, or the referee waits for an answer.
        seq: The number of the last request.
        delta: Changes that were not sent to the bot yet.
        events: Events that were not sent to the bot yet.
        wants_legal_actions: Whether messages to the bot include the list of legal actions.
        refusals: The number of refused actions for each error code.
        refused_this_turn: The number of refused actions in the current turn.
        strikes: The number of time-outs.
        ending: How the match ended for the player; None while it goes on.
        detail: The reason for the ending.
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
        """Return whether the seat's program is starting up."""
        return self.phase is Phase.LOBBY or self.phase is Phase.READY

    @property
    def progress(self) -> str:
        """Return a text that names the last step of the start-up that the program has reached."""
        if self.phase is Phase.READY:
            return "connected, but not ready"
        return "connected, but sent no hello" if self.connected else "never connected"

    def take_updates(self) -> tuple[list[Any], list[Any]]:
        """Return and remove the pending changes and events."""
        updates = self.delta, self.events
        self.delta, self.events = [], []
        return updates
