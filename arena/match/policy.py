"""The penalties for violations of the match rules, and the limits of recorded log texts and drawings."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

from arena.match.ending import CRASHES, Ending

Penalty = Literal["forfeit", "skip", "strike"]
FailurePenalty = Literal["forfeit", "void"]
_FAILURES = ("crash", "no_start")
_NO_PROGRAM: tuple[Ending, ...] = ("no_start", "no_build")


@dataclass(frozen=True, slots=True)
class Policy:
    """The penalties for violations in a match.

    Attributes:
        timeout: The penalty for a time-out. ``forfeit``: the player loses the match, or leaves a game for more than two
            players. ``skip``: the referee finishes the turn for the player. ``strike``: ``skip`` for the first
            time-outs, ``forfeit`` for time-out number `strikes`.
        strikes: The number of time-outs with which a player forfeits, if `timeout` is ``strike``.
        crash: The penalty if a program crashes or runs out of memory: ``forfeit`` (see `timeout`), or ``void``: the
            match does not count.
        no_start: The penalty if a program does not start or cannot be built: ``forfeit`` or ``void``.
        pause_idle: ``freeze`` stops a player's processes if they use the processor during another player's turn. With
            an empty text, these processes continue, and can slow down the other player.
        refusals_per_turn: The limit of refused actions in one turn. A player who exceeds it forfeits (see `timeout`).
        notes_per_turn: The limit of recorded entries for notes (log texts and drawings) in one turn of a player. When
            the limit is reached, the last entry only says that further notes were dropped.
        note_bytes_per_turn: The limit of the total size of a turn's notes, in bytes as sent on the wire. The note that
            exceeds the limit and all later notes of the turn are dropped.
        notes_per_request: The limit of notes with one answer. If a player exceeds it, the player's ending is
            ``bad_message``.
    """

    timeout: Penalty = "forfeit"
    strikes: int = 3
    crash: FailurePenalty = "forfeit"
    no_start: FailurePenalty = "forfeit"
    pause_idle: Literal["", "freeze"] = "freeze"
    refusals_per_turn: int = 100
    notes_per_turn: int = 100
    note_bytes_per_turn: int = 65_536
    notes_per_request: int = 64

    def to_document(self) -> dict[str, Any]:
        """Return plain values for headers and results. Omit `crash` and `no_start` if they have the default."""
        values = asdict(self)
        return {name: value for name, value in values.items() if name not in _FAILURES or value != "forfeit"}

    def voids(self, ending: Ending) -> bool:
        return ending in CRASHES and (self.no_start if ending in _NO_PROGRAM else self.crash) == "void"
