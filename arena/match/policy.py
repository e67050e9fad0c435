"""The penalties for players who break the rules of the match, and limits of what a record keeps."""

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
    """How a match treats violations.

    Attributes:
        timeout: ``forfeit`` loses the match; in a game for more than two, this player leaves. ``skip`` lets the referee
            finish the turn in the player's name; ``strike`` skips, and the last of `strikes` loses.
        strikes: How many time-outs lose, under ``strike``.
        crash: ``forfeit`` as for time-outs, or ``void``: a match in which a program crashes or runs out of memory does
            not count.
        no_start: The same for a program that does not start, or cannot be built.
        pause_idle: ``freeze`` stops a player's processes when they use the processor while another player is asked. An
            empty text lets them think then, which takes time from the other player where wall time decides.
        refusals_per_turn: Refused actions are free, but with one more than this in one turn the match is lost.
        notes_per_turn: Log texts and drawings recorded per turn; further ones are dropped.
        note_bytes_per_turn: Bytes of them recorded per turn, as they are on the wire.
        notes_per_request: Notes that may precede one answer; more are a flood, and a bad message.
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
        """Return plain values for headers and results, without the usual penalties of failures."""
        values = asdict(self)
        return {name: value for name, value in values.items() if name not in _FAILURES or value != "forfeit"}

    def voids(self, ending: Ending) -> bool:
        """Return whether a match in which this happens to a player does not count."""
        return ending in CRASHES and (self.no_start if ending in _NO_PROGRAM else self.crash) == "void"
