"""The history of a match: turns, refusals and endings, derived from the truth while it is read; and the notes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Note:
    """A log line, a drawing or a piece of output of a bot.

    Attributes:
        turn: Index of the turn that the note belongs to.
        frame: The number of frames before the note.
        player: The number of the bot's player.
        kind: ``log``, ``draw``, ``stdout`` or ``stderr``.
        payload: Text, or a list of shapes.
        refused: The number of refused actions before the note; 0 in older files.
    """

    turn: int
    frame: int
    player: int
    kind: str
    payload: Any
    refused: int = 0


@dataclass(frozen=True, slots=True)
class Refusal:
    """A refused action.

    Attributes:
        turn: Index of the turn.
        frame: The number of frames before the refusal.
        player: The player who submitted the action.
        action: The action.
        code: The code of the reason.
        message: The reason, for people.
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
        number: The turn number of the game.
        player: The player who had to act.
        first: The first frame of the turn (its first accepted action).
        last: One past its last frame.
        wall_us: Wall time used, in microseconds; None if the turn did not end.
        cpu_us: CPU time used, in microseconds; None if it was not measured, or if the turn did not end.
        bank_us: Time left in the bank after the turn, in microseconds; None without a bank, or if the turn did not end.
        digest: The first 8 bytes of the digest of the state after the turn, or None if the turn did not end.
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
    """The early end of a player's program, such as a crash or a time-out.

    Attributes:
        turn: Index of the turn.
        frame: The number of frames before the ending.
        player: The program's player.
        ending: The code of the ending.
        detail: The explanation for people.
    """

    turn: int
    frame: int
    player: int
    ending: str
    detail: str


@dataclass(slots=True)
class ReplayHistory:
    """The turns, refusals, endings and notes read so far.

    Attributes:
        truth: All entries of the truth.
        notes: Logs, drawings and output of bots.
        turns: The turns that have ended.
        refusals: Refused actions.
        endings: Programs that ended early.
    """

    truth: list[list[Any]] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    turns: list[Turn] = field(default_factory=list)
    refusals: list[Refusal] = field(default_factory=list)
    endings: list[Ending] = field(default_factory=list)
    _done: int = 0
    _turn_start: int = 1

    def take(self, entry: list[Any]) -> None:
        """Add one entry of the truth.

        Raises:
            ValueError: The kind of the entry is unknown, or a value in the entry has the wrong type.
        """
        here = (len(self.turns), self._done + 1)
        match entry:
            case ["setup", list()] | ["position", dict()]:
                pass
            case ["do", int(), _, list()] | ["leave", int(), list()]:
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
                raise ValueError("an entry of the truth has an unknown kind")
        self.truth.append(entry)

    def open_turn(self) -> Turn | None:
        """Return the turn that has begun and has not ended, or None.

        Its number is a guess: one more than the number of the last turn.
        """
        tail = []
        for entry in reversed(self.truth):
            if entry[0] == "turn":
                break
            if entry[0] in ("do", "leave", "refuse"):
                tail.append(entry)
        if not tail:
            return None
        number = self.turns[-1].number + 1 if self.turns else 0
        index = len(self.turns)
        return Turn(index, number, tail[-1][1], self._turn_start, self._done + 1, None, None, None, None)
