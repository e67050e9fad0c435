"""Early recordings have columns. The writer does not write them any more, so these tests have examples."""

from __future__ import annotations

from typing import Any

import pytest

from arena_replays import columns, frames, truth
from arena_replays.limits import Budget


@pytest.mark.parametrize(
    ("column", "values"),
    [
        ([0, "a"], ["a", "a", "a"]),
        ([1, ["a", None], b"\0\1\0"], ["a", None, "a"]),
        ([2, [1, "b", [2]]], [1, "b", [2]]),
        ([3, [5, None, -2]], [5, None, 3]),
        ([4, 2, b"aabbcc"], [b"aa", b"bb", b"cc"]),
    ],
)
def test_each_form_of_a_column(column: Any, values: list[Any]) -> None:
    assert columns.unpack_column(column, 3, Budget()) == values


def test_a_table_of_maps_keeps_the_order_of_maps_and_keys() -> None:
    table = [[["y", "x"], []], [2, [0, 1, 0]], [[[3, [1, 1]], [0, "n"]], []]]
    found = columns.unpack_maps(table, 3, Budget())
    assert [list(one.items()) for one in found] == [[("y", 1), ("x", "n")], [], [("y", 2), ("x", "n")]]


def test_all_kinds_of_truth() -> None:
    actions = [[["type"], [""]], [2, [0, 1]], [[[0, "go"]], [[0, "junk"]]]]
    packed = {
        "kinds": [2, ["setup", "do", "refuse", "turn", "do", "turn", "leave", "seat"]],
        "setup": {"draws": [0, [3]]},
        "do": {"actions": actions, "player": [2, [0, 1]], "draws": [0, []]},
        "refuse": {
            "actions": [[["a"]], [0, 0], [[[0, 1]]]],
            "player": [0, 1],
            "code": [0, "no"],
            "message": [0, "No."],
        },
        "turn": {
            "number": [3, [1, 1]],
            "player": [0, 0],
            "wall": [2, [10, 20]],
            "cpu": [0, None],
            "bank": [2, [110, 5]],
            "digest": [4, 2, b"aabb"],
        },
        "leave": {"player": [0, 1], "draws": [0, []]},
        "seat": {"player": [0, 1], "ending": [0, "crashed"], "detail": [0, "code 1"]},
    }
    assert truth.unpack(packed, 8, Budget()) == [
        ["setup", [3]],
        ["do", 0, {"type": "go"}, []],
        ["refuse", 1, {"a": 1}, "no", "No."],
        ["turn", 1, 0, 10, None, 100, b"aa"],
        ["do", 1, "junk", []],
        ["turn", 2, 0, 20, None, 85, b"bb"],
        ["leave", 1, []],
        ["seat", 1, "crashed", "code 1", False],
    ]


def test_frames_with_differences_of_each_object() -> None:
    packed = {
        "changes": [2, [2, 0, 3]],
        "ids": [2, ["a", "b", "a", "b", "a"]],
        "fields": ["x", "name"],
        "which": [2, [0, 0, 0, 0, 1]],
        "values": [[3, [5, 7, 1, None]], [0, "A"]],
        "events": [2, [0, 1, 0]],
        "effects": [[["kind"]], [0, 0], [[[0, "hit"]]]],
    }
    assert frames.unpack(packed, 3, Budget()) == [
        (["a", "x", 5, "b", "x", 7], []),
        ([], [{"kind": "hit"}]),
        (["a", "x", 6, "b", "x", None, "a", "name", "A"], []),
    ]


@pytest.mark.parametrize(
    "column",
    [[0], [1, [], b"\0"], [1, [5], b"\1"], [2, [1]], [3, [1, "x"]], [3, [True, 1]], [9, []], None, [4, 0, b"12"]],
)
def test_what_is_no_column_of_two_is_refused(column: Any) -> None:
    with pytest.raises((ValueError, IndexError)):
        columns.unpack_column(column, 2, Budget())


def test_a_table_that_claims_more_cells_than_memory_is_refused() -> None:
    bomb = [[[str(key) for key in range(1000)]], [0, 0], [[[0, 0]] * 1000]]
    with pytest.raises(ValueError, match="more than"):
        columns.unpack_maps(bomb, 1_000_000, Budget())


def test_a_row_of_a_shape_that_does_not_exist_is_an_error() -> None:
    """The error must not be a StopIteration, because a generator that calls the function would end or fail."""
    table = [[["a"], ["b"]], [2, [1, -1]], [[[0, 1]], [[0, 1]]]]
    with pytest.raises((ValueError, LookupError)):
        columns.unpack_maps(table, 2, Budget())
    with pytest.raises(ValueError, match="fewer rows"):
        columns.interleave({0: iter([1])}, [0, 0])
