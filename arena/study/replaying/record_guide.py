"""Keeps a match on the course of a record, although a program plays in a player's place.

In the player's parts of each turn, the rules carry out the program's actions. As long as these are the recorded
actions, they get the recorded draws. What the program does differently gets other draws, and is undone at the end of
the part: a `Course` carries out the recorded actions instead. The program receives what that changes in its view with
its next message, as it learns of any other change.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from arena.game import Chance, GameSpec, Scripted, State, View
from arena.game.action import LEAVE
from arena.play.referee.live_state import LiveState, Refusal
from arena.play.referee.outputs import ActionEntry, Output, RefusalEntry
from arena.play.referee.seat import Phase, Seat
from arena.study.replaying.course import Course
from arena.study.replaying.difference import first_difference
from arena.study.replaying.recorded import Disagreement, disagree
from arena_replays.documents import Entry
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


class RecordGuide:
    """Keeps a match on the course of a record while a program takes the place of a player.

    Args:
        truth: The entries of the replay up to the failure of the player's recorded program, if it failed.
        player: The player.
        end: The ending and detail of the recorded program; None if it did not fail.
        first_turn: The number that the game gives to the first turn.

    Attributes:
        parts: The player's parts of turns, as far as they have begun.
        absent: The players whose recorded programs did not start up.
    """

    def __init__(self, truth: Sequence[Entry], player: int, end: tuple[str, str] | None, first_turn: int) -> None:
        self.parts: list[RerunPart] = []
        self.absent: list[int] = []
        self._player = player
        self._end = end
        self._first_turn = first_turn
        self._frames = sum(entry[0] in ("do", "leave") for entry in truth)
        self._coming_parts = deque(_parts(truth, player, end))
        self._coming: dict[int, deque[Entry]] = {}
        for entry in truth[1:]:
            self._expect(entry)
        # The part that the program plays now, and where the state was before it.
        self._part: RerunPart | None = None
        self._mark = 0
        self._repeats = False  # whether the program's current action is the recorded one
        self._has_left = False  # whether the program did something else than was recorded in this part
        self._script: Scripted | None = None  # the draws of another player's recorded action

    def _expect(self, entry: Entry) -> None:
        """Keep an entry for the player who repeats it. A program that failed before all others acted did not start."""
        entry_kind, player = entry[0], entry[1]
        if entry_kind in ("do", "leave"):
            self._coming.setdefault(player, deque()).append(entry)
        elif entry_kind == "seat" and is_failure(entry):
            if self._coming:
                self._coming.setdefault(player, deque()).append(entry)
            else:
                self.absent.append(player)

    def live_state(
        self, game: GameSpec, state: State, seats: Sequence[Seat], chance: Chance, _record: object
    ) -> LiveState:
        """Make the state of the match."""
        self._state = state
        self._seats = seats
        self._dice = chance
        return LiveState(game, state, seats, chance, self._note, self)

    @property
    def turn(self) -> int:
        """The number of the current turn, from 1."""
        return self._state.turn_number() - self._first_turn + 1

    @property
    def has_more(self) -> bool:
        """Whether the record has another part of the player."""
        if self.parts and self.parts[-1].last:
            return False
        return bool(self._part or self._coming_parts) or self._end is not None

    def coming(self, player: int) -> Entry | None:
        """Return what another player has done next: an entry ``do``, ``leave`` or ``seat``; None at the end."""
        entries = self._coming.get(player)
        return entries[0] if entries else None

    def take(self, player: int) -> None:
        """Continue with what another player has done after that."""
        self._coming[player].popleft()

    def fail(self, ending: tuple[str, str] | None) -> None:
        """Note that the program has ended while it was to move."""
        (self._part or self._open_part()).end = ending

    # -- what the match asks (see `Guide`) -----------------------------------------------------------

    @property
    def undoable(self) -> bool:
        return self._part is not None

    def chance_for(self, seat: Seat, action: dict[str, Any]) -> Chance:
        if seat.player != self._player:
            self._script = self._script_for(seat.player, action)
            return self._dice if self._script is None else self._script
        self._script = None
        if seat.phase is Phase.GONE:  # its program has failed, and the match is about to end
            return self._dice
        part = self._part or self._open_part()
        accepted = sum(entry[0] == "do" for entry in part.now)
        recorded = _actions_of(part)[accepted:]
        self._repeats = False
        if recorded and not self._has_left:
            self._repeats = first_difference(recorded[0][2], action) is None
        return Scripted(recorded[0][3]) if self._repeats else self._dice

    def after(self, seat: Seat, refusal: Refusal | None) -> None:
        if seat.player == self._player:
            if refusal is None and not self._repeats:
                self._has_left = True
        elif self._script is not None:
            if refusal is not None:
                raise Disagreement("ok", "true", f"the refusal {refusal.message}")
            if self._script.left:
                raise Disagreement("draws", f"{self._script.left} draws more", "an action without them")

    def settle(self) -> None:
        """End the player's part if it is over. If it was not what was recorded, return to the recorded state."""
        part, state = self._part, self._state
        if part is None:
            return
        seat = self._seats[self._player]
        is_next = state.to_move()[:1] == (self._player,)
        continues = self.turn == part.turn and is_next and state.outcome() is None
        if continues or seat.phase is Phase.GONE:
            return
        self._part = None
        recorded = _actions_of(part)
        if self._has_left or len(recorded) != sum(entry[0] == "do" for entry in part.now):
            before = state.view(self._player)
            state.pop(self._mark)
            for _ in Course(state, recorded, self._first_turn):
                pass
            seat.see(changes(before, state.view(self._player)), [])
        state.commit()

    # -- the record ----------------------------------------------------------------------------------

    def _script_for(self, player: int, action: dict[str, Any]) -> Scripted | None:
        """Return the recorded draws of another player's action; None if the record ends here."""
        entry = self.coming(player)
        if entry is None:
            return None
        self.take(player)
        leaves = entry[0] == "leave"
        disagree(first_difference(LEAVE if leaves else entry[2], action, "action"))
        return Scripted(entry[2] if leaves else entry[3])

    def _open_part(self) -> RerunPart:
        empty = RerunPart(0, self._frames, [], self._end, last=True)
        part = self._coming_parts.popleft() if self._coming_parts else empty
        part.turn = self.turn
        self.parts.append(part)
        self._part = part
        self._has_left = False
        self._mark = self._state.mark
        return part

    def _note(self, entry: Output) -> None:
        part = self._part
        if part is None:
            return
        if isinstance(entry, ActionEntry):
            part.now.append(["do", entry.player, entry.action, entry.draws])
        elif isinstance(entry, RefusalEntry):
            part.now.append(["refuse", *entry])


def _actions_of(part: RerunPart) -> list[Entry]:
    """Return the recorded actions that were accepted."""
    return [entry for entry in part.recorded if entry[0] == "do"]


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


def is_failure(entry: Entry) -> bool:
    """Return whether an entry ``seat`` says that a program failed: a skipped turn and a void match are no failures."""
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
        earlier = fields if id_ in born else old[id_]
        for name, value in fields.items():
            if name not in earlier or earlier[name] != value or type(earlier[name]) is not type(value):
                delta += (id_, name, value)
    for id_ in old:
        if id_ not in new:
            delta += (id_, "-", None)
    return delta
