"""A recorded match, played again by the state machine of the referee.

The recorded answers and the recorded failures of programs go in, and each entry that comes out is compared with the
recorded one. So all that a referee derives is derived here by the same code: who is to move, what the rules answer,
which actions the referee itself submits, when turns end, who leaves, how the match ends, and the footer. What no
computation can tell, a `Rematch` takes from the record: what programs answered, when they failed, and clock readings.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields
from itertools import dropwhile, takewhile
from typing import Any

from arena.game import Chance, Clock, Document, GameSpec, Scripted, ScriptError, Seeded, State
from arena.game.action import LEAVE
from arena.game.chance import Distribution
from arena.game.kinds import Number
from arena.match.ending import FAILURES, NO_PROGRAM
from arena.match.job import SeatAssignment
from arena.match.limits import Policy
from arena.match.void import AT_A_PLAYER, FAULT, HOST_LATE, VOID, ended_from_outside, is_void
from arena.play.referee.carrying import HELLO, NO_TIME
from arena.play.referee.live_state import MAX_REFUSED_BYTES, LiveState, Refusal, RulesFault
from arena.play.referee.match import Match
from arena.play.referee.outputs import ActionEntry, LeaveEntry, ReadClock, RefusalEntry, SeatEntry, TurnEntry
from arena.play.referee.recording import footer_of
from arena.play.referee.seat import Phase, Seat
from arena.study.replaying.course import FIRST
from arena.study.replaying.difference import first_difference, show
from arena.study.replaying.recorded import Disagreement, ask, describe, disagree, resolve_options, set_up
from arena_player.version import __version__
from arena_replays.documents import Entry, Footer, Frame, Header

UNTIMED = Clock(startup=86_400.0, bank=None, increment=0.0, turn=None, grace=0.0)
CARRIED_OUT = ("do", "leave", "refuse")
"""The entries of what was submitted to the rules."""
Output = ActionEntry | LeaveEntry | RefusalEntry | SeatEntry | TurnEntry


class Proved(Scripted):
    """The recorded draws, each compared with the draw of another source; without a source, they are not compared."""

    def __init__(self, values: Sequence[Number], dice: Chance | None) -> None:
        super().__init__(values)
        self._dice = dice

    def _answer(self, distribution: Distribution, label: str) -> Number:
        value = super()._answer(distribution, label)
        if self._dice is not None:
            drawn = self._dice.draw(distribution, label)
            self._dice.draws.clear()
            if value != drawn:
                raise Disagreement(f"draw {label}".rstrip(), show(value), f"{show(drawn)} with the seed")
        return value


class _EndOfRecord(Exception):  # noqa: N818 - not an error: a record can be cut off
    """The referee submits an action after the last one in the record."""


class _RecordedState(LiveState):
    """Carries out what is submitted to the rules, with the recorded draws, and compares what becomes of it.

    Attributes:
        dice: The source with which the draws are compared; None if there is none.
        coming: The recorded entries of the kinds `CARRIED_OUT` that were not submitted yet.
    """

    dice: Chance | None = None
    coming: Iterator[Entry] = iter(())

    def push(self, seat: Seat, action: Document, draws: list[Any]) -> Refusal | None:
        entry = next(self.coming, None)
        if entry is None:
            raise _EndOfRecord(f"{show(action)} of player {seat.player}")
        try:
            return self._compared(seat, action, draws, entry)
        except Disagreement as error:
            error.action = f"{show(LEAVE if entry[0] == 'leave' else entry[2])} of player {entry[1]}"
            raise

    def _compared(self, seat: Seat, action: Document, draws: list[Any], entry: Entry) -> Refusal | None:
        kind, player = entry[:2]
        recorded_draws = [] if kind == "refuse" else entry[-1]
        disagree(first_difference(LEAVE if kind == "leave" else entry[2], action, "action"))
        disagree(first_difference(player, seat.player, "player"))
        self.chance = script = Proved(recorded_draws, self.dice)
        try:
            refusal = super().push(seat, action, draws)
        except RulesFault as fault:
            cause = fault.__cause__ or fault
            if isinstance(cause, Disagreement):
                raise cause from None
            if isinstance(cause, ScriptError):
                raise Disagreement("draws", show(recorded_draws), f"another draw: {cause}") from None
            raise
        if refusal is None and kind == "refuse":
            raise Disagreement("ok", "false", "the action is accepted")
        if refusal is not None and kind != "refuse":
            raise Disagreement("ok", "true", f"the refusal {refusal.code}: {refusal.message}")
        if refusal is not None:
            disagree(first_difference(entry[3], refusal.code, "error"))
        elif script.left:
            raise Disagreement("draws", show(recorded_draws), f"{script.left} draws less")
        return refusal

    def note_long_refusal(self, seat: Seat, entry: Entry) -> None:
        """Count a refused action that was too long to be recorded as it was sent."""
        next(self.coming)
        seat.refusals[entry[3]] += 1
        seat.refused_this_turn += 1
        if self._record is not None and seat.share.keeps_refusal(MAX_REFUSED_BYTES):
            self._record(RefusalEntry(*entry[1:]))


class Rematch:
    """A recorded match that is played again. Call `play` and then, if the record has an end, `compare_end`.

    Args:
        game: The game.
        header: The header of the replay.
        truth: The entries of the replay.
        footer: The footer; None if the record has no end.
        dice: Makes the sources for the draws of the set-up and of the match; None if the draws cannot be compared.
        shows: Called with the number of a frame and its views, as whole views for the first one.

    Attributes:
        turn: The number of the current turn, from 1.
        entries: The number of entries that were compared or are being compared.

    Raises:
        Disagreement: The match cannot begin as it was recorded.
    """

    def __init__(
        self,
        game: GameSpec,
        header: Header,
        truth: Sequence[Entry],
        footer: Footer | None,
        dice: tuple[Chance, Chance] | None,
        shows: Callable[[int, Sequence[Frame]], None],
    ) -> None:
        self.turn = 0
        self.entries = 1
        self._truth = truth
        self._footer = footer
        self._shows = shows
        self._header = header
        self._compared: deque[Output] = deque()  # what came out and waits for its recorded entry
        self._acted: set[int] = set()  # who acted in this turn
        self._moved: set[tuple[int, int]] = set()  # turn and player: who was the next to act
        self._overflowed: set[int] = set()  # who had so many actions refused that the record can lack some
        self._closes = False
        self._frame = 0
        self._same_arena = header.get("arena") == __version__
        set_up_dice, play_dice = dice or (None, None)
        players = header.get("players", [])
        state, first = _start(game, header, truth, set_up_dice, len(players))
        self.first_turn = ask("turn", state.turn_number) if first is None else first
        views = range(len(players)) if ask("view", state.hides_information) else range(0)
        disagree(first_difference(header["streams"], 1 + len(views), "header.streams"))
        shows(0, ask("view", lambda: [(state.view(player), []) for player in (None, *views)]))
        self.match = Match(
            game,
            state,
            [SeatAssignment("", player["name"]) for player in players],
            Seeded(0),  # each action has its own draws
            UNTIMED,
            _policy(header),
            live=_RecordedState,
        )
        assert isinstance(self.match.live, _RecordedState)
        self._live = self.match.live
        self._live.dice = play_dice
        self._goes_on = len(players) > 2 or state.cooperative
        self._live.coming = (entry for entry in truth if entry[0] in CARRIED_OUT)

    def play(self) -> None:
        """Play the match up to its last entry."""
        leading = list(takewhile(lambda entry: entry[0] == "seat" and entry[2] != "timed_out", self._truth[1:]))
        following = next(iter(self._truth[1 + len(leading) :]), None)
        self._start_up(leading[: self._before_first_turn(leading, following)])
        if following is not None:  # otherwise the match can have ended before the first turn
            self._begin()
        for entry in self._truth[1:]:
            self.entries += 1
            self._note_turn(entry)
            self._leave_out_before(entry)
            if not self._compared:
                self._submit(entry)
                self._leave_out_before(entry)
            self._compare(entry)

    # -- the start -----------------------------------------------------------------------------------

    def _before_first_turn(self, leading: Sequence[Entry], following: Entry | None) -> int:
        """Return how many of the failures before everything else came before the first turn."""
        kind = None if following is None else following[0]
        if kind == "turn":
            return 0
        if len(leading) == 1 and kind == "leave" and leading[0][2] not in NO_PROGRAM:
            player = leading[0][1]
            state = self.match.state
            if ask("to_move", state.to_move)[:1] == (player,):
                return int(not self._has_time(["turn", ask("turn", state.turn_number), player]))
        return len(leading)

    def _has_time(self, start: Entry) -> bool:
        """Return whether one of the first entries `turn` in succession begins so."""
        rest = dropwhile(lambda entry: entry[0] != "turn", self._truth)
        return any(entry[:3] == start for entry in takewhile(lambda entry: entry[0] == "turn", rest))

    def _start_up(self, failures: Sequence[Entry]) -> None:
        """Let programs fail that failed before the first turn, in the recorded order."""
        self._do(self.match.start_next)
        for entry in failures:
            seat = self._seat(entry)
            while entry[2] == "crashed" and not self.match.over and (seat.starting or seat.phase is Phase.WAITING):
                self._make_ready()  # before that, the end of its program is no crash
            self._fail(entry)

    def _begin(self) -> None:
        """Let all other seats become ready, so that the first turn begins."""
        while not self.match.playing and not self.match.over:
            self._make_ready()

    def _make_ready(self) -> None:
        """Let the seat that is starting up become ready."""
        seat = next(seat for seat in self.match.seats if seat.starting)
        self._say(seat, HELLO)
        self._say(seat, {"type": "ready", "seq": seat.seq})

    # -- what goes in --------------------------------------------------------------------------------

    def _submit(self, entry: Entry) -> None:
        """Give the recorded answer or failure to the state machine."""
        if self.match.over:
            raise Disagreement("entry", show(entry), "the end of the match")
        if entry[0] == "seat":
            self._fail(entry)
        elif entry[0] in ("do", "refuse"):
            self._answer(entry)

    def _answer(self, entry: Entry) -> None:
        seat = self._seat(entry)
        if seat.phase is Phase.LATE:
            self._act(seat)  # the answer to the earlier request, which is ignored
        if seat.player != self.match.mover or seat.phase is not Phase.THINKING:
            raise Disagreement(
                f"{show(entry[2])} of player {seat.player}, player", str(entry[1]), str(self.match.mover)
            )
        if entry[0] == "do" or not isinstance(entry[2], str):
            self._act(seat, entry[2])
        else:
            self._live.note_long_refusal(seat, entry)
            self._act(seat)
        if entry[0] == "refuse" and not seat.share.has_room_for_refusal(MAX_REFUSED_BYTES):
            self._overflowed.add(seat.player)

    def _fail(self, entry: Entry) -> None:
        """Let a program fail as it was recorded. What follows from that is the business of the state machine."""
        match, seat = self.match, self._seat(entry)
        _, player, ending, detail, _ = entry
        if ending == VOID:
            outcome = (self._footer or {}).get("outcome") or {"reason": HOST_LATE}
            if outcome["reason"] not in AT_A_PLAYER:
                raise Disagreement("outcome.reason", show(outcome["reason"]), " or ".join(AT_A_PLAYER))
            self._do(lambda: match.void_at(player, outcome["reason"], detail))
        elif ending == "timed_out" and match.playing and seat.asked:
            self._do(lambda: match.time_out(player, detail))
        elif ending == "refused_too_often" and player in self._overflowed:
            seat.refused_this_turn = match.policy.refusals_per_turn + 1
            self._act(seat)
        elif ending in FAILURES - {"timed_out", "refused_too_often"}:
            if match.playing and ending in NO_PROGRAM:
                raise Disagreement(f"ending of player {player}", show(ending), "a program that has started")
            self._do(lambda: match.on_exit(player, ending, detail))

    def _seat(self, entry: Entry) -> Seat:
        if not 0 <= entry[1] < len(self.match.seats):
            raise Disagreement(f"player of {show(entry)}", str(entry[1]), f"{len(self.match.seats)} players")
        return self.match.seats[entry[1]]

    def _act(self, seat: Seat, *actions: Document) -> None:
        self._say(seat, {"type": "act", "seq": seat.seq, "actions": list(actions)})

    def _say(self, seat: Seat, message: Document) -> None:
        self._do(lambda: self.match.on_message(seat.player, message, NO_TIME))

    def _do(self, step: Callable[[], None]) -> None:
        """Do something with the state machine, and keep the entries that come out."""
        try:
            step()
        except Disagreement:
            raise
        except _EndOfRecord as error:
            if self._footer is not None:
                raise Disagreement("entry", "nothing", str(error)) from None
        except Exception as error:
            if not self._is_fault():
                cause = error.__cause__ if isinstance(error, RulesFault) and error.__cause__ else error
                raise Disagreement("action", "no exception", f"the exception {describe(cause)}") from None
            self.match.void(FAULT)
        outputs = self.match.outputs
        while outputs:
            output = outputs.popleft()
            if isinstance(output, ReadClock):
                self.match.on_clock(output.player, NO_TIME)
            elif isinstance(output, Output):
                self._compared.append(output)
        if self.match.mover is not None:
            self._moved.add((self.match.state.turn_number(), self.match.mover))

    # -- what comes out ------------------------------------------------------------------------------

    def _note_turn(self, entry: Entry) -> None:
        """Note the turn of the next entry, and forget who acted in the turn before when its entries have ended."""
        if entry[0] == "turn":
            self.turn = entry[1] - self.first_turn + 1
            self._closes = True
            return
        if not self._compared:
            self.turn = ask("turn", self.match.state.turn_number) - self.first_turn + 1
        if self._closes:
            self._closes = False
            self._acted.clear()
            self._moved = {
                turn_and_player
                for turn_and_player in self._moved
                if turn_and_player[0] - self.first_turn + 1 >= self.turn
            }

    def _compare(self, entry: Entry) -> None:
        """Compare the recorded entry with the one that came out. The state has compared actions and their draws."""
        if not self._compared:
            raise Disagreement("entry", show(entry), "no such entry at this place")
        output = self._compared.popleft()
        document = _document(output)
        if document[0] != entry[0]:
            raise Disagreement("entry", show(entry), show(document))
        if isinstance(output, TurnEntry):
            disagree(first_difference(entry[1:3], document[1:3], "turn entry"))
            disagree(first_difference(entry[6].hex(), output.digest8.hex(), "digest"))
        elif isinstance(output, SeatEntry):
            disagree(first_difference(entry, document, "seat entry"))
        elif isinstance(output, RefusalEntry):
            self._acted.add(output.player)
            compared = 5 if self._same_arena else 4  # another version can have other words for people
            disagree(first_difference(entry[:compared], document[:compared], f"refusal of player {output.player}"))
        else:
            if isinstance(output, ActionEntry):
                self._acted.add(output.player)
            self._frame += 1
            self._shows(self._frame, list(zip(output.deltas, output.events, strict=True)))

    def _leave_out_before(self, entry: Entry) -> None:
        """Forget the entries that came out and that the record lacks, as an honest record can."""
        while self._compared and entry[:3] != _document(self._compared[0])[:3] and self._is_optional(self._compared[0]):
            self._compared.popleft()

    def _is_optional(self, output: Output) -> bool:
        """Return whether an honest record can lack an entry.

        In earlier recordings, players who move simultaneously were asked at the same time. So if the turn ends early,
        some were asked or not. The same is true for a player whose program had failed before it was to move.
        """
        if not isinstance(output, TurnEntry) or output.player in self._acted:
            return False
        left = self._goes_on and self.match.seats[output.player].phase is Phase.GONE
        return left or (output.number, output.player) not in self._moved

    # -- the end -------------------------------------------------------------------------------------

    def compare_end(self) -> None:
        """Compare the end of the match with the footer."""
        match, footer = self.match, self._footer
        assert footer is not None
        rest = [output for output in self._compared if not self._is_optional(output)]
        if rest:
            raise Disagreement("entry", "nothing", show(_document(rest[0])))
        void = is_void(player.get("ending", "") for player in footer.get("players", ()))
        if not void:
            self._begin()
        if not match.over:
            self._void_without_cause(footer, void=void)
        expected: dict[str, Any] = dict(ask("end", lambda: footer_of(match, footer.get("trouble", ""))))
        if "course" not in footer and "leg" not in self._header:  # an early recording
            del expected["course"]
        recorded: dict[str, Any] = {key: footer.get(key) for key in expected}
        for key, name in (("digest", "final digest"), ("outcome", "outcome")):
            disagree(first_difference(recorded.pop(key), expected.pop(key), name))
        for seat, player in zip(match.seats, recorded["players"] or [], strict=False):
            if seat.player in self._overflowed and _counts_at_least(player.get("refusals"), seat.refusals):
                expected["players"][seat.player]["refusals"] = player["refusals"]
        disagree(first_difference(recorded, expected, "footer"))

    def _void_without_cause(self, footer: Footer, *, void: bool) -> None:
        """End the match as the machine, a person or a failure of the rules has ended it: no entry shows that."""
        outcome, trouble = footer.get("outcome"), footer.get("trouble", "")
        reason = "" if outcome is None else outcome["reason"]
        if not (void and ended_from_outside(reason, trouble)):
            raise Disagreement("outcome", show(outcome), "no end of the game")
        self.match.void(reason)

    def _is_fault(self) -> bool:
        """Return whether the record says that the rules failed."""
        outcome = (self._footer or {}).get("outcome") or {"reason": ""}
        return outcome["reason"] == FAULT


def _document(output: Output) -> Entry:
    """Return an entry in the form of a record."""
    match output:
        case ActionEntry():
            return ["do", output.player, output.action, output.draws]
        case LeaveEntry():
            return ["leave", output.player, output.draws]
        case RefusalEntry():
            return ["refuse", *output]
        case TurnEntry():
            return ["turn", *output]
        case SeatEntry():
            return ["seat", *output]


def _counts_at_least(recorded: object, counted: Mapping[str, int]) -> bool:
    """Return whether the numbers of refusals are possible for a player with more of them than a replay has room for."""
    if not isinstance(recorded, dict) or not all(type(count) is int for count in recorded.values()):
        return False
    return all(recorded.get(code, 0) >= count for code, count in counted.items())


def _start(
    game: GameSpec, header: Header, truth: Sequence[Entry], dice: Chance | None, players: int
) -> tuple[State, int | None]:
    """Return the state at the start, and the game's number of its first turn; None if that is the number in the state.

    Raises:
        Disagreement: The start is not the one that the rules give, or the header does not describe it.
    """
    if not truth or truth[0][0] not in FIRST:
        raise Disagreement("set-up", "nothing", "a position")
    kind, content = truth[0]
    given = header.get("options", {})
    options = resolve_options(game, given)
    disagree(first_difference(given, options.to_document(), "options"))
    disagree(first_difference(players, game.players_in(options), "number of players"))
    disagree(first_difference(header.get("title"), game.title, "title"))
    start, parent = header.get("start", {}), header.get("parent", {})
    if parent:
        disagree(first_difference(parent.get("turn"), start.get("turn"), "turn of the parent"))
    if kind == "setup":
        disagree(first_difference(start, {}, "start"))
        return set_up(game, options, Proved(content, dice)), None
    state = ask("position", lambda: game.load(content, options), content)
    disagree(first_difference(content, ask("position", state.to_document), "position"))
    first = ask("start", lambda: game.start(options, Seeded(0)).turn_number())
    turn = ask("turn", state.turn_number) - first + 1
    disagree(first_difference(start, {"turn": turn, "first": first}, "start"))
    return state, first


def _policy(header: Header) -> Policy:
    recorded, default = header.get("policy", {}), Policy()
    values = {field.name: recorded[field.name] for field in fields(Policy) if field.name in recorded}
    for name, value in values.items():
        if type(value) is not type(getattr(default, name)):
            raise Disagreement(f"policy.{name}", show(value), "no such policy")
    return Policy(**values)
