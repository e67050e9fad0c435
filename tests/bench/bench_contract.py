"""Figures for the game contract: journal, undo, clones, deltas, against floors measured in the same run.

Run it with `python tests/bench/bench_contract.py`. Times are medians in microseconds; the floors are a plain slot
write and `copy.deepcopy` of plain objects with the same fields.
"""

from __future__ import annotations

import copy
import gc
from collections.abc import Callable
from statistics import median
from time import perf_counter
from typing import Any

from arena.game import Entity, State, field

OBJECTS = 300
FIELDS = tuple("abcdefghij")


class Piece(Entity):
    """An object of ten fields."""

    a: int = field("A number.", 0)
    b: int = field("A number.", 1)
    c: int = field("A number.", 2)
    d: int = field("A number.", 3)
    e: bool = field("A boolean.", False)
    f: str = field("A word.", "word")
    g: str | None = field("A word or nothing.", None)
    h: float = field("A real number.", 0.5)
    i: tuple[int, ...] = field("Numbers.", (1, 2))
    j: Piece | None = field("Another object.", None)


class Board(State):
    """A state of many objects."""

    classes = (Piece,)
    turn: int = field("The turn.", 1)
    pieces: tuple[Piece, ...] = field("All objects.", ())

    def setup(self) -> None:
        """Make the objects, each with a reference to the one before."""
        pieces: list[Piece] = []
        for number in range(OBJECTS):
            pieces.append(self.create(Piece, f"p{number}", j=pieces[-1] if pieces else None))
        self.pieces = tuple(pieces)


class FoggyBoard(Board):
    """The same where players do not see everything, so that deltas are taken from two snapshots."""

    hidden_information = True


class Plain:
    """The floor: an object of ten slots without a journal."""

    __slots__ = FIELDS

    def __init__(self, before: Plain | None) -> None:
        self.a, self.b, self.c, self.d, self.e = 0, 1, 2, 3, False
        self.f, self.g, self.h, self.i, self.j = "word", None, 0.5, (1, 2), before


def time_of(function: Callable[[], Any], rounds: int = 300, inner: int = 1) -> float:
    """Return the median time of one call in microseconds; `inner` calls are timed together."""
    times = []
    for _ in range(rounds):
        start = perf_counter()
        for _ in range(inner):
            function()
        times.append((perf_counter() - start) / inner)
    return median(times) * 1e6


def write_once(thing: Any) -> Callable[[], None]:
    """Return a function that writes one field a hundred times."""

    def write() -> None:
        for value in range(100):
            thing.a = value

    return write


def read_once(thing: Any) -> Callable[[], None]:
    """Return a function that reads one field a hundred times."""

    def read() -> None:
        for _ in range(100):
            _ = thing.a

    return read


def plain_objects() -> list[Plain]:
    """Make the floor's objects; a shallow chain, since `deepcopy` recurses along references."""
    return [Plain(None) for _ in range(OBJECTS)]


def write_and_undo(state: Any) -> None:
    """Write six fields and take it all back."""
    piece = state.pieces[7]
    mark = state.mark
    piece.a, piece.b, piece.c, piece.e, piece.f = 5, 6, 7, True, "other"
    state.turn = 2
    state.pop(mark)


def changed(cls: type[State]) -> Any:
    """Return a state with eighty writes in its journal."""
    state: Any = cls.new(None)
    for piece in state.pieces[:40]:
        piece.a += 1
        piece.e = True
    return state


def compare_snapshots(state: Any) -> None:
    """The floor of a delta: two whole views, compared."""
    before, after = state.view(), state.view()
    assert before == after


def main() -> None:
    """Measure and print."""
    state: Any = Board.new(None)
    piece, plain, plains = state.pieces[0], Plain(None), plain_objects()
    gc.collect()
    gc.freeze()
    floor_write, floor_read = time_of(write_once(plain)) / 100, time_of(read_once(plain)) / 100
    write = time_of(lambda: (write_once(piece)(), state.pop(0))) / 100
    journal = time_of(write_once(piece)) / 100
    state.pop(0)
    deepcopy = time_of(lambda: copy.deepcopy(plains), 20)
    clone = time_of(state.clone, 100)
    undo = time_of(lambda: write_and_undo(state))
    with_changes, foggy = changed(Board), changed(FoggyBoard)
    snapshots = time_of(lambda: compare_snapshots(with_changes), 100)
    delta = time_of(lambda: with_changes.delta(0), 200)
    hidden = time_of(lambda: foggy.delta(0, 0), 100)
    rows = [
        ("read of a field", time_of(read_once(piece)) / 100, "slot read", floor_read),
        ("journalled write", journal, "slot write", floor_write),
        ("journalled write and its undo", write, "slot write", floor_write),
        ("six writes and pop", undo, "six slot writes", 6 * floor_write),
        (f"clone of {OBJECTS} objects", clone, "deepcopy of plain objects", deepcopy),
        ("delta of 80 writes, all-seeing", delta, "two views, compared", snapshots),
        ("delta of 80 writes, one player's", hidden, "two views, compared", snapshots),
        ("whole view", time_of(state.view, 100), "deepcopy of plain objects", deepcopy),
    ]
    print(f"{'what':<34}{'us':>10}  {'floor':<28}{'us':>10}{'ratio':>9}")
    for name, value, floor, base in rows:
        print(f"{name:<34}{value:>10.3f}  {floor:<28}{base:>10.3f}{value / base:>9.2f}")


if __name__ == "__main__":
    main()
