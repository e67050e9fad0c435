"""A match in which one player is a program, and everything else comes from a replay.

It is an ordinary match. The other players submit what was recorded, with the recorded dice. In the player's parts of
each turn, the rules carry out the program's actions. As long as these are the recorded actions, the recorded dice are
used. Other actions are undone at the end of the part, and the recorded actions are carried out. The program receives
the resulting differences as changes.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from arena.game import Chance, Clock, GameSpec, Scripted, Seeded, State, View
from arena.game.action import LEAVE
from arena.match.job import Job, SeatAssignment
from arena.match.limits import Policy
from arena.play.referee.carrying import Message, Resident
from arena.play.referee.clock import Reading
from arena.play.referee.host import Host, ProgramEnd
from arena.play.referee.live_state import LiveState, Refusal
from arena.play.referee.match import Match
from arena.play.referee.outputs import ActionEntry, Output, RefusalEntry
from arena.play.referee.seat import Phase, Seat
from arena.study.replaying.course import Course
from arena.study.replaying.difference import first_difference
from arena.study.replaying.recorded import Disagreement, accept, disagree
from arena_replays.documents import Entry, Header
from arena_replays.state import CLASS, fold, view
from arena_replays.state import State as Objects

PLAYED = ("do", "refuse")


@dataclass(slots=True)
class RerunPart:
    """Consecutive actions of a player in one turn, as recorded and as played now.

    Attributes:
        frame: The number of accepted actions of all players before the part in the record.
        last: Whether the record ends with this part, before the end of the turn.
        end: The ending and detail of the program that plays now, if it ended in this part; None if it played on.
    """

    turn: int
    frame: int
    recorded: list[Entry]
    recorded_end: tuple[str, str] | None = None
    last: bool = False
    now: list[Entry] = field(default_factory=list)
    end: tuple[str, str] | None = None

    @property
    def differs(self) -> bool:
        """Whether the program's actions or its ending differ from the recorded ones."""
        if (self.end and self.end[0]) != (self.recorded_end and self.recorded_end[0]):
            return True
        now = self.now[: len(self.recorded)] if self.last and not self.recorded_end else self.now
        return first_difference(choices(self.recorded), choices(now)) is not None


def choices(entries: Sequence[Entry]) -> list[Entry]:
    """Return the kind and the action of each entry, without draws and messages."""
    return [[entry[0], entry[2]] for entry in entries]


