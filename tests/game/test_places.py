"""Entities are found by place, whatever happened to them: moves, undo, copies, views."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.game import Entity, GameError, Seeded, State, Tile, field
from arena.match.lookup import find_game


class Piece(Entity):
    """Something with a column and a row."""

    located_by = ("x", "y")

    x: int | None = field("Column.", None)
    y: int | None = field("Row.", None)
    owner: int = field("The player.", 0)


class Mark(Entity):
    """Something with a tile."""

    located_by = ("tile",)

    tile: Tile | None = field("The tile.", None)
    secret: int = field("Hidden while a piece stands on the same tile.", 0, secret=True)


class Board(State):
    """Pieces and marks."""

    classes = (Piece, Mark)
    hidden_information = True
    turn: int = field("The turn.", 0)

    def setup(self) -> None:
        for number in range(4):
            self.create(Piece, f"p{number}", x=number, y=0)
            self.create(Mark, f"m{number}", tile=Tile(number, 0), secret=number + 1)

    def conceals(self, player: int, entity: Any, name: str) -> bool:
        return entity.tile is not None and self.one_at(Piece, *entity.tile) is not None


class Rest(Entity):
    """Something without a place."""


def by_definition(state: State, cls: type[Entity], x: int, y: int) -> list[str]:
    found = []
    for one in state.entities():
        place = (getattr(one, "x", None), getattr(one, "y", None)) if cls is Piece else getattr(one, "tile", None)
        if type(one) is cls and place == (x, y):
            found.append(one.id)
    return sorted(found)


def check(state: State, some: list[tuple[int, int]]) -> None:
    for x, y in some:
        for cls in (Piece, Mark):
            expected = by_definition(state, cls, x, y)
            assert [one.id for one in state.all_at(cls, x, y)] == expected
            one = state.one_at(cls, x, y)
            assert (one and one.id) == (expected[0] if expected else None)


PLACE = st.tuples(st.integers(0, 3), st.integers(0, 2))
STEP = st.tuples(
    st.sampled_from(("move", "column", "lift", "make", "remove", "owner", "mark", "undo", "clone", "view", "delta")),
    st.integers(0, 30),
    PLACE,
    st.lists(PLACE, max_size=3),
)


@settings(max_examples=150, deadline=None)
@given(st.lists(STEP, max_size=40))
def test_entities_are_where_their_fields_say(steps: list[Any]) -> None:
    state: Any = Board.new(None)
    marks = [0]
    made = 10
    for what, number, (x, y), looked_at in steps:
        pieces = [one for one in state.entities() if type(one) is Piece]
        tiles = [one for one in state.entities() if type(one) is Mark]
        piece = pieces[number % len(pieces)]
        if what == "move":
            piece.x, piece.y = x, y
        elif what == "column":
            piece.x = x
        elif what == "lift":
            piece.x = piece.y = None
        elif what == "make":
            made += 1
            state.create(Piece, f"p{made}", x=x, y=y)
        elif what == "remove" and len(pieces) > 3:
            state.remove(*{piece, pieces[-1]})
        elif what == "owner":
            piece.owner += 1
        elif what == "mark":
            tiles[number % len(tiles)].tile = None if number == 0 else Tile(x, y)
        elif what == "undo":
            state.pop(marks.pop() if len(marks) > 1 else 0)
        elif what == "clone":
            state, marks = state.clone(), [0]
        elif what == "view":
            state, marks = Board.from_view(state.view(), None), [0]
        elif what == "delta":
            known = [state.view(0), state.view()]
            state.delta(marks[-1], 0)
            assert [state.view(0), state.view()] == known
        marks += [state.mark] if number % 3 == 0 else []
        check(state, looked_at)
    check(state, [(x, y) for x in range(4) for y in range(3)])


def test_several_at_one_place_are_in_the_order_of_their_ids() -> None:
    state: Any = Board.new(None)
    for number in (3, 1, 2):
        state.entity(f"p{number}").x, state.entity(f"p{number}").y = 2, 2
    assert [one.id for one in state.all_at(Piece, 2, 2)] == ["p1", "p2", "p3"]
    assert state.one_at(Piece, 2, 2) is state.entity("p1")
    assert state.all_at(Piece, None, None) == ()


def test_a_class_that_is_not_located_cannot_be_looked_up() -> None:
    state: Any = Board.new(None)
    with pytest.raises(GameError, match=r"Rest does not declare located_by\."):
        state.one_at(Rest, 1, 1)
    with pytest.raises(GameError, match=r"Lost\.located_by names z, which is not a field of Lost\."):

        class Lost(Entity):
            """Its place is no field."""

            located_by = ("x", "z")
            x: int = field("Column.", 0)


def test_saloon_finds_the_same_in_a_crowd() -> None:
    state: Any = find_game("saloon").start({"width": 30, "height": 30, "max_cowboys_per_job": 99}, Seeded(1))
    cowboy = next(cls for cls in type(state).classes if cls.__name__ == "Cowboy")
    for number in range(60):
        x, y = 1 + number % 28, 10 + number // 28
        made = state.create(cowboy, f"c{number + 1}", owner=number % 2, job="Brawler", x=x, y=y, health=9)
        state.cowboys = (*state.cowboys, made)
    for number, one in enumerate(state.cowboys):
        assert state.cowboy_at(one.x, one.y) is one
        one.y += 12
        assert state.cowboy_at(one.x, one.y) is one
        assert state.cowboy_at(one.x, one.y - 12) is None, number
    assert state.cowboy_at(5, 5) is None


def test_all_of_a_class_come_in_the_order_in_which_they_were_made() -> None:
    state: Any = Board.new(None)
    assert [one.id for one in state.all_of(Piece)] == ["p0", "p1", "p2", "p3"]
    state.remove(state.entity("p1"))
    state.create(Piece, "p0a")
    assert [one.id for one in state.all_of(Piece)] == ["p0", "p2", "p3", "p0a"]
    assert state.all_of(Board) == (state,)
