"""Lessons: what a game can say about the mistakes in a lost match.

A detector is a function over the turns of one player, with the states before and after each turn. It yields `Mistake`s
and may be wrong about their weight: `arena explain` plays each on with and without the mistake, and shows only those
that cost something. So a detector has no threshold for what is bad, only for what is recognizable.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from arena.game.chance import Seeded
from arena.game.errors import IllegalAction
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
        part: In a game in which others act within a turn of a player, each stretch between them has a `PlayerTurn` with
            the same number; this is its place, from 0.
    """

    number: int
    player: int
    actions: Sequence[Document]
    before: StateT
    after: StateT
    later: StateT
    part: int = 0

    def without(self, *actions: Document) -> list[Document]:
        """Return the actions of the turn without some of them: what a player does who leaves these out."""
        return [action for action in self.actions if action not in actions]

    def played(
        self, actions: Sequence[Document], dropped: Collection[str] | None = None
    ) -> tuple[StateT, list[Document]]:
        """Play actions from the start of the turn, with dice of their own. Leave out those that are refused.

        Args:
            actions: The actions, in their order.
            dropped: The codes of the refusals that do not depend on dice. Actions that are refused for another reason
                are kept in the list: in the match they may be legal. If None, all refused actions are left out.

        Returns:
            The state after the actions, and the actions that are left.
        """
        state, chance, left = self.before.clone(), Seeded("lessons"), []
        for action in actions:
            try:
                state.push(self.player, action, chance)
            except IllegalAction as refusal:
                if dropped is None or refusal.code in dropped:
                    continue
            left.append(action)
        return state, left


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
            example ``{"type": "call_in"}`` or ``{"cowboy": ["c3", "c5"]}``, where a list stands for any of its values;
            empty for orders of any kind.
        units: The ids of the entities that the mistake is about.
        part: The `part` of the first turn, if others act within turns.
    """

    text: str
    turns: Sequence[int]
    better: Sequence[Document] | None = None
    missing: Mapping[str, Any] | None = None
    units: Sequence[str] = ()
    part: int = 0


Detector = Callable[[Sequence[PlayerTurn[Any]]], Iterator[Mistake]]
"""Finds one kind of mistake in all turns of one player, in their order. The name of the function names the kind. If a
detector yields several mistakes, the text of the dearest one is shown, with their number."""
