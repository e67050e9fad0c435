"""Play a match in which one player is a program, and everything else comes from a replay.

In the player's parts of each turn, the rules carry out the program's actions. As long as these are the recorded
actions, the recorded dice are used. Other actions are undone at the end of the part, and the recorded actions are
carried out. The program receives the resulting differences as changes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from arena.game import Chance, Clock, GameSpec, Outcome, Scripted, Seeded, View
from arena.game.action import LEAVE
from arena.game.chance import Distribution
from arena.game.data import Number
from arena.match.ending import REGULAR, Ending
from arena.match.isolation import Level
from arena.match.job import Job, SeatAssignment
from arena.match.policy import Policy
from arena.referee.live_state import LiveState, Refusal
from arena.referee.match import FINISHED_BY_REFEREE, Match
from arena.referee.outputs import ActionEntry, Output, RefusalEntry
from arena.referee.seat import Phase, Seat
from arena.replaying.course import Course
from arena.replaying.difference import first_difference
from arena.replaying.recorded import accept
from arena_replays.documents import Entry, Footer, Header

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


class _Dice(Chance):
    """Returns the recorded draws while `script` is set, and new random draws otherwise."""

    def __init__(self, seed: str) -> None:
        super().__init__()
        self.script: Scripted | None = None
        self._other = Seeded(seed)

    def _answer(self, distribution: Distribution, label: str) -> Number:
        source = self._other if self.script is None else self.script
        value: Number = source._answer(distribution, label)
        return value


class _LiveState(LiveState):
    """Uses the recorded dice as long as the player does what was recorded.

    Attributes:
        part: The player's current part of a turn; None while others move.
    """

    part: RerunPart | None = None
    left = False
    dice: _Dice

    def push(self, seat: Seat, action: dict[str, Any], draws: list[Any]) -> Refusal | None:
        assert self.part is not None
        done = sum(entry[0] == "do" for entry in self.part.now)
        expected = [entry for entry in self.part.recorded if entry[0] == "do"][done:][:1]
        same = not self.left and bool(expected) and first_difference(expected[0][2], action) is None
        self.dice.script = Scripted(expected[0][3]) if same else None
        refusal = super().push(seat, action, draws)
        self.left = self.left or not (same or refusal is not None)
        return refusal


class RerunMatch(Match):
    """A match in which a program takes the place of one player of a replay.

    Args:
        footer: The footer of the replay; None if the replay has no end.
        last_turn: The match ends after this turn, from 1; None to play to the end of the record.
    """

    live: _LiveState

    def __init__(
        self,
        game: GameSpec,
        header: Header,
        seed: int | str,
        truth: Sequence[Entry],
        footer: Footer | None,
        player: int,
        last_turn: int | None = None,
    ) -> None:
        start = Course.of(game, header, list(truth[:1]))
        state = start.state
        players = header.get("players", [])
        seats = tuple(SeatAssignment("", one["name"], dict(one.get("settings", {}))) for one in players)
        job = Job(game.name, seats, seed=seed, leg=header.get("leg", 0))
        dice = _Dice(f"{job.play_seed}/rerun")
        times: dict[str, Any] = {**game.clock.to_document(), **header.get("clock", {})}
        clock = Clock(**times)
        levels = [one.get("isolation", {}).get("level", 0) for one in players]
        super().__init__(
            game,
            state,
            seats,
            dice,
            clock,
            Policy(**header.get("policy", {})),
            recorded=False,
            at_once=min(levels, default=0) >= Level.CGROUP,
            bot_seeds=[job.bot_seed(one) for one in range(len(seats))],
        )
        self.parts: list[RerunPart] = []
        self.player = player
        self.live = _LiveState(game, state, self.seats, dice, self._on_entry)
        self.live.dice = dice
        self._footer = footer
        self._last_turn = last_turn
        self._first = start.first_turn
        self._mark = 0
        self._at = 1
        self._truth, self._recorded_end = _own_part(truth, player)
        for seat in self.seats:
            if seat.player != player:
                seat.phase = Phase.GONE

    @property
    def recorded_end(self) -> tuple[str, str] | None:
        """The ending and detail of the recorded program; None if it did not fail."""
        return self._recorded_end

    def give_up(self, detail: str) -> None:
        """End the match, because the program does not answer."""
        if not self.over:
            seat = self.seats[self.player]
            self._fail(seat, "no_start" if seat.starting else "timed_out", detail, late=True)

    # -- what a match does ---------------------------------------------------------------------------

    def _ask(self) -> None:
        """Carry out the recorded actions up to the program's next part, and request the program's actions.

        If there is no next part, end the match.
        """
        seat = self.seats[self.player]
        if seat.asked:
            return
        self._close_part()
        state = self.state
        while (entry := self._next()) is not None and entry[1] != self.player:
            if self._at_once and self.player in state.to_move():
                self._ask_program(seat)  # for simultaneous moves, send the request before the others' actions
            self._carry_out_recorded(entry)
        number = state.turn_number() - self._first + 1
        past = self._last_turn is not None and number > self._last_turn
        past = past or (bool(self.parts) and self.parts[-1].last)
        if past or (entry is None and self._recorded_end is None) or self.player not in state.to_move():
            self._end_as_recorded()
        else:
            self._ask_program(seat)
            self._open_part(number)

    def _ask_program(self, seat: Seat) -> None:
        self._mover = seat
        self._ask_to_move(seat, self.state.turn_number(), 1)

    def _fail(self, seat: Seat, ending: Ending, detail: str, *, late: bool = False) -> None:
        seat.hang_up(ending, detail, late=late)
        if self.live.part is not None:
            self.live.part.end = seat.failure
        self._end(Outcome(None, "rerun"), void=True)

    # -- the record ----------------------------------------------------------------------------------

    def _next(self) -> Entry | None:
        """Return the next recorded action, refusal or leave; None at the end. Set the player's clock as recorded."""
        while self._at < len(self._truth):
            entry = self._truth[self._at]
            if entry[0] in (*PLAYED, "leave"):
                return entry
            if entry[0] == "turn" and entry[2] == self.player and entry[5] is not None:
                self.seats[self.player].clock.bank = entry[5] / 1e6
            self._at += 1
        return None

    def _carry_out_recorded(self, entry: Entry) -> None:
        self._at += 1
        if entry[0] == "refuse":
            return
        action, draws = (LEAVE, entry[2]) if entry[0] == "leave" else (entry[2], entry[3])
        mark = accept(self.state, entry[1], action, draws, Scripted(draws))
        self.live.publish(entry[1], action, draws, mark)

    def _open_part(self, number: int) -> None:
        recorded = []
        at = self._at
        while at < len(self._truth) and self._truth[at][0] in PLAYED and self._truth[at][1] == self.player:
            recorded.append(self._truth[at])
            at += 1
        rest = [entry[0] for entry in self._truth[at:]]
        cut = not rest or rest[0] == "seat" or "turn" not in rest
        last = cut and not any(kind in (*PLAYED, "leave") for kind in rest)
        end = self._recorded_end if last else None
        frame = sum(entry[0] in ("do", "leave") for entry in self._truth[: self._at])
        self.live.part = RerunPart(number, frame, recorded, end, last)
        self.parts.append(self.live.part)
        self.live.left = False
        self.live.commits = False
        self._mark = self.state.mark

    def _close_part(self) -> None:
        """End the current part. If the program did something else than was recorded, return to the recorded state."""
        part = self.live.part
        if part is None:
            return
        live, state = self.live, self.state
        live.part = None
        recorded = [entry for entry in part.recorded if entry[0] == "do"]
        if live.left or len(recorded) != sum(entry[0] == "do" for entry in part.now):
            before = state.view(self.player)
            state.pop(self._mark)
            for _, player, action, draws in recorded:
                accept(state, player, action, draws, Scripted(draws))
            self.seats[self.player].see(changes(before, state.view(self.player)), [])
        self._at += len(part.recorded)
        live.commits = True
        state.commit()

    def _on_entry(self, entry: Output) -> None:
        part = self.live.part
        if part is None:
            return
        if isinstance(entry, ActionEntry):
            part.now.append(["do", entry.player, entry.action, entry.draws])
        elif isinstance(entry, RefusalEntry):
            part.now.append(["refuse", *entry])

    # -- the end -------------------------------------------------------------------------------------

    def _end_as_recorded(self) -> None:
        recorded = self._footer and self._footer.get("outcome")
        outcome = Outcome.from_document(recorded) if recorded else Outcome(None, "rerun")
        endings = [one.get("ending", "") for one in (self._footer or {}).get("players", [])]
        for seat in self.seats:
            if seat.player < len(endings) and endings[seat.player] not in (*REGULAR, ""):
                seat.ending = endings[seat.player]  # type: ignore[assignment]
        self._end(outcome, void=not recorded)


