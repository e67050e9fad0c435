"""One match as a state machine without any I/O: whose turn it is, what answers do, and how the match ends.

The inputs are messages, connections, printed lines and ends of programs, and clock readings. The outputs are messages
to send, programs to start, connections to close, and entries for the replay. What a program may send at a moment is the
protocol of its seat (`arena.play.referee.seat`); what an action does is the business of `LiveState`.

A match starts its programs one by one (`start_next`), then asks for one action after the other (`_ask`) until the rules
have an outcome, or until failures leave nobody to play against. Each public method whose name begins with `on_` is one
kind of input; whatever it changes, `_ask` decides what comes next.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, Literal

from arena.game import Chance, Clock, GameSpec, Outcome, State
from arena.game.state import entity_count
from arena.match.ending import Ending
from arena.match.job import SeatAssignment
from arena.match.limits import Policy
from arena.match.void import HOST_LATE, KILLED, OUTAGE, VOID, policy_voids
from arena.play.referee.clock import Reading, SeatClock, seconds_in_words
from arena.play.referee.live_state import LiveState
from arena.play.referee.outputs import NoteEntry, Output, Printed, RecordShare, SeatEntry, TurnEntry
from arena.play.referee.seat import ALLOWED, Phase, Seat
from arena.play.referee.standing import Standing, TimeLimits

LARGE, LARGE_EVERY = 256, 8
"""A state with more than `LARGE` entities is digested in every eighth turn: it takes half as long as the turn itself.

Ordinary games have fewer entities, so that verification can tell the turn in which a record differs. In a larger one it
knows eight turns, which is enough: the views of all actions are compared anyway, and so is the digest of the end.
"""
MAX_UNATTENDED = 1_000
"""The most turns in a row that the referee plays for players who left. After them the match ends by forfeit.

