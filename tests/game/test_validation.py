"""What data must look like: every defect is found, with its place."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.game.validation import (
    NON_EMPTY,
    Anything,
    Flag,
    ListOf,
    Number,
    OrElse,
    TableOf,
    Text,
    Validator,
    Whole,
    Word,
    did_you_mean,
    shortened,
)

WORDS = Word(("left", "right"))
NAME = Text(r"[a-z]+", "lower-case letters")


@pytest.mark.parametrize(
    ("validator", "good", "bad", "said"),
    [
        (Whole(1, 9), [1, 9], [0, 10, True, 1.0, "1", None], "a whole number from 1 to 9"),
        (Whole(1), [1, 10**30], [0, -1], "a whole number, at least 1"),
        (Whole(greatest=3), [3, -9], [4], "a whole number, at most 3"),
        (Number(0, 0.5, "seconds"), [0, 0.5], [0.6, True, float("nan"), "0"], "a number of seconds from 0 to 0.5"),
        (Number(), [0, -1.5], [float("inf")], "a number"),
        (Flag(), [True, False], [1, 0, "yes", None], "true or false"),
        (Text(), ["", "a"], [1, None, ["a"]], "a text"),
        (NON_EMPTY, ["a", "\n"], ["", 1], "a text that is not empty"),
        (NAME, ["abc"], ["", "Abc", "abc\n"], "lower-case letters"),
        (WORDS, ["left"], ["Left", ["left"], 1], "one of left, right"),
        (Anything(), [None, [], {}], [], "any value"),
        (OrElse(None, Whole(1, 2)), [None, 1], [3, False, "null"], "a whole number from 1 to 2, or null"),
        (OrElse("none", Number()), ["none", 1], [None, "None"], 'a number, or "none"'),
        (ListOf(WORDS, "a list of sides"), [[], ["left"] * 2], [["up"], "left", None, [[]]], "a list of sides"),
        (ListOf(WORDS, "sides", unique=True), [["left"], []], [["left", "left"]], "sides"),
        (ListOf(Anything(), "two things", (2, 2)), [[1, 2], (1, 2)], [[1], [1, 2, 3]], "two things"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_values(validator: Validator, good: list[Any], bad: list[Any], said: str) -> None:
    assert validator.description == said
    for value in good:
        assert validator.accepts(value), value
        assert list(validator.defects(value)) == []
    for value in bad:
        assert not validator.accepts(value), value
        (defect,) = validator.defects(value, "here")
        assert str(defect) == f"here must be {said}, not {shortened(value)}."


@pytest.mark.parametrize(
    ("toml", "shown"),
    [
        ("true", "true"), ("7", "7"), ("nan", "nan"), ("'7'", "'7'"), ("[true, {a = false}]", "[true, {'a': false}]"),
        ("2027-01-31T18:00:00+01:00", "the offset date-time 2027-01-31T18:00:00+01:00"),
        ("2027-01-31 18:00:00Z", "the offset date-time 2027-01-31T18:00:00+00:00"),
        ("2027-01-31T18:00:00", "the local date-time 2027-01-31T18:00:00"),
        ("[2027-01-31]", "[the local date 2027-01-31]"), ("18:00:00", "the local time 18:00:00"),
    ],
)  # fmt: skip
def test_a_value_is_shown_as_toml_names_it(toml: str, shown: str) -> None:
    assert shortened(tomllib.loads(f"value = {toml}")["value"]) == shown
    assert shortened(None) == "null"


PLACE = TableOf({"x": Whole(0, 9), "y": Whole(0, 9)}, ("x", "y"))
MAP = TableOf({"name": NAME, "size": PLACE, "places": ListOf(PLACE), "speeds": TableOf({}, others=Whole(1))}, ("name",))


def test_all_defects_at_once_each_with_its_place() -> None:
    document = {"nam": "a", "size": {"x": 10}, "places": [{"x": 1, "y": 2}, {"x": True, "z": 1}, 5], "speeds": {"a": 0}}
    assert [(defect.kind, str(defect)) for defect in MAP.defects(document)] == [
        ("unknown", "nam is not known here (did you mean name?)."),
        ("wrong", "size.x must be a whole number from 0 to 9, not 10."),
        ("missing", "size.y is missing."),
        ("wrong", "places[1].x must be a whole number from 0 to 9, not true."),
        ("unknown", "places[1].z is not known here; known are x, y."),
        ("missing", "places[1].y is missing."),
        ("wrong", "places[2] must be an object, not 5."),
        ("wrong", "speeds.a must be a whole number, at least 1, not 0."),
        ("missing", "name is missing."),
    ]
    assert not MAP.accepts(document)
    assert MAP.accepts({"name": "a", "size": {"x": 1, "y": 2}, "places": [], "speeds": {"any": 1}})


def test_repeated_items_without_a_description() -> None:
    names = ListOf(Text(), unique=True)
    assert names.accepts(["a", "b"])
    [defect] = names.defects(["a", "a"], "names")
    assert str(defect) == "names must be a list without repeated items, not ['a', 'a']."


@pytest.mark.parametrize(
    ("item", "one", "equal", "other"),
    [
        (TableOf({"x": Whole(), "y": Whole()}), {"x": 1, "y": 2}, {"y": 2, "x": 1}, {"x": 2, "y": 1}),
        (ListOf(Whole()), [1, 2], (1, 2), [2, 1]),
        (ListOf(TableOf({"x": Whole()})), [{"x": 1}], [{"x": 1}], [{"x": 1}, {"x": 1}]),
    ],
)
def test_repeated_tables_and_lists(item: Validator, one: Any, equal: Any, other: Any) -> None:
    unique = ListOf(item, unique=True)
    assert unique.accepts([one, other])
    [defect] = unique.defects([one, other, equal], "things")
    assert str(defect).startswith("things must be a list without repeated items, not ")


def test_a_long_value_is_cut() -> None:
    (defect,) = Whole().defects("x" * 500, "size")
    assert len(str(defect)) < 130
    assert str(defect).endswith("xxx....")


def test_did_you_mean() -> None:
    assert did_you_mean("widht", ["height", "width"]) == " (did you mean width?)"
    assert did_you_mean("js", ["java", "javascript"]) == " (did you mean javascript?)"
    assert did_you_mean("zzz", ["height", "width"]) == "; known are height, width"
    assert did_you_mean("zzz", []) == "; known are none"


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["x", "y", "name", "size"]), inner),
    max_leaves=6,
)


@given(VALUES)
def test_any_value_is_judged(value: Any) -> None:
    defects = list(MAP.defects(value, "map"))
    assert MAP.accepts(value) == (not defects)
    assert all(defect.path.startswith("map") and defect.message.endswith(".") for defect in defects)