def _own_part(truth: Sequence[Entry], player: int) -> tuple[list[Entry], tuple[str, str] | None]:
    """Return the entries before a player's program failed, and the program's ending and detail.

    If the program did not fail, return all entries and None. The ending ``void`` is no failure.
    """
    for at, entry in enumerate(truth):
        failed = entry[0] == "seat" and entry[2] != "void" and not entry[3].endswith(FINISHED_BY_REFEREE)
        if failed and entry[1] == player:
            return list(truth[:at]), (entry[2], entry[3])
    return list(truth), None


def changes(before: View, after: View) -> View:
    old, new = _objects(before), _objects(after)
    born: View = []
    changed: View = []
    for id_, fields in new.items():
        known = old.get(id_)
        if known is None or known["+"] != fields["+"]:
            born += (part for name, value in fields.items() for part in (id_, name, value))
        else:
            for name, value in fields.items():
                if name not in known or known[name] != value or type(known[name]) is not type(value):
                    changed += (id_, name, value)
    gone = [part for id_ in old if id_ not in new for part in (id_, "-", None)]
    return born + changed + gone


def _objects(view: View) -> dict[str, dict[str, Any]]:
    objects: dict[str, dict[str, Any]] = {}
    for id_, name, value in _triples(view):
        objects.setdefault(id_, {})[name] = value
    return objects


def _triples(view: View) -> Iterator[tuple[str, str, Any]]:
    return zip(view[0::3], view[1::3], view[2::3], strict=True)
