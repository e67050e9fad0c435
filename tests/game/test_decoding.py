"""From documents to calls: every wrong argument is refused in one place, with the kind of the fault and its key."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import cellar_game as cellar
import gem_run_game as gem_run
import pytest
import sealed_orders_game as sealed_orders
from hypothesis import given
from hypothesis import strategies as st

from arena.game import (
    Entity,
    GameError,
    IllegalAction,
    MalformedAction,
    OptionValues,
    Seeded,
    State,
    Tile,
    action,
    field,
)

RUN = gem_run.GAME.start(chance=Seeded(1))
CELLAR = cellar.GAME.start(chance=Seeded(1))
ROUNDS = sealed_orders.GAME.start()


@pytest.mark.parametrize(
    ("state", "document", "kind", "key"),
    [
        (RUN, None, "unknown_action", "type"),
        (RUN, 3, "unknown_action", "type"),
        (RUN, [], "unknown_action", "type"),
        (RUN, {}, "unknown_action", "type"),
        (RUN, {"type": "fly"}, "unknown_action", "type"),
        (RUN, {"type": ["run"]}, "unknown_action", "type"),
        (RUN, {"type": "setup"}, "unknown_action", "type"),
        (RUN, {"type": "RUN", "runner": "r0", "x": 1, "y": 0}, "unknown_action", "type"),
        (RUN, {"type": "run", "x": 1, "y": 0}, "missing", "runner"),
        (RUN, {"type": "run", "runner": 3, "x": 1, "y": 0}, "wrong_kind", "runner"),
        (RUN, {"type": "run", "runner": None, "x": 1, "y": 0}, "wrong_kind", "runner"),
        (RUN, {"type": "run", "runner": "r9", "x": 1, "y": 0}, "unknown_id", "runner"),
        (RUN, {"type": "run", "runner": "s0", "x": 1, "y": 0}, "unknown_id", "runner"),
        (RUN, {"type": "run", "runner": "game", "x": 1, "y": 0}, "unknown_id", "runner"),
        (RUN, {"type": "run", "runner": "r0", "y": 0}, "missing", "x"),
        (RUN, {"type": "run", "runner": "r0", "x": 1}, "missing", "y"),
        (RUN, {"type": "run", "runner": "r0", "x": True, "y": 0}, "wrong_kind", "x"),
        (RUN, {"type": "run", "runner": "r0", "x": 1.0, "y": 0}, "wrong_kind", "x"),
        (RUN, {"type": "run", "runner": "r0", "x": "1", "y": 0}, "wrong_kind", "x"),
        (RUN, {"type": "run", "runner": "r0", "x": 1, "y": None}, "wrong_kind", "y"),
        (RUN, {"type": "run", "runner": "r0", "x": -1, "y": 0}, "off_map", "x"),
        (RUN, {"type": "run", "runner": "r0", "x": 0, "y": 5}, "off_map", "y"),
        (CELLAR, {"type": "raid"}, "missing", "card"),
        (CELLAR, {"type": "raid", "card": "p0"}, "unknown_id", "card"),
        (ROUNDS, {"type": "choose"}, "missing", "hand"),
        (ROUNDS, {"type": "choose", "hand": "well"}, "wrong_kind", "hand"),
        (ROUNDS, {"type": "choose", "hand": 1}, "wrong_kind", "hand"),
        (ROUNDS, {"type": "choose", "hand": None}, "wrong_kind", "hand"),
    ],
)
def test_malformed_documents(state: State, document: Any, kind: str, key: str) -> None:
    with pytest.raises(MalformedAction) as caught:
        state.decode(document)
    assert (caught.value.kind, caught.value.key) == (kind, key)
    with pytest.raises(IllegalAction) as refused:
        state.push(0, document)
    assert (refused.value.code, refused.value.message) == ("bad_argument", f"bad value for {key}")


def test_a_good_document() -> None:
    call = RUN.decode({"type": "run", "runner": "r0", "x": 1, "y": 0})
    assert call.action.type == "run"
    assert call.entity is RUN.entity("r0")
    assert call.arguments == [Tile(1, 0)]


def test_words_match_in_any_case_and_arrive_as_declared() -> None:
    assert ROUNDS.decode({"type": "choose", "hand": "RoCk"}).arguments == ["rock"]


def test_keys_that_the_action_does_not_know_are_ignored() -> None:
    assert ROUNDS.decode({"type": "choose", "hand": "rock", "cost": 3}).arguments == ["rock"]


class Strict(State):
    """Reads documents to the letter."""

    ignore_case = False
    allow_extra_keys = False

    @action
    def say(self, word: gem_run.Mood, count: int = 2, loud: bool = False, name: str | None = None) -> None:
        """Say something."""

    @action
    def weigh(self, grams: float, what: Any = None) -> None:
        """Weigh something."""


STRICT = Strict._blank(None)


@pytest.mark.parametrize(
    ("document", "kind", "key"),
    [
        ({"type": "say", "word": "Fresh"}, "wrong_kind", "word"),
        ({"type": "say", "word": "fresh", "times": 3}, "extra", "times"),
        ({"type": "say", "word": "fresh", "count": True}, "wrong_kind", "count"),
        ({"type": "say", "word": "fresh", "count": None}, "wrong_kind", "count"),
        ({"type": "say", "word": "fresh", "loud": 1}, "wrong_kind", "loud"),
        ({"type": "say", "word": "fresh", "name": 1}, "wrong_kind", "name"),
        ({"type": "weigh", "grams": "3"}, "wrong_kind", "grams"),
        ({"type": "weigh", "grams": True}, "wrong_kind", "grams"),
    ],
)
def test_a_strict_game(document: Any, kind: str, key: str) -> None:
    with pytest.raises(MalformedAction) as caught:
        STRICT.decode(document)
    assert (caught.value.kind, caught.value.key) == (kind, key)


def test_defaults_fill_in_what_is_missing() -> None:
    assert STRICT.decode({"type": "say", "word": "fresh"}).arguments == ["fresh", 2, False, None]
    given_all = {"type": "say", "word": "tired", "count": 1, "loud": True, "name": "x"}
    assert STRICT.decode(given_all).arguments == ["tired", 1, True, "x"]
    assert STRICT.decode({"type": "say", "word": "fresh", "name": None}).arguments[3] is None


def test_a_whole_number_will_do_where_a_real_one_is_asked() -> None:
    assert STRICT.decode({"type": "weigh", "grams": 3}).arguments == [3.0, None]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@given(
    st.fixed_dictionaries(
        {},
        optional={
            "type": st.sampled_from(["run", "rest"]) | JSON,
            "runner": st.sampled_from(["r0", "r1", "g2", "game"]) | JSON,
            "x": st.integers(-2, 6) | JSON,
            "y": st.integers(-2, 6) | JSON,
        },
    )
    | JSON,
    st.integers(0, 1),
)
def test_whatever_comes_is_accepted_or_refused_and_undone(document: Any, player: int) -> None:
    state = RUN.clone()
    before = state.digest()
    try:
        mark = state.push(player, document)
    except IllegalAction:
        assert state.mark == 0
    else:
        state.pop(mark)
    assert state.digest() == before
    assert state.mark == 0


class Place(Entity):
    """A place."""


@pytest.mark.parametrize(
    "annotation",
    [list[int], dict[str, int], set[int], bytes, int | str, object, type(None), Literal[1, 2], Literal["a", None]],
)
def test_types_that_cannot_travel_are_the_authors_mistake(annotation: Any) -> None:
    namespace = {"__annotations__": {"things": annotation}, "things": field("x", None), "__doc__": "Odd."}
    odd = type(State)("Odd", (State,), namespace)
    with pytest.raises(GameError, match=r"Odd\.things"):
        odd.plan()  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("annotation", "words"),
    [
        (tuple[Place | None, ...], "an item cannot be None"),
        (frozenset[Place | None], "an item cannot be None"),
        (tuple[int | None, int | None], "an item cannot be None"),
        (tuple[tuple[Tile | None, ...], ...], "an item cannot be None"),
        (tuple[tuple[Place, ...], ...], "entities beside other values, or in nested tuples"),
        (tuple[int, Place], "entities beside other values, or in nested tuples"),
        (tuple[int, list[int]], "has the type list"),
    ],
)
def test_items_of_a_tuple_that_cannot_travel_are_the_authors_mistake(annotation: Any, words: str) -> None:
    namespace = {"__annotations__": {"things": annotation}, "things": field("x", ()), "__doc__": "Odd."}
    odd = type(State)("Odd", (State,), namespace)
    with pytest.raises(GameError, match=rf"Odd\.things.*{words}"):
        odd.plan()  # type: ignore[attr-defined]


def test_a_field_or_parameter_without_annotation() -> None:
    bare = type(State)("Bare", (State,), {"thing": field("x", None)})
    with pytest.raises(GameError, match=r"Bare\.thing needs a type annotation"):
        bare.plan()  # type: ignore[attr-defined]

    class Careless(State):
        """No annotation."""

        @action
        def go(self, where) -> None:  # type: ignore[no-untyped-def]
            """Go."""

    with pytest.raises(GameError, match="the parameter where needs a type annotation"):
        Careless.plan()


def test_parameters_that_no_document_can_hold() -> None:
    class Many(State):
        """A list."""

        @action
        def go(self, steps: tuple[int, ...]) -> None:
            """Go."""

    class Optional(State):
        """An optional tile."""

        @action
        def go(self, tile: Tile | None) -> None:
            """Go."""

    class Starred(State):
        """A parameter by name only."""

        @action
        def go(self, *, fast: bool) -> None:
            """Go."""

    with pytest.raises(GameError, match="State how many items it can have"):
        Many.plan()
    with pytest.raises(GameError, match="the tile tile cannot be optional"):
        Optional.plan()
    with pytest.raises(GameError, match="keyword-only parameters"):
        Starred.plan()


class Lamp(Entity):
    """A lamp."""

    level: int = field("Its level.", 0)

    @action
    def dim(self) -> None:
        """Dim the lamp."""
        self.level -= 1


class Room(State):
    """A room with a lamp, without its rules."""

    classes = (Lamp,)
    lamp: Lamp = field("The lamp.")

    def to_move(self) -> tuple[int, ...]:
        return (0,)


@action
def brighten(lamp: Lamp, by: int = 1) -> Lamp:
    """Brighten the lamp.

    Args:
        by: How much.
    """
    lamp.level += by
    return lamp


@action
def light_(room: Room) -> None:
    """Brighten all lamps."""
    room.lamp.level += 10


@action
def fly(somebody: str) -> None:
    """Fly."""


def test_functions_are_actions_of_the_class_of_their_first_parameter() -> None:
    class House(Room):
        """A room and its rules."""

        action_functions = (brighten, light_)

        def setup(self) -> None:
            self.lamp = self.create(Lamp, "l0")

    house = House.new(OptionValues({}))
    found = [(one.type, one.owner, one.receiver, [p.name for p in one.parameters]) for one in house.plan().actions]
    assert found == [("light", House, None, []), ("dim", Lamp, "lamp", []), ("brighten", Lamp, "lamp", ["by"])]
    assert house.plan().actions[2].parameters[0].doc == "How much."
    house.push(0, {"type": "light"})
    house.push(0, {"type": "brighten", "lamp": "l0", "by": 3})
    assert house.value is house.lamp
    house.push(0, {"type": "dim", "lamp": "l0"})
    assert house.lamp.level == 12


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (len, "is not marked with @action"),
        (fly, "annotate the first parameter with the class that acts: House, Lamp"),
        (action(lambda: None), "annotate the first parameter"),
    ],
)
def test_a_function_without_a_class_is_no_action(function: Callable[..., Any], message: str) -> None:
    class House(Room):
        """A room with a wrong action."""

        action_functions = (function,)

    with pytest.raises(GameError, match=message):
        House.plan()


@pytest.mark.parametrize("name", ["id", "type"])
def test_names_that_belong_to_the_framework(name: str) -> None:
    with pytest.raises(GameError, match="the framework uses this name"):
        type(Entity)("Greedy", (Entity,), {name: field("x", None)})
