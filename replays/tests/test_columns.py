from __future__ import annotations

from typing import Any

import msgpack
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena_replays import columns, frames, truth
from arena_replays.limits import Budgets

scalars = (
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False) | st.text(max_size=9)
)
values = st.recursive(scalars, lambda inner: st.lists(inner, max_size=3), max_leaves=5)
maps = st.dictionaries(st.sampled_from(["type", "kind", "x", "y", "", "cowboy"]), values, max_size=4)


def through_msgpack(value: Any) -> Any:
    return msgpack.unpackb(msgpack.packb(value))


def same(one: Any, other: Any) -> bool:
    """Return whether two values are equal and have equal types: True, 1 and 1.0 differ."""
    return msgpack.packb(one) == msgpack.packb(other)


@given(st.lists(values) | st.lists(st.binary(min_size=8, max_size=8)) | st.lists(st.integers(0, 3)))
def test_any_column_comes_back(column: list[Any]) -> None:
    assert same(
        columns.unpack_column(through_msgpack(columns.pack_column(column)), len(column), Budgets().play), column
    )


@given(st.lists(st.none() | st.integers(-(2**63), 2**63 - 1)))
def test_differences_come_back(column: list[Any]) -> None:
    assert same(
        columns.unpack_column(through_msgpack(columns.pack_differences(column)), len(column), Budgets().play), column
    )


@given(st.lists(maps))
def test_any_table_of_maps_comes_back_in_order_of_keys(table: list[dict[str, Any]]) -> None:
    assert same(columns.unpack_maps(through_msgpack(columns.pack_maps(table)), len(table), Budgets().play), table)


triples = st.tuples(
    st.sampled_from(["c1", "c2", "game"]), st.sampled_from(["x", "health", "+", "-", "name"]), values
).map(list)
deltas = st.lists(triples, max_size=6).map(lambda rows: [value for row in rows for value in row])


@pytest.mark.slow
@given(st.lists(st.tuples(deltas, st.lists(maps, max_size=2))))
def test_any_frames_come_back(chunk: list[Any]) -> None:
    assert same(frames.unpack(through_msgpack(frames.pack(chunk)), len(chunk), Budgets().play), chunk)


number = st.integers(0, 2**40)
entries = st.one_of(
    st.tuples(st.just("setup"), st.lists(values, max_size=3)),
    st.tuples(st.just("do"), st.integers(0, 3), maps | values, st.lists(values, max_size=2)),
    st.tuples(st.just("refuse"), st.integers(0, 3), maps | values, st.text(max_size=5), st.text(max_size=5)),
    st.tuples(
        st.just("turn"),
        number,
        st.integers(0, 3),
        number,
        st.none() | number,
        st.none() | number,
        st.binary(max_size=9),
    ),
    st.tuples(st.just("seat"), st.integers(0, 3), st.text(max_size=5), st.text(max_size=5)),
).map(list)


@given(st.lists(entries))
def test_any_truth_comes_back(chunk: list[Any]) -> None:
    assert same(truth.unpack(through_msgpack(truth.pack(chunk)), len(chunk), Budgets().play), chunk)


@pytest.mark.parametrize(
    "column",
    [[0], [1, [], b"\0"], [1, [5], b"\1"], [2, [1]], [3, [1, "x"]], [3, [True, 1]], [9, []], None, [4, 0, b"12"]],
)
def test_what_is_no_column_of_two_is_refused(column: Any) -> None:
    with pytest.raises((ValueError, IndexError)):
        columns.unpack_column(column, 2, Budgets().play)


def test_a_table_that_claims_more_cells_than_memory_is_refused() -> None:
    bomb = [[[str(key) for key in range(1000)]], [0, 0], [[[0, 0]] * 1000]]
    with pytest.raises(ValueError, match="more than"):
        columns.unpack_maps(bomb, 1_000_000, Budgets().play)


def test_a_row_of_a_shape_that_does_not_exist_is_an_error() -> None:
    """The error must not be a StopIteration, because a generator that calls the function would end or fail."""
    table = [[["a"], ["b"]], columns.pack_column([1, -1]), [[[0, 1]], [[0, 1]]]]
    with pytest.raises((ValueError, LookupError)):
        columns.unpack_maps(table, 2, Budgets().play)
    with pytest.raises(ValueError, match="fewer rows"):
        columns.interleave({0: iter([1])}, [0, 0])
