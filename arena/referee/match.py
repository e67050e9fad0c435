"""One match as a state machine without any I/O.

The inputs are messages, connections, printed lines and ends of programs, and clock readings. The outputs are messages
to send, programs to start, connections to close, and entries for the replay. A seat is *asked* while its time runs: its
program starts up, or the referee waits for its answer. The table `HANDLERS` lists the messages that are allowed in each
phase. Any other message is a violation, which ends the sender's program.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, NamedTuple

import msgpack

from arena.game import Chance, Clock, GameSpec, Outcome, State
from arena.match.ending import HOST_LATE, KILLED, Ending
from arena.match.job import SeatAssignment
from arena.match.policy import Policy
from arena.referee import messages
from arena.referee.clock import Reading, SeatClock
from arena.referee.live_state import LiveState
from arena.referee.outputs import (
    Begin,
    Entry,
    HangUp,
    NoteEntry,
    Output,
    Printed,
    ReadClock,
    SeatEntry,
    Send,
    TurnEntry,
)
from arena.referee.record_share import RecordShare
from arena.referee.seat import SILENT, Phase, Seat
from arena.referee.standing import Standing
from arena.referee.time_limits import TimeLimits

MAX_UNATTENDED = 1_000
"""The most turns in a row that the referee plays for players who left. After them the match ends by forfeit."""
FINISHED_BY_REFEREE = "the referee finished the turn"
"""If a player has a time-out and plays on, the detail of the time-out ends with these words."""


class Received(NamedTuple):
    """A message from a seat, and the seat's clocks when the message came."""

    seat: Seat
    message: dict[str, Any]
    reading: Reading


