"""Truth entries as columns: actions, draws, refusals, and times.

A chunk of truth is a map: ``kinds`` is a column with the first element of every entry. For each kind there is a
map of columns in the order of the entries. Kinds: setup, position, do, leave, refuse, turn, seat.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from arena_replays import columns
from arena_replays.limits import Budget

Entry = list[Any]
PackRows = Callable[[list[Entry]], Any]
UnpackRows = Callable[[Any, int, Budget], Any]


def pack(entries: Sequence[Entry]) -> dict[str, Any]:
    """Convert entries to columns."""
    packed: dict[str, Any] = {"kinds": columns.pack_column([entry[0] for entry in entries])}
    for kind, (pack_kind, _) in _KINDS.items():
        rows = [entry[1:] for entry in entries if entry[0] == kind]
        if rows:
            packed[kind] = pack_kind(rows)
    return packed


def unpack(packed: Any, count: int, budget: Budget) -> list[Entry]:
    """Return the entries of a chunk of ``count`` entries.

    Raises:
        TooMuchError: The chunk has more values than the budget allows.
        ValueError: The value is not such a chunk (or KeyError, TypeError, IndexError from its parts).
    """
    kinds = columns.unpack_column(packed["kinds"], count, budget)
    rows: dict[str, Iterator[Entry]] = {}
    for kind, (_, unpack_kind) in _KINDS.items():
        number = kinds.count(kind)
        if number:
            rows[kind] = iter([[kind, *row] for row in unpack_kind(packed[kind], number, budget)])
    return columns.interleave(rows, kinds)


def _pack_plain(*names: str) -> tuple[PackRows, UnpackRows]:
    def pack_rows(rows: list[Entry]) -> dict[str, Any]:
        return {name: columns.pack_column([row[at] for row in rows]) for at, name in enumerate(names)}

    def unpack_rows(packed: Any, count: int, budget: Budget) -> Any:
        return zip(*(columns.unpack_column(packed[name], count, budget) for name in names), strict=True)

    return pack_rows, unpack_rows


def _pack_actions(*names: str) -> tuple[PackRows, UnpackRows]:
    """Return functions that pack and unpack rows of player, action and further columns."""
    pack_others, unpack_others = _pack_plain("player", *names)

    def pack_rows(rows: list[Entry]) -> dict[str, Any]:
        others: dict[str, Any] = pack_others([[row[0], *row[2:]] for row in rows])
        actions = [_as_map(row[1]) for row in rows]
        return {"actions": columns.pack_maps(actions), **others}

    def unpack_rows(packed: Any, count: int, budget: Budget) -> Any:
        actions = columns.unpack_maps(packed["actions"], count, budget)
        for action, (player, *others) in zip(actions, unpack_others(packed, count, budget), strict=True):
            yield [player, action[""] if list(action) == [""] else action, *others]

    return pack_rows, unpack_rows


def _as_map(action: Any) -> dict[str, Any]:
    """Return an action as a map.

    An action that is not a map becomes `{"": action}`, and so does a map with "" as its only key.
    """
    return action if type(action) is dict and list(action) != [""] else {"": action}


def _pack_turns(rows: list[Entry]) -> dict[str, Any]:
    numbers, players, walls, cpus, banks, digests = zip(*rows, strict=True)
    return {
        "number": columns.pack_differences(numbers),
        "player": columns.pack_column(players),
        "wall": columns.pack_column(walls),
        "cpu": columns.pack_column(cpus),
        "bank": columns.pack_column(list(_spent(players, walls, banks))),
        "digest": columns.pack_column(digests),
    }


def _spent(players: Sequence[int], walls: Sequence[int], banks: Sequence[int | None]) -> Iterator[int | None]:
    """Yield for each turn the wall time used, plus the change of the player's bank in this turn; None without a bank.

    With wall-time limits, this sum is nearly always the increment of the clock, which compresses well.
    """
    before: dict[int, int] = {}
    for player, wall, bank in zip(players, walls, banks, strict=True):
        yield None if bank is None else bank - before.get(player, 0) + wall
        before[player] = bank or 0


def _unpack_turns(packed: Any, count: int, budget: Budget) -> Iterator[Entry]:
    names = ("number", "player", "wall", "cpu", "bank", "digest")
    before: dict[int, int] = {}
    values = (columns.unpack_column(packed[name], count, budget) for name in names)
    for number, player, wall, cpu, gain, digest in zip(*values, strict=True):
        bank = None if gain is None else columns.whole(gain) + before.get(player, 0) - columns.whole(wall)
        before[player] = bank or 0
        yield [number, player, wall, cpu, bank, digest]


_KINDS = {
    "setup": _pack_plain("draws"),
    "position": _pack_plain("state"),
    "do": _pack_actions("draws"),
    "leave": _pack_plain("player", "draws"),
    "refuse": _pack_actions("code", "message"),
    "turn": (_pack_turns, _unpack_turns),
    "seat": _pack_plain("player", "ending", "detail"),
}
