"""The turns, refusals and endings of a match, derived from the truth while it is read; and the notes."""

from __future__ import annotations

from dataclasses import dataclass
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
        refused: The number of refused actions before the note.
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
        digest: The first 8 bytes of the digest of the state after the turn; empty in most turns of a game with very
            many entities; None if the turn did not end.
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
    """The early end of a player's program, such as a crash or a time-out; or a turn that it lost by a time-out.

    Attributes:
        turn: Index of the turn.
        frame: The number of frames before the ending.
        player: The program's player.
        ending: The code of the ending.
        detail: The explanation for people.
        skipped: Whether the referee only finished the turn, and the program played on.
    """

    turn: int
    frame: int
    player: int
    ending: str
    detail: str
    skipped: bool


@dataclass(slots=True)
class History:
    """What the entries so far amount to. It tells the turns, refusals and endings in the entries.

    Attributes:
        entries: The number of entries.
        frames: The number of frames after the first one.
        turns: The number of turns that have ended.
        refusals: The number of refused actions.
        endings: The number of programs that ended early.
        number: The number of the last turn that ended; None if none did.
    """

    entries: int = 0
    frames: int = 0
    turns: int = 0
    refusals: int = 0
    endings: int = 0
    number: int | None = None
    _turn_start: int = 1
    _acting: int | None = None

    def take(self, entry: list[Any]) -> Turn | Refusal | Ending | None:
        """Take the next entry of the truth. Return what it stands for, if it is a turn, a refusal or an ending.

        Raises:
            ValueError: The kind of the entry is unknown, or a value in the entry has the wrong type.
        """
        found: Turn | Refusal | Ending | None = None
        match entry:
            case ["do", int(player), _, list()] | ["leave", int(player), list()]:
                self.frames += 1
                self._acts(player)
            case [
                "turn",
                int(number),
                int(player),
                int(wall),
                int() | None as cpu,
                int() | None as bank,
                bytes(digest),
            ]:
                last = self.frames + 1
                found = Turn(self.turns, number, player, self._turn_start, last, wall, cpu, bank, digest)
                self.turns += 1
                self.number, self._turn_start, self._acting = number, last, None
            case ["refuse", int(player), action, str(code), str(message)]:
                found = Refusal(self.turns, self.frames + 1, player, action, code, message)
                self.refusals += 1
                self._acts(player)
            case ["seat", int(player), str(ending), str(detail), bool(skipped)]:
                found = Ending(self.turns, self.frames + 1, player, ending, detail, skipped)
                self.endings += 1
            case ["setup", list()] | ["position", dict()]:
                pass
            case _:
                raise ValueError("an entry of the truth has an unknown kind")
        self.entries += 1
        return found

    def _acts(self, player: int) -> None:
        if self._acting is None:
            self._acting = player

    def open_turn(self) -> Turn | None:
        """Return the turn that has begun and has not ended, or None.

        Its number is a guess: one more than the number of the last turn.
        """
        if self._acting is None:
            return None
        number = 0 if self.number is None else self.number + 1
        return Turn(self.turns, number, self._acting, self._turn_start, self.frames + 1, None, None, None, None)
