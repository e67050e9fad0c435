"""Truth entries as columns: actions, draws, refusals, and times. The writer writes rows; early recordings have columns.

A chunk of truth is a map: ``kinds`` is a column with the first element of every entry. For each kind there is a
map of columns in the order of the entries; `_KINDS` names them. ``actions`` is a table of maps, in which a map whose
only key is the empty string stands for that key's value. ``bank`` holds gains: the bank is the gain, and the bank of
the same player's last turn in this chunk (0 at first, and after null), less ``wall``; null stays null.

Notes are a map of the columns ``turn``, ``frame``, ``player``, ``kind``, ``payload`` and, unless all are 0,
``refused``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from arena_replays import columns
from arena_replays.documents import Entry
from arena_replays.limits import Budget

UnpackRows = Callable[[Any, int, Budget], Any]


def unpack(packed: Any, count: int, budget: Budget) -> list[Entry]:
    """Return the entries of a chunk of ``count`` entries.

    Raises:
        TooMuchError: The chunk has more values than the budget allows.
        ValueError: The value is not such a chunk (or KeyError, TypeError, IndexError from its parts).
    """
    kinds = columns.unpack_column(packed["kinds"], count, budget)
    rows: dict[str, Iterator[Entry]] = {}
    for kind, unpack_kind in _KINDS.items():
        number = kinds.count(kind)
        if number:
            rows[kind] = iter([[kind, *row] for row in unpack_kind(packed[kind], number, budget)])
    return columns.interleave(rows, kinds)


def _plain(*names: str) -> UnpackRows:
    def unpack_rows(packed: Any, count: int, budget: Budget) -> Any:
        return zip(*(columns.unpack_column(packed[name], count, budget) for name in names), strict=True)

    return unpack_rows


def _actions(*names: str) -> UnpackRows:
    """Return a function that unpacks rows of player, action and further columns."""
    unpack_others = _plain("player", *names)

    def unpack_rows(packed: Any, count: int, budget: Budget) -> Any:
        actions = columns.unpack_maps(packed["actions"], count, budget)
        for action, (player, *others) in zip(actions, unpack_others(packed, count, budget), strict=True):
            yield [player, action[""] if list(action) == [""] else action, *others]

    return unpack_rows


def _unpack_turns(packed: Any, count: int, budget: Budget) -> Iterator[Entry]:
    names = ("number", "player", "wall", "cpu", "bank", "digest")
    before: dict[int, int] = {}
    values = (columns.unpack_column(packed[name], count, budget) for name in names)
    for number, player, wall, cpu, gain, digest in zip(*values, strict=True):
        bank = None if gain is None else columns.whole(gain) + before.get(player, 0) - columns.whole(wall)
        before[player] = bank or 0
        yield [number, player, wall, cpu, bank, digest]


_unpack_flagged = _plain("player", "ending", "detail", "skipped")


def _unpack_seats(packed: Any, count: int, budget: Budget) -> Any:
    # Recordings with columns are older than the flag.
    return _unpack_flagged({"skipped": [0, False], **packed}, count, budget)


_KINDS = {
    "setup": _plain("draws"),
    "position": _plain("state"),
    "do": _actions("draws"),
    "leave": _plain("player", "draws"),
    "refuse": _actions("code", "message"),
    "turn": _unpack_turns,
    "seat": _unpack_seats,
}
