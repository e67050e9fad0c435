"""Lessons: what a game can say about the mistakes in a lost match.

A detector is a function over the turns of one player, with the states before and after each turn. It yields `Mistake`s
and may be wrong about their weight: `arena explain` plays each on with and without the mistake, and shows only those
that cost something. So a detector has no threshold for what is bad, only for what is recognizable.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from arena.game.kinds import Document
from arena.game.state import State

StateT = TypeVar("StateT", bound=State)


@dataclass(frozen=True, slots=True)
class PlayerTurn(Generic[StateT]):
    """One turn of a player in a recorded match. The states are for reading only.

    Attributes:
        number: The number of the turn in the replay, from 1.
        player: Whose turn it is.
        actions: The accepted actions of the player in this turn, in their order.
        before: The state in which the player began the turn. If players move at the same time, nobody has moved yet.
        after: The state after the turn, with what the rules did at its end. If players move at the same time, all have
            moved.
        later: The state in which the player's next turn begins; the end of the match after the last turn.
    """

    number: int
    player: int
    actions: Sequence[Document]
    before: StateT
    after: StateT
    later: StateT

    def without(self, *actions: Document) -> list[Document]:
        """Return the actions of the turn without some of them: what a player does who leaves these out."""
        return [action for action in self.actions if action not in actions]


@dataclass(frozen=True, slots=True)
class Mistake:
    """What a detector has found.

    At most one of `better` and `missing` is given. Without both, the better line is what the strongest built-in bot
    that is fast enough would have done in the first of the turns.

    Attributes:
        text: One or two sentences to the player, in the words of the game: what happened and what is better. For
            example "You called in Sharpshooter c7 onto your own man c3, who lost 5 health." The turns are said beside
            it.
        turns: The numbers of the turns in which it happened, in order. The line begins to differ in the first one.
        better: All actions of the first turn as they should have been.
        missing: The orders that were not given in these turns: the keys and values that they have in common, for
            example ``{"type": "call_in"}`` or ``{"cowboy": "c3"}``; empty for orders of any kind.
        units: The ids of the entities that the mistake is about.
    """

    text: str
    turns: Sequence[int]
    better: Sequence[Document] | None = None
    missing: Mapping[str, Any] | None = None
    units: Sequence[str] = ()


Detector = Callable[[Sequence[PlayerTurn[Any]]], Iterator[Mistake]]
"""Finds one kind of mistake in all turns of one player, in their order. The name of the function names the kind. If a
detector yields several mistakes, the text of the dearest one is shown, with their number."""
