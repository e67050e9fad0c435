"""Tables: private dictionaries of the rules whose changes are journalled.

An index of what stands or is seen where can have the same key written many times in one action. The journal needs only
the value that each key had at the last mark, so it gets one entry for each key and action.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NoReturn, TypeVar

from arena.game.errors import GameError

K = TypeVar("K")
V = TypeVar("V")


class _Absent:
    """The class of `_ABSENT`, the old value of a key that was not there."""

    def __reduce__(self) -> str:
        return "_ABSENT"  # a copy is the same object


_ABSENT: Any = _Absent()


class Journal(list[Any]):
    """All changes of a state since its last commit.

    An entry is a tuple of three:

    * A change: the entity, the name of the field, the field's old value.
    * A creation: the entity, `CREATED`, None.
    * A removal: the entity, `REMOVED`, all entities by id before this and others were removed together.
    * An event: None, the players who receive it (None for everybody), the event.
    * A change of a table: None, the table, the key and the old value.

    Attributes:
        stretch: A number that changes with each mark, and with each removal of entries. Between two marks, the first
            entry of a key has the value to go back to.
    """

    __slots__ = ("stretch",)

    def __init__(self) -> None:
        self.stretch = 0

    def begin(self) -> int:
        """Return a mark: the number of entries up to now."""
        self.stretch += 1
        return len(self)


class Table(dict[K, V]):
    """A dictionary that writes the old value of each changed key to the state's journal, once between two marks.

    `pop` of a state can put keys back in another order, so a table refuses iteration.
    """

    __slots__ = ("_journal", "_noted", "_stretch")

    def __init__(self, journal: Journal, values: Mapping[K, V]) -> None:
        dict.update(self, dict.items(values) if isinstance(values, dict) else values)
        self._journal = journal
        self._noted: set[K] = set()
        self._stretch = -1

    def __setitem__(self, key: K, value: V) -> None:
        if self._stretch != self._journal.stretch or key not in self._noted:
            self._note(key, dict.get(self, key, _ABSENT))
        dict.__setitem__(self, key, value)

    def __delitem__(self, key: K) -> None:
        if self._stretch != self._journal.stretch or key not in self._noted:
            self._note(key, self[key])
        dict.__delitem__(self, key)

    def _note(self, key: K, old: V) -> None:
        journal = self._journal
        if self._stretch != journal.stretch:
            self._stretch = journal.stretch
            self._noted = set()
        self._noted.add(key)
        journal.append((None, self, (key, old)))

    def pop(self, key: K, default: Any = _ABSENT) -> Any:
        """Remove a key and return its value."""
        if default is not _ABSENT and key not in self:
            return default
        value = self[key]
        del self[key]
        return value

    def setdefault(self, key: K, default: Any = None) -> Any:
        """Return the value of a key; set it first if there is none."""
        if key not in self:
            self[key] = default
        return self[key]

    def update(self, *others: Any, **values: Any) -> None:
        """Set all keys of another dictionary, or of pairs."""
        for key, value in dict(*others, **values).items():
            self[key] = value

    def clear(self) -> None:
        """Remove all keys."""
        for key in list(dict.keys(self)):
            del self[key]

    def _refuse(self, *_: object) -> NoReturn:
        raise GameError(
            "A table has no order, since `pop` may change it. Look up single keys, or iterate over entities."
        )

    def __iter__(self) -> Iterator[K]:
        self._refuse()

    keys: Any = _refuse
    values: Any = _refuse
    items: Any = _refuse
    popitem: Any = _refuse
    __reversed__: Any = _refuse
    __ior__: Any = _refuse

    def revert(self, change: tuple[K, V]) -> tuple[K, V]:
        """Undo one journalled change, and return the change that redoes it."""
        key, old = change
        new = dict.get(self, key, _ABSENT)
        if old is _ABSENT:
            dict.pop(self, key, None)
        else:
            dict.__setitem__(self, key, old)
        return key, new


def pairs(table: Mapping[K, V]) -> Iterable[tuple[K, V]]:
    """Return keys and values of a table, in no order, for comparisons."""
    return dict.items(table) if isinstance(table, dict) else table.items()
