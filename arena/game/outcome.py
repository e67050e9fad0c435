"""How a game ended."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from arena.game.values import OutcomeDocument


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a game.

    Attributes:
        winner: The player who won; None for a draw.
        reason: The specification's words for why.
        ranks: For more than two players: each player's rank, 1 is best; empty where `winner` says it all.
    """

    winner: int | None
    reason: str
    ranks: tuple[int, ...] = ()

    def to_document(self) -> OutcomeDocument:
        """Return the outcome as the specifications write it."""
        document: OutcomeDocument = {"winner": self.winner, "reason": self.reason}
        if self.ranks:
            document["ranks"] = list(self.ranks)
        return document

    @classmethod
    def from_document(cls, document: Mapping[str, Any]) -> Outcome:
        """Read back what `to_document` wrote."""
        return cls(document["winner"], document["reason"], tuple(document.get("ranks", ())))

    def points(self, player: int) -> float:
        """Return 1 for a win, 0.5 for a draw, 0 for a loss (ranked games: the share of opponents beaten)."""
        if self.ranks:
            others = [rank for other, rank in enumerate(self.ranks) if other != player]
            own = self.ranks[player]
            return sum(1.0 if own < rank else 0.5 if own == rank else 0.0 for rank in others) / len(others)
        return 0.5 if self.winner is None else float(self.winner == player)
