"""The tree of a search: what each player can do after a sequence of actions, and how it went."""

from __future__ import annotations

from collections.abc import Hashable
from math import log, sqrt
from random import Random
from typing import Any

Document = dict[str, Any]
Key = Hashable

LATER = 8.0
"""At most so many visits are the results of the same action later in the turn worth."""
SURE, UNSURE = 100.0, 20.0
"""So many visits is a look one action ahead worth: far less noise than in a playout, unless it depends on dice or on a
guess at what is hidden."""
OFTEN = 0.3
"""The best action is one that has at least this share of the visits of the most visited one."""
EXPLORATION = 0.7
"""The weight of actions that were seldom tried, in standard deviations of the results."""


def key_of(action: Document) -> Key:
    """Return the name of an action in tables. The order of the document's entries does not matter."""
    try:
        return frozenset(action.items())
    except TypeError:  # a list
        return str(sorted(action.items()))


class Arm:
    """An action of a player in a node.

    Attributes:
        key: The name of the action.
        visits: The number of playouts that took the action here.
        total: The sum of their results for the player.
        later_visits: The number of playouts in which the player took the action here or later in the same turn.
        later_total: The sum of their results.
        looks: The weight of all looks at the position right after the action.
        gain: The mean of how much better it is there than before the action.
    """

    __slots__ = ("action", "gain", "key", "later_total", "later_visits", "looks", "total", "visits")

    def __init__(self, action: Document, key: Key) -> None:
        self.action = action
        self.key = key
        self.visits = self.later_visits = 0
        self.total = self.later_total = 0.0
        self.looks = self.gain = 0.0

    @property
    def mean(self) -> float:
        """The mean of the results; 0 without any."""
        return self.total / self.visits if self.visits else 0.0

    def prospects(self, mean: float) -> tuple[float, float]:
        """Return what the action promises, and how many visits that is worth.

        Args:
            mean: The mean of all results in the table.
        """
        known, total = float(self.visits), self.total
        if later := self.later_visits:
            weight = LATER * later / (later + LATER)
            known += weight
            total += weight * self.later_total / later
        known += self.looks
        total += self.looks * (mean + self.gain)
        return (total / known if known else mean), known

    def look(self, gain: float, weight: float) -> None:
        """Record a look."""
        self.looks += weight
        self.gain += (gain - self.gain) * weight / self.looks


class Table:
    """The actions of one player in a node.

    Attributes:
        listed_at: The number of visits when the legal actions were listed last.
    """

    __slots__ = ("arms", "listed_at", "visits")

    def __init__(self) -> None:
        self.arms: dict[Key, Arm] = {}
        self.visits = 0
        self.listed_at = 0

    def select(self, rng: Random, mean: float, spread: float) -> Arm:
        """Return the action with the best prospects: it went well, or it was seldom tried (an upper bound).

        Args:
            rng: Decides between equals.
            mean: The mean of all results.
            spread: The standard deviation of all results.
        """
        best, most = None, -1e30
        scale = EXPLORATION * spread * sqrt(log(self.visits + 2))
        for arm in self.arms.values():
            value, known = arm.prospects(mean)
            value += scale / sqrt(known + 0.3) + 1e-9 * rng.random()
            if value > most:
                best, most = arm, value
        assert best is not None
        return best

    def best(self, mean: float) -> Arm:
        """Return the action with the best prospects among those that were visited often.

        Args:
            mean: The mean of all results.
        """
        enough = max(arm.visits for arm in self.arms.values()) * OFTEN
        often = [arm for arm in self.arms.values() if arm.visits >= enough]
        return max(often, key=lambda arm: (arm.prospects(mean)[0], arm.visits))

    def learn(self, arm: Arm, value: float) -> None:
        """Record a result of an action."""
        self.visits += 1
        arm.visits += 1
        arm.total += value

    def learn_later(self, key: Key, value: float) -> None:
        """Record a result of an action that was taken here or later in the turn."""
        arm = self.arms.get(key)
        if arm is not None:
            arm.later_visits += 1
            arm.later_total += value


class Node:
    """The position after a sequence of actions. Dice and hidden things can differ from visit to visit."""

    __slots__ = ("children", "tables")

    def __init__(self) -> None:
        self.tables: dict[int, Table] = {}
        self.children: dict[tuple[Key, ...], Node] = {}

    def table(self, player: int) -> Table:
        """Return the actions of a player."""
        found = self.tables.get(player)
        if found is None:
            found = self.tables[player] = Table()
        return found

    def child(self, keys: tuple[Key, ...]) -> Node:
        """Return the node after an action of each player to move."""
        found = self.children.get(keys)
        if found is None:
            found = self.children[keys] = Node()
        return found
