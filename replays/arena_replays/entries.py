"""What happened in a match: turns, refusals, endings and notes, put together from the truth as it is read."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Note:
    """Something a bot said: a log line, a drawing, or a piece of its output.

    Attributes:
        turn: Index of the turn during which it came.
        frame: How many frames there were at that moment.
        player: Whose bot.
        kind: ``log``, ``draw``, ``stdout`` or ``stderr``.
        payload: Text, or a list of shapes.
    """

    turn: int
    frame: int
    player: int
    kind: str
    payload: Any


@dataclass(frozen=True, slots=True)
class Refusal:
    """A refused action.

    Attributes:
        turn: Index of the turn.
        frame: How many frames there were at that moment.
        player: Who tried.
        action: What he tried.
        code: Why not, as a word.
        message: Why not.
    """

    turn: int
    frame: int
    player: int
    action: Any
    code: str
    message: str


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn of one player.

    Attributes:
        index: Ordinal in the file, from 0.
        number: The game's own number of it.
        player: Whose turn it was (-1 where a turn was cut short before anything was done).
        first: The first frame of the turn (its first accepted action).
        last: One past its last frame.
        wall_us: Time used, or None where the turn did not end.
        cpu_us: Processor time used, where it was measured.
        bank_us: What was left in the bank afterwards.
        digest: The first 8 bytes of the state's digest afterwards, or None where the turn did not end.
    """

    index: int
    number: int
    player: int
    first: int
    last: int
    wall_us: int | None
    cpu_us: int | None
    bank_us: int | None
    digest: bytes | None


@dataclass(frozen=True, slots=True)
class Ending:
    """How a player's program came to an end of its own (a crash, a time-out), and when.

    Attributes:
        turn: Index of the turn.
        frame: How many frames there were at that moment.
        player: Whose program.
        ending: What happened, as a word.
        detail: What happened, for people.
    """

    turn: int
    frame: int
    player: int
    ending: str
    detail: str


@dataclass(slots=True)
class History:
    """All that the truth and the notes of a file say, as far as it has been read.

    Attributes:
        truth: The entries themselves.
        notes: What bots said.
        turns: The turns that have ended.
        refusals: Refused actions.
        endings: Programs that came to an end of their own.
    """

    truth: list[list[Any]] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    turns: list[Turn] = field(default_factory=list)
    refusals: list[Refusal] = field(default_factory=list)
    endings: list[Ending] = field(default_factory=list)
    _done: int = 0
    _turn_start: int = 1

    def take(self, entry: list[Any]) -> None:
        """Takes in one more entry of the truth.

        Raises:
            ValueError: It is of no known kind.
        """
        here = (len(self.turns), self._done + 1)
        match entry:
            case ["setup", list()]:
                pass
            case ["do", int(), _, list()]:
                self._done += 1
            case ["refuse", int(player), action, str(code), str(message)]:
                self.refusals.append(Refusal(*here, player, action, code, message))
            case [
                "turn",
                int(number),
                int(player),
                int(wall),
                int() | None as cpu,
                int() | None as bank,
                bytes(digest),
            ]:
                last = self._done + 1
                turn = Turn(len(self.turns), number, player, self._turn_start, last, wall, cpu, bank, digest)
                self.turns.append(turn)
                self._turn_start = last
            case ["seat", int(player), str(ending), str(detail)]:
                self.endings.append(Ending(*here, player, ending, detail))
            case _:
                raise ValueError("an entry of the truth is of no known kind")
        self.truth.append(entry)

    def open_turn(self) -> Turn | None:
        """The turn that was begun and has not ended, or None."""
        tail = []
        for entry in reversed(self.truth):
            if entry[0] == "turn":
                break
            if entry[0] in ("do", "refuse"):
                tail.append(entry)
        if not tail:
            return None
        number = self.turns[-1].number + 1 if self.turns else 0
        index = len(self.turns)
        return Turn(index, number, tail[-1][1], self._turn_start, self._done + 1, None, None, None, None)
