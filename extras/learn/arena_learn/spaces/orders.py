"""Lists of orders as numbers: the orders of one action for many units, each a row of the unit and what it does.

A form of `legal_actions` has groups of orders, and a list takes at most one of each. The list is made order by order
(`take`), or from one number for each row (`together`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from arena_learn.spaces.layout import WAIT, ActionType
from arena_learn.spaces.tracker import Tracker

if TYPE_CHECKING:
    from arena.game import Document


@dataclass(slots=True)
class Pending:
    """A list that is being made.

    Attributes:
        form: The form; empty if the player cannot give orders.
        groups: Its groups that have orders.
        group_of: The group of each number.
        chosen: The orders of the list so far, by number.
    """

    form: Document = field(default_factory=dict)
    groups: list[Sequence[Any]] = field(default_factory=list)
    group_of: dict[int, int] = field(default_factory=dict)
    chosen: dict[int, Any] = field(default_factory=dict)


class Orders:
    """The orders of one player.

    Args:
        kind: The type of the action with the list.
        tracker: What the player sees. Its numbers also say which order each unit has got in the list.
        encode: Returns the number of an order from its fields by name; -1 if it has none.

    Attributes:
        pending: The list that is being made.
    """

    def __init__(self, kind: ActionType, tracker: Tracker, encode: Callable[[Document], int]) -> None:
        self.kind = kind
        self.pending = Pending()
        self._tracker = tracker
        self._encode = encode
        self._has_tile = any(name.endswith(".x") for name in kind.fields)
        self._unit = kind.fields.index(kind.receiver)
        self._places: dict[Any, int] = {}
        if len(kind.fields) == 2 and len(kind.parameters) == 1 and kind.parameters[0].kind == "value":
            self._places = {value: number for number, value in enumerate(kind.parameters[0].values)}

    def forget(self) -> None:
        """Begin anew, without a form."""
        for number in self.pending.chosen:
            self._show(number, given=False)
        self.pending = Pending()

    def note(self, action: Document, legal: dict[int, Any]) -> int:
        """Take a form, add its orders to what is legal, and return how many have no number."""
        groups = _groups(action[self.kind.orders])
        if groups is None:  # a list as it is, with nothing to choose
            legal[WAIT] = action
            return 0
        self.pending = Pending(action, [group for group in groups if group])
        group_of, count = self.pending.group_of, 0
        for place, (group, numbers) in enumerate(zip(self.pending.groups, self._numbered(), strict=True)):
            count += len(group)
            legal.update(zip(numbers, group, strict=True))
            group_of.update(dict.fromkeys(numbers, place))
        legal.pop(-1, None)
        group_of.pop(-1, None)
        self._offer_end(legal)
        return count - len(group_of)

    def _numbered(self) -> Iterator[list[int]]:
        """Yield the numbers of the orders of each group; -1 for those that have none.

        A turn can have thousands of orders, and most are a unit and one value. These are looked up.
        """
        if not self._places:
            for group in self.pending.groups:
                yield list(map(self._read, group))
            return
        unit, other = self._unit, 1 - self._unit
        first, size, places = self.kind.first, self.kind.values, self._places
        ids = self._tracker.rows[self.kind.of].ids[: self.kind.rows]
        firsts = {id_: first + row * size for row, id_ in enumerate(ids)}
        for group in self.pending.groups:
            try:
                yield [firsts[item[unit]] + places[item[other]] for item in group]
            except KeyError:
                yield list(map(self._read, group))

    def take(self, number: int, legal: dict[int, Any]) -> dict[int, Any]:
        """Add a legal order to the list, and return what is legal then."""
        pending = self.pending
        pending.chosen[number] = legal[number]
        self._show(number)
        group_of = pending.group_of
        group = group_of[number]
        left = {other: item for other, item in legal.items() if group_of.get(other, group) != group}
        self._offer_end(left)
        return left

    def numbers(self, action: Document) -> tuple[int, ...]:
        """Return the numbers that make a list, with the one that ends it; none if an order has no number."""
        found = tuple(map(self._read, action[self.kind.orders]))
        return () if min(found, default=0) < 0 else (*found, WAIT)

    def rows(self, mask: NDArray[np.int8], shape: tuple[int, int]) -> NDArray[np.int8]:
        """Return what is legal for each row: see `Actions.rows`.

        Args:
            mask: What is legal, by number.
            shape: The shape of the result.
        """
        kind = self.kind
        made = np.zeros(shape, np.int8)
        units = made[-kind.rows :]
        units[:, 1 : 1 + kind.values] = mask[kind.first :].reshape(kind.rows, kind.values)
        units[:, 0] = ~units[:, 1:].any(1) if self._needs_all() else 1
        if len(made) > kind.rows:
            made[0, : kind.first] = mask[: kind.first]
            made[0, 0] = bool(self.pending.form) or not mask[1:].any()
        return made

    def together(self, units: Sequence[int], legal: dict[int, Any]) -> Document | None:
        """Return the action of one number for each row; None if it is illegal."""
        found: Document | None = legal.get(WAIT)
        if not self.pending.form or not any(units):
            return found
        first, step, group_of = self.kind.first - 1, self.kind.values, self.pending.group_of
        chosen: list[Any] = []
        used: set[int] = set()
        for row, value in enumerate(units):
            if value:
                number = first + row * step + value
                group = group_of.get(number, -1) if value <= step else -1
                if group < 0 or group in used:
                    return None
                used.add(group)
                chosen.append(legal[number])
        return self._with(chosen, used)

    def _needs_all(self) -> bool:
        return bool(self.pending.form.get(self.kind.orders, {}).get("all"))

    def _offer_end(self, legal: dict[int, Any]) -> None:
        """Make number 0 legal if the list can end here."""
        if not self.pending.form:
            return
        used = {self.pending.group_of[number] for number in self.pending.chosen}
        action = self._with(list(self.pending.chosen.values()), used)
        if action is not None:
            legal[WAIT] = action

    def _with(self, chosen: list[Any], used: set[int]) -> Document | None:
        """Return the action with these orders; None if it needs more of them.

        If it needs an order of every group, the groups without any number get their first one.
        """
        pending, name = self.pending, self.kind.orders
        if self._needs_all():
            missing = set(range(len(pending.groups))) - used
            if not missing.isdisjoint(pending.group_of.values()):
                return None
            chosen = chosen + [pending.groups[place][0] for place in sorted(missing)]
        return pending.form | {name: chosen}

    def _show(self, number: int, *, given: bool = True) -> None:
        """Write into the unit's row which order it has got: the last column of its table."""
        row, value = divmod(number - self.kind.first, self.kind.values)
        table = self._tracker.rows[self.kind.of].table
        self._tracker.numbers[table.first + (row + 1) * table.width - 1] = (
            (value + 1) / self.kind.values if given else 0
        )

    def _read(self, item: Any) -> int:
        """Return the number of an order as it stands in a list; -1 if it has none."""
        parts = item
        if self._has_tile:
            parts = [part for one in item for part in (one if isinstance(one, list | tuple) else (one,))]
        return self._encode(dict(zip(self.kind.fields, parts, strict=True)))


def _groups(value: Any) -> list[Sequence[Any]] | None:
    from arena.game import choices_of  # the import is slow, and few games have lists

    groups: Any = choices_of(value)
    found: list[Sequence[Any]] | None = groups
    return found


def item_of(document: Document, fields: Sequence[str]) -> list[Any]:
    """Return an order as it stands in a list, from its fields by name. The two fields of a tile are one item there."""
    made: list[Any] = []
    for name in fields:
        if name.endswith(".x"):
            made.append([document[name], document[name[:-1] + "y"]])
        elif not name.endswith(".y"):
            made.append(document[name])
    return made