class RecordedState(LiveState):
    """The recorded match, in which a program takes the place of a player.

    Args:
        truth: The entries of the replay up to the failure of the player's recorded program, if it failed.
        player: The player.
        end: The ending and detail of the recorded program; None if it did not fail.
        first: The number that the game gives to the first turn.

    Attributes:
        parts: The player's parts of turns, as far as they have begun.
        absent: The players whose recorded programs did not start up.
    """

    def __init__(
        self,
        game: GameSpec,
        state: State,
        seats: Sequence[Seat],
        chance: Chance,
        _record: object,
        *,
        truth: Sequence[Entry],
        player: int,
        end: tuple[str, str] | None,
        first: int,
    ) -> None:
        super().__init__(game, state, seats, chance, self._note)
        self.parts: list[RerunPart] = []
        self.absent: list[int] = []
        self._player = player
        self._end = end
        self._first = first
        self._dice = chance
        self._part: RerunPart | None = None
        self._left = False  # whether the program did something else than was recorded in this part
        self._mark = 0
        self._frames = sum(entry[0] in ("do", "leave") for entry in truth)
        self._coming: list[deque[Entry]] = [deque() for _ in seats]
        self._coming_parts = deque(_parts(truth, player, end))
        for entry in truth[1:]:
            self._expect(entry)

    def _expect(self, entry: Entry) -> None:
        """Keep an entry for the player who repeats it. A program that failed before all others acted did not start."""
        kind, player = entry[0], entry[1]
        if kind in ("do", "leave"):
            self._coming[player].append(entry)
        elif kind == "seat" and _is_failure(entry):
            if any(self._coming):
                self._coming[player].append(entry)
            else:
                self.absent.append(player)

    @property
    def turn(self) -> int:
        """The number of the current turn, from 1."""
        return self.state.turn_number() - self._first + 1

    @property
    def has_more(self) -> bool:
        """Whether the record has another part of the player."""
        if self.parts and self.parts[-1].last:
            return False
        return bool(self._part or self._coming_parts) or self._end is not None

    def coming(self, player: int) -> Entry | None:
        """Return what another player has done next: an entry ``do``, ``leave`` or ``seat``; None at the end."""
        return self._coming[player][0] if self._coming[player] else None

    def take(self, player: int) -> None:
        """Go on to what another player has done after that."""
        self._coming[player].popleft()

    def fail(self, ending: tuple[str, str] | None) -> None:
        """Note that the program has ended while it was to move."""
        (self._part or self._open_part()).end = ending

    # -- what a match does ---------------------------------------------------------------------------

    def push(self, seat: Seat, action: dict[str, Any], draws: list[Any]) -> Refusal | None:
        """Apply an action of the program, or a recorded action of another player."""
        if seat.player != self._player:
            return self._push_recorded(seat, action, draws)
        if seat.phase is Phase.GONE:  # its program has failed, and the match is about to end
            self.chance = self._dice
            return super().push(seat, action, draws)
        part = self._part or self._open_part()
        done = sum(entry[0] == "do" for entry in part.now)
        expected = [entry for entry in part.recorded if entry[0] == "do"][done:][:1]
        same = not self._left and bool(expected) and first_difference(expected[0][2], action) is None
        self.chance = Scripted(expected[0][3]) if same else self._dice
        refusal = super().push(seat, action, draws)
        self._left = self._left or not (same or refusal is not None)
        return refusal

    def commit(self) -> None:
        """Make an action of another player final. Those of the program can be undone."""
        if self._part is None:
            super().commit()

    def settle(self) -> None:
        """End the player's part if it is over. If it was not what was recorded, return to the recorded state."""
        part, state = self._part, self.state
        if part is None:
            return
        seat = self._seats[self._player]
        goes_on = self.turn == part.turn and state.to_move()[:1] == (self._player,) and state.outcome() is None
        if goes_on or seat.phase is Phase.GONE:
            return
        self._part = None
        recorded = [entry for entry in part.recorded if entry[0] == "do"]
        if self._left or len(recorded) != sum(entry[0] == "do" for entry in part.now):
            before = state.view(self._player)
            state.pop(self._mark)
            for _, player, action, draws in recorded:
                accept(state, player, action, draws, Scripted(draws))
            seat.see(changes(before, state.view(self._player)), [])
        state.commit()

    # -- the record ----------------------------------------------------------------------------------

    def _push_recorded(self, seat: Seat, action: dict[str, Any], draws: list[Any]) -> Refusal | None:
        entry = self.coming(seat.player)
        if entry is None:  # the record ends here
            self.chance = self._dice
            return super().push(seat, action, draws)
        self.take(seat.player)
        leaves = entry[0] == "leave"
        disagree(first_difference(LEAVE if leaves else entry[2], action, "action"))
        self.chance = script = Scripted(entry[2] if leaves else entry[3])
        refusal = super().push(seat, action, draws)
        if refusal is not None:
            raise Disagreement("ok", "true", f"the refusal {refusal.message}")
        if script.left:
            raise Disagreement("draws", f"{script.left} draws more", "an action without them")
        return None

    def _open_part(self) -> RerunPart:
        empty = RerunPart(0, self._frames, [], self._end, last=True)
        part = self._coming_parts.popleft() if self._coming_parts else empty
        part.turn = self.turn
        self.parts.append(part)
        self._part = part
        self._left = False
        self._mark = self.state.mark
        return part

    def _note(self, entry: Output) -> None:
        part = self._part
        if part is None:
            return
        if isinstance(entry, ActionEntry):
            part.now.append(["do", entry.player, entry.action, entry.draws])
        elif isinstance(entry, RefusalEntry):
            part.now.append(["refuse", *entry])


class RerunMatch:
    """A match in which a program takes the place of one player of a replay.

    Args:
        last_turn: The match ends after this turn, from 1; None to play to the end of the record.
        allowed: The seconds of a turn after which a program counts as hanging; None for no limit.

    Attributes:
        match: The state machine.
        end: The ending and detail of the recorded program; None if it did not fail.
    """

    def __init__(
        self,
        game: GameSpec,
        header: Header,
        seed: int | str,
        truth: Sequence[Entry],
        player: int,
        last_turn: int | None = None,
        allowed: float | None = None,
    ) -> None:
        start = Course.of(game, header, list(truth[:1]))
        players = header.get("players", [])
        seats = tuple(SeatAssignment("", one["name"], dict(one.get("settings", {}))) for one in players)
        job = Job(game.name, seats, seed=seed, leg=header.get("leg", 0))
        times: dict[str, Any] = {**game.clock.to_document(), **header.get("clock", {})}
        own, self.end = _own_part(truth, player)
        self.player = player
        self.clock = Clock(**times)
        self.match = Match(
            game,
            start.state,
            seats,
            Seeded(f"{job.play_seed}/rerun"),
            Clock(max(self.clock.startup, allowed or 86_400.0), bank=None, increment=0.0, turn=allowed, grace=0.0),
            replace(Policy(**header.get("policy", {})), timeout="forfeit"),
            recorded=False,
            bot_seeds=[job.bot_seed(one) for one in range(len(seats))],
            live=partial(RecordedState, truth=own, player=player, end=self.end, first=start.first_turn),
        )
        assert isinstance(self.match.live, RecordedState)
        self.live = self.match.live
        self._last_turn = last_turn
        self._banks = {entry[1]: entry[5] for entry in own if entry[0] == "turn" and entry[2] == player}
        self._stopped: list[int] = []
        for absent in self.live.absent:
            self.match.on_exit(absent, "crashed", "")

    @property
    def parts(self) -> list[RerunPart]:
        return self.live.parts

    def resident(self, match: Match, player: int) -> Resident:
        """Return the end of the seat of a recorded player."""
        return Resident(match, player, lambda _: self.choose(player))

    def program(self, host: Host, match: Match, player: int) -> RerunEnd:
        """Return the end of the seat of the program."""
        return RerunEnd(self, host, match, player)

    @property
    def is_past(self) -> bool:
        """Whether the last turn that is wanted is over."""
        return self._last_turn is not None and self.live.turn > self._last_turn

    def choose(self, player: int) -> list[Message] | None:
        """Return the next action of a recorded player."""
        entry = self.live.coming(player)
        if entry is not None and entry[0] == "do" and not self.is_past:
            return [entry[2]]
        self._stopped.append(player)
        if self.match.mover != self.player:
            self.stop()
        return None

    def stop(self) -> None:
        """Let recorded programs fail that failed after the program's answer. If the record ends, end the match."""
        stopped, self._stopped = self._stopped, []
        for player in stopped:
            entry = self.live.coming(player)
            if entry is not None and entry[0] == "seat" and not self.is_past:
                self.live.take(player)
                self.match.on_exit(player, entry[2], entry[3])
            else:
                self.match.void("rerun")

    def times(self) -> dict[str, float | None]:
        """Return the time that the recorded player had left at the beginning of the turn."""
        number = self.match.state.turn_number()
        before = [bank for turn, bank in self._banks.items() if turn < number]
        bank = self.clock.bank if not before else None if before[-1] is None else before[-1] / 1e6
        return {"bank": None if bank is None else bank + self.clock.increment, "turn": self.clock.turn}


