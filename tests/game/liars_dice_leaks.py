"""Variants of Liar's dice that let a player know what is hidden."""

from __future__ import annotations

from typing import Any

from liars_dice_game import Liars

from arena.game import State, field


class Shouts(Liars):
    """Tells everybody what was rolled."""

    def roll(self) -> None:
        super().roll()
        self.event("rolled", dice=[list(cup.dice) for cup in self.cups])


class Sums(Liars):
    """Shows the sum of all dice under a cup, which is the die itself if there is one."""

    sums: tuple[int, ...] = field("The sum under each cup.", ())

    def roll(self) -> None:
        super().roll()
        self.sums = tuple(sum(cup.dice) for cup in self.cups)

    def to_document(self) -> dict[str, Any]:
        return super().to_document() | {"sums": list(self.sums)}

    def load(self, document: dict[str, Any]) -> None:
        super().load(document)
        self.sums = tuple(document["sums"])


LEAKS: list[tuple[type[State], str]] = [(Shouts, "events[1].dice"), (Sums, "game.sums")]
"""Each leak, and words of the finding."""