Chosen, not measured: rules that can end a game without players have done it by then, and it takes seconds.
"""


class Match:
    """The state machine of one match.

    Args:
        recorded: Whether the outputs have the entries of actions and turns. Notes and endings are outputs in any case.
        live: Makes the state of the running match, by default a `LiveState`.

    Attributes:
        outputs: The outputs, the oldest first. The caller carries them out and removes them.
        playing: Whether the first turn has begun. It begins when each program is ready or has failed.
        out_since: For each player who is out by the rules, the number of frames at the end of the turn in which it came
            to that. Only if the match is recorded.
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
        bot_seeds: Sequence[str] = (),
        live: Callable[..., LiveState] = LiveState,
    ) -> None:
        self.game = game
        self.state = state
        self.policy = policy
        self.outputs: deque[Output] = deque()
        self.seats = [
            Seat(
                player,
                seat,
                SeatClock(seat.clock or clock, charges_rest=policy.pause_idle == "freeze"),
                RecordShare(policy, len(seats)),
                self.outputs,
                seed,
            )
            for player, (seat, seed) in enumerate(zip(seats, bot_seeds or [""] * len(seats), strict=True))
        ]
        self.time = TimeLimits(clock, self.seats)
        self.outcome: Outcome | None = None
        self.playing = False
        self.turns = 0
        self.out_since: dict[int, int] = {}
        self._clock = clock
        self.live = live(game, state, self.seats, chance, self.outputs.append if recorded else None)
        self._recorded = recorded
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
        return bool(ALLOWED[self.seats[player].phase])

    def on_message(self, player: int, message: dict[str, Any], reading: Reading) -> None:
        """Handle a well-formed message from a seat, with the reading of the seat's clocks when the message came."""
        seat = self.seats[player]
        if seat.phase is Phase.GONE or self.outcome is not None:
            return
        if violation := seat.violation(message):
            self._fail(seat, "bad_message", violation)
            return
        if seat.clock.is_over(reading):  # before the message counts: an answer that came too late is none
            self._on_timeout(seat, reading)
            # The program waits for the result of an answer, so it gets one also if its time is over.
            if message["type"] != "act" or seat.phase is not Phase.LATE:
                return
        match message["type"]:
            case "hello":
                self._on_hello(seat, message)
            case "ready":
                seat.rest(Phase.IDLE)
                seat.clock.rest(reading)
                self.start_next()
            case "act" if seat.phase is Phase.LATE:
                seat.clock.stop(reading)
                seat.refuse_late_answer()
                self._ask()
            case "act":
                self._on_act(seat, message, reading)
            case "log":
                self._on_note(seat, "log", message["text"])
            case "draw":
                self._on_note(seat, "draw", message["shapes"])

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

    def on_kept_waiting(self, player: int, reading: Reading, seconds: float) -> None:
        """Do not count the time in which programs other than the bots kept a seat from running.

        Call this method before `on_time`, if a limit of wall time has passed. If one turn or start-up has lost too
        much time, the match becomes void (see `SeatClock.give_back_waiting`).
        """
        clock = self.time.clock(player)
        if clock.give_back_waiting(reading, seconds):
            limit = seconds_in_words(clock.left())
            self.void_at(player, HOST_LATE, f"took longer than {limit} while other programs used the processor")

    def on_killed(self, player: int, detail: str) -> None:
        """Make the match void, because another program killed the sandbox of a player.

        Do nothing if the player has failed before, or if the match is over.
        """
        self._void_unless_failed(player, KILLED, detail)

    def on_outage(self, player: int, detail: str) -> None:
        """Make the match void, because something has failed that a player needs and cannot break.

        Do nothing if the player has failed before, or if the match is over.
        """
        self._void_unless_failed(player, OUTAGE, detail)

    def _void_unless_failed(self, player: int, reason: str, detail: str) -> None:
        seat = self.seats[player]
        if seat.phase is not Phase.GONE and seat.ending is None and seat.failure is None:
            self.void_at(player, reason, detail)

    def void_at(self, player: int, reason: str, detail: str) -> None:
        """Make the match void because of what happened to a player (see `arena.match.void`)."""
        self.seats[player].detail = detail
        self.outputs.append(SeatEntry(player, VOID, detail))
        self.void(reason)

    def on_printed(self, player: int, kind: Printed, text: str) -> None:
        """Record whole lines that a bot printed. A line printed after a turn of the bot belongs to that turn."""
        seat = self.seats[player]
        late = not seat.asked and seat.clock.turn is not None and (self.over or seat.clock.turn != self._turn)
        self.outputs.append(NoteEntry(player, kind, text, late))

    def void(self, reason: str) -> None:
        """End the match without a result (see `arena.match.void`). Do nothing if the match is over."""
        if self.outcome is None:
            self._end(self._standing.void_outcome(reason), void=True)

    # -- starting up ---------------------------------------------------------------------------------

    def _on_hello(self, seat: Seat, hello: dict[str, Any]) -> None:
        options, view = self.state.options_for(seat.player), self.state.view(seat.player)
        if refusal := seat.welcome(hello, self._schema, options, len(self.seats), view):
            self._fail(seat, "no_start", refusal)

    @property
    def out(self) -> list[int]:
        """The players who are out: eliminated by the rules, or because their programs failed."""
        return self._standing.out()

    def start_next(self) -> None:
        """Start the next program, unless a program is starting.

        After the last program, begin to play. If at most one team still has a program, end the match instead. Programs
        in sandboxes start one after the other, so that none takes processor time from another.
        """
        if any(seat.starting for seat in self.seats):
            return
        waiting = next((seat for seat in self.seats if seat.phase is Phase.WAITING), None)
        if waiting is not None:
            self.time.prepare(waiting)
            waiting.begin()
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

        Every input that can change who is to move ends here. The method is the only one that decides what comes next,
        from the state of the rules alone: so the same seed and the same answers give the same match, however long each
        answer took.

        Players who move simultaneously are asked one after the other, in the order of `to_move`, so that none takes
        processor time from another.
        """
        # Each round plays for one player who has no program, or returns to wait for one who has. The limit stops rules
        # that never end a game in which only such players are to move.
        for _ in range(MAX_UNATTENDED):
            self.live.settle()
            outcome = self._standing.by_rules()
            number = self.state.turn_number()
            if number != self._turn or outcome is not None:
                # Before the next request, since its clock begins a new turn and forgets the times of this one.
                self._close_turn()
                self._turn = number
            if outcome is not None:
                self._end(outcome)
                return
            # The rules may play on with one team; a match does not, if the others have failed.
            if self._standing.leavers and self._standing.is_decided():
                break
            if self._mover is not None and self._mover.asked:
                return  # a failure or an answer of another player has led here
            players = self.state.to_move()
            seat = self._mover = self.seats[players[0]]
            if seat.skipped is not None and seat.clock.turn == number:
                # The penalty takes effect at the player's place in the order, like an action.
                self.outputs.append(SeatEntry(seat.player, "timed_out", seat.skipped, skipped=True))
                seat.skipped = None
                self.live.finish_turn_for(seat)
            elif seat.phase is not Phase.GONE:
                self._ask_to_move(seat, number)
                return
            elif seat.ending is None:
                # It failed during another player's turn. From now on the failure counts (see `_fail`).
                self._count_failure(seat)
                if self.over:
                    return
                self.live.leave(seat)
            else:
                # It has left, but these rules still want its moves.
                seat.clock.skip_turn(number)
                self.live.finish_turn_for(seat)
        self._end_by_forfeit()

    def _ask_to_move(self, seat: Seat, number: int) -> None:
        """Request an action from a seat."""
        seat.skipped = None
        new_turn = seat.clock.turn != number
        self.time.prepare(seat, number)
        if seat.phase is not Phase.IDLE:  # an earlier request is unanswered: send no new one, but count the time
            seat.expect(Phase.LATE)
            return
        if new_turn:
            seat.refused_this_turn = 0
            seat.share.start_turn()
        seat.request(number, self.out, self.state.legal_actions)

    def _close_turn(self) -> None:
        """Count the turn that has ended, and record the times of its players and the digest of the state."""
        if self._turn is None:
            return
        if self._recorded:
            for player in self.state.out():
                self.out_since.setdefault(player, self.live.frames)
            is_digested = self.turns % LARGE_EVERY == 0 or entity_count(self.state) <= LARGE
            digest = bytes.fromhex(self.state.digest()[:16]) if is_digested else b""
            for seat in self.seats:
                if seat.clock.turn == self._turn:
                    self.outputs.append(TurnEntry(self._turn, seat.player, *seat.clock.microseconds(), digest))
        self.turns += 1
        self._turn = None

    # -- answers -------------------------------------------------------------------------------------

    def _on_act(self, seat: Seat, message: dict[str, Any], reading: Reading) -> None:
        state = self.state
        seat.clock.stop(reading)
        seat.share.start_answer()
        number = state.turn_number()
        keeps_going = message.get("keep_going", False)
        results: list[Any] = []
        draws: list[Any] = []
        again = True
        for action in message["actions"]:
            refusal = self.live.push(seat, action, draws)
            if refusal is not None:
                results.append({"code": refusal.code, "message": refusal.message})
                if keeps_going and seat.refused_this_turn <= self.policy.refusals_per_turn:
                    continue
                break
            value = State.value.__get__(state)  # a game may have a `value` of its own
            results.append(None if value is None else value.id)
            again = seat.player in state.to_move() and state.turn_number() == number
            if not again:
                break
        if seat.phase is Phase.GONE:  # its program ended after this answer
            self._ask()
            return
        if seat.refused_this_turn > self.policy.refusals_per_turn:
            self._fail(seat, "refused_too_often", f"had {seat.refused_this_turn} actions refused in one turn")
            return
        if not again:
            seat.rest(Phase.IDLE)
        else:
            seat.clock.start(reading)  # not a new reading, so that the time of the rules is the player's
        seat.reply(results, draws=draws, legal_actions=state.legal_actions if again else None)
        if not again:
            self._ask()

    def _on_note(self, seat: Seat, kind: Literal["log", "draw"], payload: Any) -> None:
        if violation := seat.note(kind, payload):
            self._fail(seat, "bad_message", violation)

    # -- time-outs -----------------------------------------------------------------------------------

    def _on_timeout(self, seat: Seat, reading: Reading) -> None:
        limit = seat.clock.limit_passed(reading)
        late = seat.phase is Phase.LATE
        seat.clock.stop(reading)
        detail = "had not answered the last request yet" if late else f"took longer than {limit}"
        if reading.unread:
            detail += f" and has not read {reading.unread} bytes that were sent to it"
        self.time_out(seat.player, detail)

    def time_out(self, player: int, detail: str) -> None:
        """Apply the penalty for a time-out to a seat that was asked."""
        seat = self.seats[player]
        seat.strikes += 1
        penalty = self.policy.timeout
        if penalty == "forfeit" or (penalty == "strike" and seat.strikes >= self.policy.strikes):
            self._fail(seat, "timed_out", detail, late=True)
            return
        seat.rest(Phase.LATE)
        seat.skipped = detail
        self._ask()

    # -- ends ----------------------------------------------------------------------------------------

    def _fail(self, seat: Seat, ending: Ending, detail: str, *, late: bool = False) -> None:
        """End a seat's program. The player loses a game for two, or leaves another game.

        In a game that continues, a failure during another player's turn takes effect only when the failed player is
        to move.
        """
        counts = seat.asked or not self.playing or not self._standing.others_play_on  # before `hang_up` changes `asked`
        seat.hang_up(ending, detail, late=late)
        if not counts:
            return
        self._count_failure(seat)
        if self.over:
            return
        if not self.playing:
            self.start_next()
        elif not self._standing.others_play_on:
            self._end_by_forfeit()
        else:
            self.live.leave(seat)
            self._ask()

    def _count_failure(self, seat: Seat) -> None:
        """Set the ending of a player whose program has failed, and void the match if the policy says so."""
        self._standing.count_failure(seat)
        assert seat.ending is not None
        self.outputs.append(SeatEntry(seat.player, seat.ending, seat.detail))
        if policy_voids(self.policy, seat.ending):
            self.void(seat.ending)

    def _end_by_forfeit(self) -> None:
        self._close_turn()
        self._end(self._standing.by_forfeit())

    def _end(self, outcome: Outcome, *, void: bool = False) -> None:
        self.outcome = outcome
        self._standing.settle(outcome, void=void)
        players = [{"name": seat.name, "ending": seat.ending} for seat in self.seats]
        for seat in self.seats:
            seat.end(outcome, players)
