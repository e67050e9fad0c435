"""The protocol of one seat: what its program may send now, and what it is sent. It does no I/O and knows no turns.

The phases of a seat, and what leads from one to the next:

    WAITING --it is started--> LOBBY --hello--> READY --ready--> IDLE
    IDLE --it is asked--> THINKING --act--> THINKING if it is still to move, else IDLE
    THINKING --time-out, but it plays on--> LATE --act, which is ignored--> IDLE
    any phase --its program fails--> GONE

`ALLOWED` lists the messages of each phase. Any other message is a violation, which ends the program.

Who may change a seat: its methods change the phase, the request's number, and what is sent. `Match` alone calls those
that change the phase, and keeps what a turn needs in `skipped` and `strikes`. `Standing` sets `ending` and
`detail`. `LiveState` adds updates and refusals. `TimeLimits` moves the clock. Everybody else only reads.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable
from enum import Enum
from typing import Any, Literal

import msgpack

from arena.game import Outcome
from arena.match.ending import Ending
from arena.match.job import SeatAssignment
from arena.play.referee.clock import SeatClock
from arena.play.referee.outputs import Begin, HangUp, NoteEntry, Output, ReadClock, RecordShare, Send
from arena_player.wire import PROTOCOL

Message = dict[str, Any]
Updates = tuple[list[Any], list[Any]]
LegalActions = Callable[[int], list[Message]]


class Phase(Enum):
    WAITING = "waiting"  # other programs start up before this one
    LOBBY = "lobby"  # the referee waits for hello
    READY = "ready"  # the referee waits for ready
    IDLE = "idle"  # no message is allowed
    THINKING = "thinking"  # the referee waits for act; log and draw can come before it
    LATE = "late"  # the request timed out, but the player plays on; a late answer is ignored
    GONE = "gone"  # the program has failed; nothing is sent to it any more

    __hash__ = object.__hash__  # faster than `Enum.__hash__`, which is written in Python; runs for each message


ALLOWED: dict[Phase, tuple[str, ...]] = {
    Phase.WAITING: (),
    Phase.LOBBY: ("hello",),
    Phase.READY: ("ready",),
    Phase.IDLE: (),
    Phase.THINKING: ("act", "log", "draw"),
    Phase.LATE: ("act", "log", "draw"),
    Phase.GONE: (),
}
"""The messages that a program may send in each phase."""
DROPPED = "(further notes of this turn were dropped)"


class Seat:
    """The state of one seat.

    Args:
        seed: The seed of the bot's own random numbers, hexadecimal.
        outputs: The outputs of the match. The seat adds its messages.

    Attributes:
        asked: Whether the player's time runs: the program starts up, or the referee waits for an answer.
        seq: The number of the open request. An answer must repeat it.
        refusals: How often each code of a refusal was given.
        failure: The ending and the detail of a failed program. In a game for more than two players, the failure takes
            effect when the player is to move. So the match does not depend on when the referee notices the failure.
        ending: How the match ended for the player; None while it is played.
        skipped: Why the referee finishes the current turn for the player; None if the player plays the turn.
        strikes: The number of time-outs.
    """

    __slots__ = (
        *("asked", "clock", "connected", "detail", "ending", "failure", "name", "phase", "player"),
        *("refusals", "refused_this_turn", "seed", "seq", "settings", "share", "skipped", "strikes"),
        *("_delta", "_events", "_outputs", "_wants_legal_actions"),
    )

    def __init__(
        self,
        player: int,
        assignment: SeatAssignment,
        clock: SeatClock,
        share: RecordShare,
        outputs: deque[Output],
        seed: str = "",
    ) -> None:
        self.player = player
        self.name = assignment.name
        self.settings = assignment.settings
        self.seed = seed
        self.clock = clock
        self.share = share
        self.phase = Phase.WAITING
        self.connected = self.asked = False
        self.seq = 0
        self.refusals: Counter[str] = Counter()
        self.refused_this_turn = 0
        self.failure: tuple[Ending, str] | None = None
        self.ending: Ending | None = None
        self.detail = ""
        self.skipped: str | None = None
        self.strikes = 0
        self._delta: list[Any] = []
        self._events: list[Any] = []
        self._outputs = outputs
        self._wants_legal_actions = False

    # -- what it may send ----------------------------------------------------------------------------

    def violation(self, message: Message) -> str:
        """Return why the program must not send this message now; empty if it may."""
        if message["type"] not in ALLOWED[self.phase]:
            return f"sent {message['type']} when it was not its turn to send that"
        if message.get("seq", self.seq) != self.seq:
            return f"answered request {message['seq']} while request {self.seq} was open"
        return ""

    def note(self, kind: Literal["log", "draw"], payload: Any) -> str:
        """Record a log text or a drawing, as far as the replay has room. Return why it is a violation; empty if not."""
        if self.share.is_flood():
            return f"sent more than {self.share.policy.notes_per_request} notes with one answer"
        if self.phase is Phase.LATE:  # it belongs to a request that is over
            return ""
        lines = len(payload.splitlines()) if isinstance(payload, str) else 1
        decision = self.share.spend(len(msgpack.packb(payload)), max(1, lines))
        if decision != "drop":
            entry = NoteEntry(self.player, kind, payload)
            self._outputs.append(entry if decision == "keep" else NoteEntry(self.player, "log", DROPPED))
        return ""

    @property
    def starting(self) -> bool:
        return self.phase is Phase.LOBBY or self.phase is Phase.READY

    @property
    def progress(self) -> str:
        """Return a text that names the last step of the start-up that the program has reached."""
        if self.phase is Phase.READY:
            return "connected, but not ready"
        return "connected, but sent no hello" if self.connected else "never connected"

    # -- from phase to phase -------------------------------------------------------------------------

    def begin(self) -> None:
        """Start the program."""
        self.expect(Phase.LOBBY)
        self._outputs.append(Begin(self.player))

    def expect(self, phase: Phase) -> None:
        """Let the time of the player run, from the reading of the clocks that follows."""
        self.phase = phase
        self.asked = True
        self._outputs.append(ReadClock(self.player))

    def rest(self, phase: Phase) -> None:
        """End the time of the player."""
        self.phase = phase
        self.asked = False

    def hang_up(self, ending: Ending, detail: str, *, late: bool) -> None:
        """End the program, because it has failed."""
        self.rest(Phase.GONE)
        self.failure = ending, detail
        self._outputs.append(HangUp(self.player, late))

    # -- what it is sent -----------------------------------------------------------------------------

    def welcome(self, hello: Message, schema: Message, options: dict[str, Any], players: int, view: list[Any]) -> str:
        """Answer ``hello``: send the game and the position. Return why the program is refused; empty if it is not."""
        refusal = _refusal(hello, schema["game"], schema["hash"])
        if refusal is not None:
            self._send(refusal)
            return str(refusal["message"])
        self._wants_legal_actions = hello["legal_actions"]
        self._send(
            {
                "type": "welcome",
                "protocol": PROTOCOL,
                "game": schema["game"],
                "version": schema["version"],
                "schema": schema,
                "player": self.player,
                "players": players,
                "options": options,
                "settings": self.settings,
                "seed": self.seed,
                "clock": self.clock.settings.to_document(),
            }
        )
        self.phase = Phase.READY
        self.seq += 1
        self._send({"type": "start", "seq": self.seq, "view": view})
        return ""

    def request(self, number: int, out: list[int], legal_actions: LegalActions) -> None:
        """Ask for actions in a turn, and send the changes since the last message."""
        self.seq += 1
        self.expect(Phase.THINKING)
        message = self._with_updates({"type": "turn", "seq": self.seq, "turn": number})
        message["clock"] = self._time_left()
        if out:
            message["out"] = out
        if self._wants_legal_actions:
            message["legal_actions"] = legal_actions(self.player)
        self._send(message)

    def reply(
        self,
        results: list[Message | str | None],
        *,
        draws: list[Any] | None = None,
        legal_actions: LegalActions | None = None,
    ) -> None:
        """Say what has become of actions.

        Args:
            results: For each action that was tried: None, the id of the object that it returned, or the refusal.
            legal_actions: Returns the legal actions of a player who is still to move; None if it is not.
        """
        your_move = legal_actions is not None
        if your_move:
            self.seq += 1
        message: Message = {"type": "result", "seq": self.seq, "results": results}
        self._with_updates(message)
        message["draws"] = draws or []
        message["your_move"] = your_move
        message["clock"] = self._time_left()
        if legal_actions is not None and self._wants_legal_actions:
            message["legal_actions"] = legal_actions(self.player)
        self._send(message)

    def refuse_late_answer(self) -> None:
        """Ignore actions that came too late. The player plays on."""
        self.rest(Phase.IDLE)
        self.reply([{"code": "too_late", "message": "the time for this turn had run out"}])

    def end(self, outcome: Outcome, players: list[Message]) -> None:
        """Send the outcome, unless the program has failed."""
        if self.phase is not Phase.GONE:
            message = self._with_updates({"type": "over", "outcome": outcome.to_document()})
            message["players"] = players
            self._send(message)

    def see(self, delta: list[Any], events: list[Any]) -> None:
        """Add changes and events to the next message."""
        if self.phase is not Phase.GONE:
            self._delta += delta
            self._events += events

    def take_updates(self) -> Updates:
        """Return and forget the changes and events that no message has had."""
        updates = self._delta, self._events
        self._delta, self._events = [], []
        return updates

    def _with_updates(self, message: Message) -> Message:
        message["delta"], message["events"] = self.take_updates()
        return message

    def _time_left(self) -> Message:
        return {"bank": self.clock.bank, "turn": self.clock.turn_left()}

    def _send(self, message: Message) -> None:
        self._outputs.append(Send(self.player, message))


def _refusal(hello: Message, game: str, schema_hash: str) -> Message | None:
    """Return the message ``refused`` for a client that cannot take part; None if the client can take part."""
    if hello["protocol"] != PROTOCOL:
        code = "wrong_protocol"
        message = f"speaks protocol {hello['protocol']}, the referee speaks {PROTOCOL}"
    elif hello["schema"] not in (None, schema_hash):
        code = "stale_schema"
        message = (
            f"its classes are those of another version of the game; `arena sdk {game}` writes them anew "
            "(with `--language`, if they are not in Python)"
        )
    else:
        return None
    return {"type": "refused", "code": code, "message": message}