class RerunEnd(ProgramEnd):
    """The end of the program's seat. It shows the program the recorded clock, and ends the match with the record."""

    def __init__(self, rerun: RerunMatch, host: Host, match: Match, player: int) -> None:
        super().__init__(host, match, player)
        self._rerun = rerun
        self._is_to_move = False
        self._times: dict[str, Any] = {}

    def send(self, message: Message) -> None:
        rerun, kind = self._rerun, message["type"]
        if kind == "turn" and (rerun.is_past or not rerun.live.has_more):
            self.match.void("rerun")
            return
        self._is_to_move = kind == "turn" or bool(message.get("your_move"))
        if kind == "turn":
            self._times = rerun.times()
        if "clock" in message:
            message = {**message, "clock": rerun.clock.to_document() if kind == "welcome" else self._times}
        super().send(message)

    def deliver(self, message: Message, reading: Reading) -> None:
        super().deliver(message, reading)
        if self.match.mover != self.player:
            self._rerun.stop()

    def hang_up(self) -> None:
        if self._is_to_move:
            self._rerun.live.fail(self.match.seats[self.player].failure)
        self.match.void("rerun")
        super().hang_up()


def _parts(truth: Sequence[Entry], player: int, end: tuple[str, str] | None) -> Iterator[RerunPart]:
    """Yield the recorded parts of a player, without the numbers of their turns."""
    part: RerunPart | None = None
    frame, after = 0, 0
    for at, entry in enumerate(truth):
        if entry[0] in PLAYED and entry[1] == player:
            part = part or RerunPart(0, frame, [])
            part.recorded.append(entry)
            after = at + 1
        elif part is not None and entry[0] in ("do", "leave", "turn"):
            yield part
            part = None
        frame += entry[0] in ("do", "leave")
    if part is not None:
        rest = [entry[0] for entry in truth[after:]]
        part.last = not {*PLAYED, "leave"}.intersection(rest) and (rest[:1] in ([], ["seat"]) or "turn" not in rest)
        part.recorded_end = end if part.last else None
        yield part


def _own_part(truth: Sequence[Entry], player: int) -> tuple[list[Entry], tuple[str, str] | None]:
    """Return the entries before a player's program failed, and the program's ending and detail.

    If the program did not fail, return all entries and None. The ending ``void`` is no failure.
    """
    for at, entry in enumerate(truth):
        if entry[0] == "seat" and entry[1] == player and _is_failure(entry):
            return list(truth[:at]), (entry[2], entry[3])
    return list(truth), None


def _is_failure(entry: Entry) -> bool:
    return entry[2] != "void" and not entry[4]


def changes(before: View, after: View) -> View:
    """Return the delta that turns one view into the other."""
    old: Objects = {}
    new: Objects = {}
    fold(old, before)
    fold(new, after)
    born = {id_: fields for id_, fields in new.items() if old.get(id_, {}).get(CLASS) != fields[CLASS]}
    delta = view(born)
    for id_, fields in new.items():
        known = fields if id_ in born else old[id_]
        for name, value in fields.items():
            if name not in known or known[name] != value or type(known[name]) is not type(value):
                delta += (id_, name, value)
    return delta + [part for id_ in old if id_ not in new for part in (id_, "-", None)]
