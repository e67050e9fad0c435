"""One match as a state machine without any I/O.

Phases of a seat x messages, exits and time go in; messages to send, seats to hang up and entries for the record come
out. Time comes from a function that is passed in, chance from a `Chance`. The table `ALLOWED` says which message may
come in which phase; everything else is an offence and never an exception.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import msgpack

from arena.game import Chance, Clock, GameSpec, Outcome, State
from arena.match.ending import HOST_LATE, Ending
from arena.match.policy import Policy
from arena.referee import messages
from arena.referee.board import Board
from arena.referee.clock import GUARD_FACTOR, GUARD_SECONDS, Reading, SeatClock
from arena.referee.notes import NoteBudget
from arena.referee.record import NoteKind, Record
from arena.referee.seat import Phase, Seat
from arena_player.wire import PROTOCOL

ALLOWED: dict[tuple[Phase, str], str] = {
    (Phase.LOBBY, "hello"): "_on_hello",
    (Phase.READY, "ready"): "_on_ready",
    (Phase.THINKING, "act"): "_on_act",
    (Phase.THINKING, "log"): "_on_log",
    (Phase.THINKING, "draw"): "_on_draw",
    (Phase.LATE, "act"): "_on_late",
    (Phase.LATE, "log"): "_on_nothing",
    (Phase.LATE, "draw"): "_on_nothing",
}


class Send(NamedTuple):
    """Send a message to a seat."""

    player: int
    message: dict[str, Any]


class Begin(NamedTuple):
    """Let a seat's program begin."""

    player: int


class HangUp(NamedTuple):
    """Close a seat's link and end its program at once."""

    player: int


Command = Begin | Send | HangUp


class SeatSetup(NamedTuple):
    """What the match needs to know about a player.

    Attributes:
        name: The bot's name.
        settings: What the user passed to the bot.
    """

    name: str
    settings: dict[str, str]