class Match:
    """The state machine of one match.

    Args:
        recorded: Whether the outputs have the entries of actions and turns. Notes and endings are outputs in any case.
        at_once: Whether players who move simultaneously get their requests at the same time, or one after the other.
            The order of the applied actions is the same.

    Attributes:
        outputs: The outputs, the oldest first. The caller carries them out and removes them.
        playing: Whether the first turn has begun. It begins when each program is ready or has failed.
    """

    def __init__(
        self,
        game: GameSpec,
        state: State,
        seats: Sequence[SeatAssignment],
        chance: Chance,
        clock: Clock,
        policy: Policy,
        *,
        recorded: bool = True,
        at_once: bool = False,
        bot_seeds: Sequence[str] = (),
    ) -> None:
        self.game = game
        self.state = state
        self.policy = policy
        self.seats = [
            Seat(
                player,
                seat.name,
                SeatClock(seat.clock or clock, charges_rest=policy.pause_idle == "freeze"),
                RecordShare(policy, len(seats)),
                settings=seat.settings,
            )
            for player, seat in enumerate(seats)
        ]
        for seat, seed in zip(self.seats, bot_seeds, strict=False):
            seat.seed = seed
        self.outputs: deque[Output] = deque()
        self.time = TimeLimits(clock, self.seats)
        self.outcome: Outcome | None = None
        self.playing = False
        self.turns = 0
        self._clock = clock
        self.live = LiveState(game, state, self.seats, chance, self._record if recorded else None)
        self._recorded = recorded
        self._at_once = at_once
        self._mover: Seat | None = None  # the seat whose action the rules apply next
        self._schema = game.schema()
        self._turn: int | None = None
        self._standing = Standing(state, self.seats)

    # -- input ---------------------------------------------------------------------------------------

    @property
    def over(self) -> bool:
        return self.outcome is not None

    @property
    def mover(self) -> int | None:
        """The player whose action the rules apply next; None before the first turn."""
        return None if self._mover is None else self._mover.player

    def listens_to(self, player: int) -> bool:
        """Return whether the host should read messages of a seat now."""
        return self.seats[player].phase not in SILENT

    def on_message(self, player: int, message: dict[str, Any], reading: Reading) -> None:
        """Handle a well-formed message from a seat, with the reading of the seat's clocks when the message came."""
        seat = self.seats[player]
        if seat.phase is Phase.GONE or self.outcome is not None:
            return
        handler = HANDLERS.get((seat.phase, message["type"]))
        if handler is None:
            self.on_violation(player, f"sent {message['type']} when it was not its turn to send that")
        elif message.get("seq", seat.seq) != seat.seq:
            self.on_violation(player, f"answered request {message['seq']} while request {seat.seq} was open")
        elif seat.clock.is_over(reading):
            self._on_timeout(seat, reading)
            if seat.phase is Phase.LATE and message["type"] == "act":  # the program waits for the result
                self._on_late_answer(Received(seat, message, reading))
        else:
            handler(self, Received(seat, message, reading))

    def on_violation(self, player: int, detail: str) -> None:
        seat = self.seats[player]
        if seat.phase is not Phase.GONE and not self.over:
            self._fail(seat, "bad_message", detail)

    def on_connection(self, player: int) -> None:
        self.seats[player].connected = True

    def on_exit(self, player: int, ending: Ending, detail: str) -> None:
        """Handle the end of a seat's program.

        Args:
            ending: ``crashed``, ``out_of_memory``, ``resigned``, ``timed_out``, or ``no_build`` if the program could
                not be built. If a program crashes before it is ready, its player's ending is ``no_start``.
        """
        seat = self.seats[player]
        if seat.phase is not Phase.GONE and not self.over:
            starting = ending == "crashed" and (seat.starting or seat.phase is Phase.WAITING)
            self._fail(seat, "no_start" if starting else ending, f"{seat.progress}; {detail}" if starting else detail)

    def on_clock(self, player: int, reading: Reading) -> None:
        """Start to count the time of a seat from these clock readings, if the seat is asked (see `Seat.asked`)."""
        seat = self.seats[player]
        if seat.asked:
            self.time.start(seat, reading)

    def on_time(self, player: int, reading: Reading) -> None:
        """Handle the end of a seat's time, if a limit has passed."""
        seat = self.seats[player]
        if self.over or not seat.asked:
            return
        if not seat.starting:
            if seat.clock.is_over(reading):
                self._on_timeout(seat, reading)
        elif self.time.overrun(player, reading) > 0:
            detail = f"was not ready within {self._clock.startup:g} s; {seat.progress}"
            self._fail(seat, "no_start", detail, late=True)

    def on_kept_waiting(self, player: int, seconds: float) -> None:
        """Do not count the time in which programs other than the bots kept a seat from running.

        Call this method before `on_time`, if a limit of wall time has passed. If too much time was lost in one turn or
        start-up, the match becomes void (see `TimeLimits.returns_too_much`).
        """
        if self.time.returns_too_much(player, seconds):
            limit = self.time.limit(self.seats[player])
            self._void_at(player, HOST_LATE, f"took longer than {limit:.3f} s while other programs used the processor")

    def on_killed(self, player: int, detail: str) -> None:
        """Make the match void, because another program killed the sandbox of a player.

        Do nothing if the player has failed before, or if the match is over.
        """
        seat = self.seats[player]
        if seat.phase is not Phase.GONE and seat.ending is None and seat.failure is None:
            self._void_at(player, KILLED, detail)

    def _void_at(self, player: int, reason: str, detail: str) -> None:
        self.seats[player].detail = detail
        self._record(SeatEntry(player, "void", detail))
        self.void(reason)

    def on_printed(self, player: int, kind: Printed, text: str) -> None:
        """Record whole lines that a bot printed. A line printed after a turn of the bot belongs to that turn."""
        seat = self.seats[player]
        late = not seat.asked and seat.clock.turn is not None and (self.over or seat.clock.turn != self._turn)
        self._record(NoteEntry(player, kind, text, late))

    def void(self, reason: str) -> None:
        """End the match without a result. Do nothing if the match is over."""
        if self.outcome is None:
            self._end(self._standing.voided(reason), void=True)

    # -- starting up ---------------------------------------------------------------------------------

    def _on_hello(self, event: Received) -> None:
        seat = event.seat
        refusal = messages.refused(event.message, self.game, self._schema["hash"])
        if refusal is not None:
            self._send(seat, refusal)
            self._fail(seat, "no_start", refusal["message"])
            return
        seat.wants_legal_actions = event.message["legal_actions"]
        options = self.state.options_for(seat.player)
        self._send(seat, messages.welcome(seat, len(self.seats), self._schema, options, self.game.version))
        seat.phase = Phase.READY
        seat.seq += 1
        self._send(seat, messages.start(seat, self.state.view(seat.player)))

    @property
    def out(self) -> list[int]:
        """The players who are out: eliminated by the rules, or because their programs failed."""
        return self._standing.out()

    def _on_ready(self, event: Received) -> None:
        self._stop_asking(event.seat, Phase.IDLE)
        event.seat.clock.rest(event.reading)
        self.start_next()

    def start_next(self) -> None:
        """Start the next program, unless a program is starting.

        After the last program, begin to play. If at most one team still has a program, end the match instead. Programs
        in sandboxes start one after the other, so that none takes processor time from another.
        """
        if any(seat.starting for seat in self.seats):
            return
        waiting = next((seat for seat in self.seats if seat.phase is Phase.WAITING), None)
        if waiting is not None:
            self._ask_seat(waiting, Phase.LOBBY)
            self.outputs.append(Begin(waiting.player))
        elif self._standing.is_decided():
            self._end_by_forfeit()
        else:
            self.playing = True
            for player in self._standing.leavers:
                self.live.leave(self.seats[player])
            self._ask()

    # -- asking --------------------------------------------------------------------------------------

    def _ask(self) -> None:
        """Request actions from the players to move, or end the match.

        The referee applies simultaneous moves in the order of `to_move`, so the same seed gives the same match. If the
        CPU time of each player is measured, all requests are sent at once. Otherwise each request waits for the
        previous player's answer, so that no player takes time from another.
        """
        for _ in range(MAX_UNATTENDED):
            outcome = self._standing.by_rules()
            number = self.state.turn_number()
            if number != self._turn or outcome is not None:
                self._close_turn()
                self._turn = number
            if outcome is not None:
                self._end(outcome)
                return
            if self._standing.leavers and self._standing.is_decided():
                break
            if self._mover is not None and self._mover.asked:
                return
            players = self.state.to_move()
            seat = self._mover = self.seats[players[0]]
            if seat.skipped and seat.clock.turn == number:
                self._record(SeatEntry(seat.player, "timed_out", seat.skipped))
                seat.skipped = ""
                self.live.finish_turn_for(seat)
            elif seat.phase is not Phase.GONE or seat.answer is not None:
                for player in players if self._at_once else players[:1]:
                    self._ask_to_move(self.seats[player], number, len(players) if self._at_once else 1)
                if seat.answer is not None:
                    self._on_act(seat.answer)
                    return
                if seat.phase is not Phase.GONE:
                    return
            elif seat.ending is None:
                self._count_failure(seat)
                if self.over:
                    return
                self.live.leave(seat)
            else:
                seat.clock.skip_turn(number)
                self.live.finish_turn_for(seat)
        self._end_by_forfeit()

    def _ask_to_move(self, seat: Seat, number: int, sharing: int) -> None:
        """Request an action from a seat, unless its request for this turn is open or answered.

        `sharing` is the number of simultaneous requests.
        """
        if seat.clock.turn == number and (seat.asked or seat.answer is not None or seat.skipped):
            return
        seat.skipped = ""
        if seat.answer is not None:  # the earlier turn ended before this answer was applied
            seat.answer = None
            if seat.phase is Phase.ANSWERED:
                self._stop_asking(seat, Phase.IDLE)
                self._send(seat, messages.too_late(seat))
        if seat.phase is Phase.GONE:
            return
        if seat.phase is not Phase.IDLE:  # an earlier request is unanswered: send no new one, but count the time
            self._ask_seat(seat, Phase.LATE, number, sharing)
            return
        if seat.clock.turn != number:
            seat.refused_this_turn = 0
            seat.share.start_turn()
        seat.seq += 1
        self._ask_seat(seat, Phase.THINKING, number, sharing)
        self._send(seat, messages.turn(seat, number, self._listed_for(seat), self.out))

    def _ask_seat(self, seat: Seat, phase: Phase, turn: int | None = None, sharing: int = 1) -> None:
        seat.phase = phase
        self.time.ask(seat, turn, sharing)
        self.outputs.append(ReadClock(seat.player))

    def _stop_asking(self, seat: Seat, phase: Phase, reading: Reading | None = None) -> None:
        if reading is not None:
            seat.clock.stop(reading)
        seat.phase = phase
        seat.asked = False

    def _close_turn(self) -> None:
        """Count the turn that has ended, and record the times of its players and the digest of the state."""
        if self._turn is None:
            return
        if self._recorded:
            digest = bytes.fromhex(self.state.digest()[:16])
            for seat in self.seats:
                if seat.clock.turn == self._turn:
                    self._record(TurnEntry(self._turn, seat.player, *seat.clock.microseconds(), digest))
        self.turns += 1
        self._turn = None

    # -- answers -------------------------------------------------------------------------------------

    def _on_act(self, event: Received) -> None:
        seat, message, reading = event
        state = self.state
        if seat is not self._mover:
            self._stop_asking(seat, Phase.ANSWERED, reading)
            seat.answer = event
            return
        waited, seat.answer = seat.answer is not None, None
        seat.clock.stop(reading)
        seat.share.start_answer()
        number = state.turn_number()
        accepted = 0
        error = None
        value = None
        draws: list[Any] = []
        again = True
        for action in message["actions"]:
            refusal = self.live.push(seat, action, draws)
            if refusal is not None:
                error = {"code": refusal.code, "message": refusal.message}
                break
            accepted += 1
            value = state.value
            again = seat.player in state.to_move() and state.turn_number() == number
            if not again:
                break
        if seat.phase is Phase.GONE:  # its program ended after this answer
            self._ask()
            return
        if seat.refused_this_turn > self.policy.refusals_per_turn:
            self._fail(seat, "refused_too_often", f"had {seat.refused_this_turn} actions refused in one turn")
            return
        if again:
            seat.seq += 1
            if waited:
                self._ask_seat(seat, Phase.THINKING, number)
            else:
                seat.clock.start(reading)
        else:
            self._stop_asking(seat, Phase.IDLE)
        reply = messages.result(
            seat,
            accepted=accepted,
            error=error,
            value=None if value is None else value.id,
            draws=draws,
            your_move=again,
            legal_actions=self._listed_for(seat) if again else None,
        )
        self._send(seat, reply)
        if not again or len(state.to_move()) > 1:
            self._ask()

    def _on_log(self, event: Received) -> None:
        self._note(event.seat, "log", event.message["text"])

    def _on_draw(self, event: Received) -> None:
        self._note(event.seat, "draw", event.message["shapes"])

    def _note(self, seat: Seat, kind: Literal["log", "draw"], payload: Any) -> None:
        if self._is_flood(seat):
            return
        match seat.share.spend(len(msgpack.packb(payload))):
            case "keep":
                self._record(NoteEntry(seat.player, kind, payload))
            case "last":
                self._record(NoteEntry(seat.player, "log", "(further notes of this turn were dropped)"))

    def _is_flood(self, seat: Seat) -> bool:
        """Count one more log text or drawing. If the answer has too many, handle a violation and return True."""
        if not seat.share.is_flood():
            return False
        self.on_violation(seat.player, f"sent more than {self.policy.notes_per_request} notes with one answer")
        return True

    def _on_late_answer(self, event: Received) -> None:
        """Ignore the actions of an answer that came too late. Send the bot the error ``too_late``, and go on."""
        self._stop_asking(event.seat, Phase.IDLE, event.reading)
        self._send(event.seat, messages.too_late(event.seat))
        self._ask()

    def _on_late_note(self, event: Received) -> None:
        """Count a log text or drawing for a request that has timed out, but ignore its content."""
        self._is_flood(event.seat)

    def _listed_for(self, seat: Seat) -> list[dict[str, Any]] | None:
        return self.state.legal_actions(seat.player) if seat.wants_legal_actions else None

    # -- time-outs -----------------------------------------------------------------------------------

    def _on_timeout(self, seat: Seat, reading: Reading) -> None:
        limit = seat.clock.limit_passed(reading)
        late = seat.phase is Phase.LATE
        seat.clock.stop(reading)
        detail = "had not answered the last request yet" if late else f"took longer than {limit}"
        if reading.unread:
            detail += f" and has not read {reading.unread} bytes that were sent to it"
        seat.strikes += 1
        penalty = self.policy.timeout
        if penalty == "forfeit" or (penalty == "strike" and seat.strikes >= self.policy.strikes):
            self._fail(seat, "timed_out", detail, late=True)
            return
        self._stop_asking(seat, Phase.LATE)
        seat.skipped = f"{detail}; {FINISHED_BY_REFEREE}"
        self._ask()

    # -- ends ----------------------------------------------------------------------------------------

    def _fail(self, seat: Seat, ending: Ending, detail: str, *, late: bool = False) -> None:
        """End a seat's program. The player loses a game for two, or leaves another game.

        In a game that goes on, a failure during another player's turn takes effect only when the failed player is
        to move.
        """
        counts = (seat.asked and seat is self._mover) or not self.playing or not self._standing.goes_on
        self._stop_asking(seat, Phase.GONE)
        seat.failure = ending, detail
        if counts:
            self._count_failure(seat)
        self.outputs.append(HangUp(seat.player, late))
        if self.over or not counts:
            return
        if not self.playing:
            self.start_next()
        elif not self._standing.goes_on:
            self._end_by_forfeit()
        else:
            self.live.leave(seat)
            self._ask()

    def _count_failure(self, seat: Seat) -> None:
        """Set the ending of a player whose program has failed, and void the match if the policy says so."""
        self._standing.count_failure(seat)
        assert seat.ending is not None
        self._record(SeatEntry(seat.player, seat.ending, seat.detail))
        if self.policy.voids(seat.ending):
            self.void(seat.ending)

    def _end_by_forfeit(self) -> None:
        self._close_turn()
        self._end(self._standing.by_forfeit())

    def _end(self, outcome: Outcome, *, void: bool = False) -> None:
        self.outcome = outcome
        self._standing.settle(outcome, void=void)
        players = [{"name": seat.name, "ending": seat.ending} for seat in self.seats]
        for seat in self.seats:
            if seat.phase is not Phase.GONE:
                self._send(seat, messages.over(seat, outcome, players))

    def _send(self, seat: Seat, message: dict[str, Any]) -> None:
        self.outputs.append(Send(seat.player, message))

    def _record(self, entry: Entry) -> None:
        self.outputs.append(entry)


HANDLERS: Mapping[tuple[Phase, str], Callable[[Match, Received], None]] = {
    (Phase.LOBBY, "hello"): Match._on_hello,
    (Phase.READY, "ready"): Match._on_ready,
    (Phase.THINKING, "act"): Match._on_act,
    (Phase.THINKING, "log"): Match._on_log,
    (Phase.THINKING, "draw"): Match._on_draw,
    (Phase.LATE, "act"): Match._on_late_answer,
    (Phase.LATE, "log"): Match._on_late_note,
    (Phase.LATE, "draw"): Match._on_late_note,
}
