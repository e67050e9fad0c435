"""What it costs a player to break the rules of the match (those of the game are the game's matter)."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

Penalty = Literal["forfeit", "skip", "strike"]


@dataclass(frozen=True, slots=True)
class Policy:
    """How a match treats offences.

    Attributes:
        timeout: ``forfeit`` loses the match; ``skip`` lets the referee finish the turn in the player's name; ``strike``
            skips, and the last of `strikes` loses.
        strikes: How many time-outs lose, under ``strike``.
        pause_idle: ``freeze`` stops a player's processes when they use the processor while another player is asked. An
            empty text lets them think then, which takes time from the other player where wall time decides.
        refusals_per_turn: Refused actions are free, but with one more than this in one turn the match is lost.
        notes_per_turn: Log texts and drawings recorded per turn; further ones are dropped.
        note_bytes_per_turn: Bytes of them recorded per turn, as they are on the wire.
        notes_per_request: Notes that may precede one answer; more are a flood, and a bad message.
    """

    timeout: Penalty = "forfeit"
    strikes: int = 3
    pause_idle: Literal["", "freeze"] = "freeze"
    refusals_per_turn: int = 100
    notes_per_turn: int = 100
    note_bytes_per_turn: int = 65_536
    notes_per_request: int = 64

    def to_document(self) -> dict[str, Any]:
        """Return plain values for headers and results."""
        return asdict(self)