class Match:
    """The referee's side of one match.

    Args:
        game: The game.
        state: Its starting position.
        seats: One entry for each player.
        chance: Answers the draws of the rules.
        clock: The time settings.
        policy: What offences cost.
        record: Where everything is written.
        look: Reads the clocks for a seat; the only source of time here.
        kept_waiting: Returns for how many seconds other programs than the bots have kept a seat from running since it
            was asked, or since the last call. Called before a limit of wall time counts as passed.
    """

    def __init__(
        self,
        game: GameSpec,
        state: State,
        seats: Sequence[SeatSetup],
        chance: Chance,
        clock: Clock,
        policy: Policy,
        record: Record,
        look: Callable[[int], Reading],
        kept_waiting: Callable[[int], float] = lambda _: 0.0,
    ) -> None:
        self.game = game
        self.state = state
        self.clock = clock
        self.policy = policy
        self.record = record
        self.look = look
        self._kept_waiting = kept_waiting
        self.seats = [
            Seat(player, setup.name, SeatClock(clock), NoteBudget(policy), settings=setup.settings)
            for player, setup in enumerate(seats)
        ]
        self._board = Board(game, state, self.seats, chance, record)
        self.outcome: Outcome | None = None
        self.turns = 0
        self._schema = game.schema()
        self._playing = False
        self._turn: int | None = None
        self._commands: list[Command] = []
        self._startup_ends = 0.0
        self._returned = 0.0

    # -- what the host calls -------------------------------------------------------------------------

    @property
    def over(self) -> bool:
        """Tell whether the match has ended."""
        return self.outcome is not None

    @property
    def playing(self) -> bool:
        """Tell whether all players were ready and the first turn was asked for."""
        return self._playing

    @property
    def actions(self) -> int:
        """How many actions were accepted."""
        return self._board.actions

    def take_commands(self) -> list[Command]:
        """Return what is to be done now, and forget it."""
        commands, self._commands = self._commands, []
        return commands

    def begin(self) -> None:
        """Let the first program begin."""
        self._start_next()

    def listens_to(self, player: int) -> bool:
        """Return whether anything that a seat sends should be read now."""
        return self.seats[player].phase not in (Phase.WAITING, Phase.IDLE, Phase.GONE)

    def on_message(self, player: int, message: dict[str, Any]) -> None:
        """A well-formed message came from a seat."""
        seat = self.seats[player]
        if seat.phase is Phase.GONE or self.over:
            return
        reading = self.look(player)
        handler = ALLOWED.get((seat.phase, message["type"]))
        if handler is None:
            self.on_garbage(player, f"sent {message['type']} when it was not its turn to send that")
        elif message.get("seq", seat.seq) != seat.seq:
            self.on_garbage(player, f"answered request {message['seq']} while request {seat.seq} was open")
        elif self._is_late(seat, reading):
            self._on_timeout(seat, reading)
        elif not self.over:
            getattr(self, handler)(seat, message, reading)

    def on_garbage(self, player: int, sentence: str) -> None:
        """Something came from a seat that is no message of the protocol."""
        seat = self.seats[player]
        if seat.phase is not Phase.GONE and not self.over:
            self._fail(seat, "bad_message", sentence)

    def on_exit(self, player: int, ending: Ending, sentence: str) -> None:
        """The program of a seat has ended.

        Args:
            player: Whose.
            ending: ``crashed`` or ``out_of_memory``.
            sentence: How it ended, for example "exited with code 1".
        """
        seat = self.seats[player]
        if seat.phase is not Phase.GONE and not self.over:
            starting = ending == "crashed" and (seat.starting or seat.phase is Phase.WAITING)
            self._fail(seat, "no_start" if starting else ending, sentence)

    def on_time(self, player: int) -> None:
        """Some time has passed: judge whether a limit of this seat has."""
        seat = self.seats[player]
        if self.over or seat.phase is Phase.GONE:
            return
        reading = self.look(player)
        if seat.starting:
            overrun = reading.wall - self._startup_ends - self.clock.grace
            if overrun > 0 and not self._is_in_time_without_others(seat, overrun, self.clock.startup):
                self._fail(seat, "no_start", f"was not ready within {self.clock.startup:g} s")
        elif self._is_late(seat, reading):
            self._on_timeout(seat, reading)

    def next_check(self, player: int) -> float | None:
        """Return the wall time at which `on_time` should be called for a seat; None while nothing can run out."""
        seat = self.seats[player]
        if self.over or not seat.asked:
            return None
        return self._startup_ends + self.clock.grace if seat.starting else seat.clock.check_at

    def give_back(self, seconds: float) -> None:
        """Do not count this much of the time of those that are asked: another seat used the processor."""
        self._startup_ends += seconds
        for seat in self.seats:
            seat.clock.give_back(seconds)

    def void(self, reason: str) -> None:
        """End the match without a result, through no fault of a player."""
        if self.outcome is None:
            self._end(Outcome(None, reason), dict.fromkeys(range(len(self.seats)), "void"))

    # -- starting up ---------------------------------------------------------------------------------

    def _on_hello(self, seat: Seat, message: dict[str, Any], reading: Reading) -> None:
        del reading
        problem = self._reason_to_refuse(message)
        if problem is not None:
            self._send(seat, messages.refused(*problem))
            self._fail(seat, "no_start", problem[1])
            return
        seat.wants_legal_actions = message["legal_actions"]
        options = self.state.options_for(seat.player)
        self._send(
            seat,
            messages.welcome(seat, len(self.seats), self._schema, options, self.clock, self.game.version),
        )
        seat.phase = Phase.READY
        seat.seq += 1
        self._send(seat, messages.start(seat, self.state.view(seat.player)))

    def _reason_to_refuse(self, hello: dict[str, Any]) -> tuple[str, str] | None:
        """Return code and sentence if a client cannot take part."""
        if hello["protocol"] != PROTOCOL:
            return "wrong_protocol", f"speaks protocol {hello['protocol']}, the referee speaks {PROTOCOL}"
        if hello["schema"] in (None, self._schema["hash"], *self.game.former_schemas):
            return None
        name = self.game.name
        sentence = f"its module {name}.py was made for another version of the game; `arena sdk {name}` makes it anew"
        return "stale_schema", sentence

    def _on_ready(self, seat: Seat, message: dict[str, Any], reading: Reading) -> None:
        del message, reading
        seat.phase = Phase.IDLE
        self._start_next()

    def _start_next(self) -> None:
        """Let the next program begin, or play if there is none; end if a program has failed to start.

        One starts after the other, because they share a processor: none can take time from another.
        """
        if any(seat.starting for seat in self.seats):
            return
        waiting = next((seat for seat in self.seats if seat.phase is Phase.WAITING), None)
        if waiting is not None:
            waiting.phase = Phase.LOBBY
            self._startup_ends = self.look(waiting.player).wall + self.clock.startup
            self._returned = 0.0
            self._commands.append(Begin(waiting.player))
        elif any(seat.ending is not None for seat in self.seats):
            self._end_by_forfeit()
        else:
            self._playing = True
            self._ask()

    # -- playing -------------------------------------------------------------------------------------

    def _ask(self) -> None:
        """Ask the next of those who are to move, or end the match.

        Those who move at the same time are asked one after the other, for the same reason as in `_start_next`. None of
        them learns what another did.
        """
        outcome = self.state.outcome()
        self._close_turns(ended=outcome is not None)
        if outcome is not None:
            self._end(outcome, {})
            return
        if any(seat.asked for seat in self.seats):
            return
        for player in self.state.to_move():
            seat = self.seats[player]
            if seat.phase is Phase.IDLE:
                self._ask_seat(seat)
                return
            if seat.phase is Phase.LATE:  # the answer to the last request is awaited first, on this turn's time
                self._start_clock(seat, self.state.turn_number())
                return

    def _ask_seat(self, seat: Seat) -> None:
        number = self.state.turn_number()
        if seat.clock.turn != number:
            seat.refused_this_turn = 0
            seat.notes.new_turn()
        seat.seq += 1
        seat.phase = Phase.THINKING
        self._start_clock(seat, number)
        self._send(seat, messages.turn(seat, number, self._listed_for(seat)))

    def _on_act(self, seat: Seat, message: dict[str, Any], reading: Reading) -> None:
        seat.clock.stop(reading)
        seat.notes.answered()
        number = self.state.turn_number()
        accepted = 0
        error = None
        value = None
        draws: list[Any] = []
        for action in message["actions"]:
            refusal = self._board.push(seat, action, draws)
            if refusal is not None:
                error = {"code": refusal.code, "message": refusal.message}
                break
            accepted += 1
            value = self.state.value
            if seat.player not in self.state.to_move() or self.state.turn_number() != number:
                break
        if seat.refused_this_turn > self.policy.refusals_per_turn:
            self._fail(seat, "refused_too_often", f"had {seat.refused_this_turn} actions refused in one turn")
            return
        again = seat.player in self.state.to_move() and self.state.turn_number() == number
        if again:
            seat.seq += 1
            seat.clock.start(number, reading)
        else:
            seat.phase = Phase.IDLE
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
        if not again or len(self.state.to_move()) > 1:
            self._ask()

    def _on_log(self, seat: Seat, message: dict[str, Any], reading: Reading) -> None:
        del reading
        self._note(seat, "log", message["text"])

    def _on_draw(self, seat: Seat, message: dict[str, Any], reading: Reading) -> None:
        del reading
        self._note(seat, "draw", message["shapes"])

    def _note(self, seat: Seat, kind: NoteKind, payload: Any) -> None:
        if self._flooding(seat):
            return
        match seat.notes.spend(len(msgpack.packb(payload))):
            case "keep":
                self.record.note(seat.player, kind, payload)
            case "last":
                self.record.note(seat.player, "log", "(further notes of this turn were dropped)")

    def _flooding(self, seat: Seat) -> bool:
        """Count one more note; too many with one answer are an offence."""
        if not seat.notes.is_flood():
            return False
        self.on_garbage(seat.player, f"sent more than {self.policy.notes_per_request} notes with one answer")
        return True

    def _on_late(self, seat: Seat, message: dict[str, Any], reading: Reading) -> None:
        """The answer to a request whose time had run out and was forgiven: nothing of it counts."""
        del message
        seat.clock.stop(reading)
        seat.phase = Phase.IDLE
        self._send(seat, messages.too_late(seat))
        self._ask()

    def _on_nothing(self, seat: Seat, message: dict[str, Any], reading: Reading) -> None:
        """Notes to a request that is closed are dropped, but a flood of them is one."""
        del message, reading
        self._flooding(seat)

    def _listed_for(self, seat: Seat) -> list[dict[str, Any]] | None:
        return self.state.legal_actions(seat.player) if seat.wants_legal_actions else None

    # -- turns and time ------------------------------------------------------------------------------

    def _close_turns(self, *, ended: bool) -> None:
        """Record the times of a turn that is over."""
        number = self.state.turn_number()
        if self._turn is not None and (ended or number != self._turn):
            digest = bytes.fromhex(self.state.digest()[:16])
            for seat in self.seats:
                clock = seat.clock
                if clock.turn != self._turn:
                    continue
                spent = clock.turn_spent
                self.record.turn(
                    self._turn,
                    seat.player,
                    round(spent.wall * 1e6),
                    None if spent.cpu is None else round(spent.cpu * 1e6),
                    None if clock.bank is None else round(clock.bank * 1e6),
                    digest,
                )
            self.turns += 1
        self._turn = number

    def _on_timeout(self, seat: Seat, reading: Reading) -> None:
        limit = seat.clock.left()
        late = seat.phase is Phase.LATE
        seat.clock.stop(reading)
        sentence = "had not answered the last request yet" if late else f"took longer than {limit:.3f} s"
        if reading.unread:
            sentence += f" and has not read {reading.unread} bytes that were sent to it"
        seat.strikes += 1
        penalty = self.policy.timeout
        if penalty == "forfeit" or (penalty == "strike" and seat.strikes >= self.policy.strikes):
            self._fail(seat, "timed_out", sentence)
            return
        self.record.seat(seat.player, "timed_out", f"{sentence}; the referee finished the turn")
        seat.phase = Phase.LATE
        self._board.finish_turn_for(seat)
        self._ask()

    def _start_clock(self, seat: Seat, number: int) -> None:
        if seat.clock.turn != number:
            self._returned = 0.0
        seat.clock.start(number, self.look(seat.player))

    def _is_late(self, seat: Seat, reading: Reading) -> bool:
        """Return whether a seat's time is over, and not because of other programs."""
        if not seat.clock.is_over(reading):
            return False
        overrun = seat.clock.overrun(reading)
        return overrun <= 0 or not self._is_in_time_without_others(seat, overrun, seat.clock.left() or 0.0)

    def _is_in_time_without_others(self, seat: Seat, overrun: float, limit: float) -> bool:
        """Return the time that other programs took to a seat that has passed a limit of wall time, as far as they did.

        A seat that gets too much back would hold the match up: then the match is void.

        Returns:
            Whether that is enough for the seat to be in time, or the match is void.
        """
        taken = self._kept_waiting(seat.player)
        self._returned += taken
        if taken and self._returned > GUARD_FACTOR * (limit + self.clock.grace) + GUARD_SECONDS:
            seat.detail = f"took longer than {limit:.3f} s while other programs used the processor"
            self.record.seat(seat.player, "void", seat.detail)
            self.void(HOST_LATE)
            return True
        self.give_back(taken)
        return taken >= overrun

    # -- ends ----------------------------------------------------------------------------------------

    def _fail(self, seat: Seat, ending: Ending, sentence: str) -> None:
        """A seat drops out; with nobody left to play against, the match is over."""
        starting = not self._playing
        seat.ending = ending
        seat.detail = sentence
        seat.phase = Phase.GONE
        self.record.seat(seat.player, ending, sentence)
        self._commands.append(HangUp(seat.player))
        if starting:
            self._start_next()
        else:
            self._end_by_forfeit()

    def _end_by_forfeit(self) -> None:
        if self._playing:
            self._close_turns(ended=True)
        standing = [seat.player for seat in self.seats if seat.ending is None]
        if len(self.seats) == 2:
            self._end(Outcome(standing[0] if standing else None, "forfeit"), {})
        else:
            ranks = tuple(1 if seat.ending is None else 2 for seat in self.seats)
            self._end(Outcome(standing[0] if len(standing) == 1 else None, "forfeit", ranks), {})

    def _end(self, outcome: Outcome, endings: dict[int, Ending]) -> None:
        self.outcome = outcome
        for seat in self.seats:
            if seat.player in endings:
                seat.ending = endings[seat.player]
            elif seat.ending is None:
                points = outcome.points(seat.player)
                seat.ending = "won" if points == 1 else "drawn" if points > 0 else "lost"
        players = [{"name": seat.name, "ending": seat.ending} for seat in self.seats]
        for seat in self.seats:
            if seat.phase is not Phase.GONE:
                self._send(seat, messages.over(seat, outcome, players))

    def _send(self, seat: Seat, message: dict[str, Any]) -> None:
        self._commands.append(Send(seat.player, message))
