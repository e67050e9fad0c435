"""Variants of Lowest bid that let a player know what is hidden."""

from __future__ import annotations

from typing import Any

from lowest_bid_game import Bidder, LowestBid

from arena.game import State, field


class ShowsLast(LowestBid):
    """Shows the last number that was chosen."""

    last: int = field("The last number.", 0)

    def choose(self, bidder: Bidder, number: int) -> None:
        super().choose(bidder, number)
        self.last = number

    def to_document(self) -> dict[str, Any]:
        return super().to_document() | {"last": self.last}

    def load(self, document: dict[str, Any]) -> None:
        super().load(document)
        self.last = document["last"]


LEAKS: list[tuple[type[State], str]] = [(ShowsLast, "game.last")]
"""Each leak, and words of the finding."""
