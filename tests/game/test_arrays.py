"""Fields that hold arrays of numbers: declaration, deltas, the contract, and the objects of a bot."""

from __future__ import annotations

import struct
from dataclasses import replace
from typing import Annotated, Any

import msgpack
import pixels_game
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.game import Array, Entity, GameError, GameSpec, Option, Outcome, Seeded, State, action, field
from arena.game.arrays import DTYPES, difference
from arena.sdk.languages import classes
from arena.testing import check_game
from arena.text.form import card, news, position, things_of
from arena_player import wire
from arena_player.errors import PlayerError
from arena_player.result import Result
from arena_player.schema import ARRAYS, parse_schema
from arena_player.sdk import generate
from arena_player.world import World
from arena_replays.state import patched


def test_rules_and_players_have_the_same_types_of_numbers() -> None:
    assert DTYPES == ARRAYS


@pytest.mark.slow
@pytest.mark.parametrize("game", [pixels_game.GAME, pixels_game.HIDDEN], ids=lambda game: game.name)
def test_games_with_arrays_keep_the_contract(game: GameSpec) -> None:
    check_game(game, games=3)


@given(st.binary(max_size=400), st.data())
def test_spans_lead_from_the_old_to_the_new_value(old: bytes, data: Any) -> None:
    new = bytearray(old)
    for _ in range(data.draw(st.integers(0, 6))):
        if old:
            new[data.draw(st.integers(0, len(old) - 1))] ^= data.draw(st.integers(0, 255))
    change = difference(old, bytes(new))
    assert patched(old, msgpack.unpackb(msgpack.packb(change))) == bytes(new)
    if change == bytes(new):
        return
    assert sum(len(span) for span in change[1::2]) <= len(old)


def test_a_small_change_of_a_large_array_is_small() -> None:
    old = bytes(28_224)
    new = old[:9_000] + b"\1\2" + old[9_002:20_000] + b"\3" + old[20_001:]
    assert difference(old, new) == [9_000, b"\1\2", 20_000, b"\3"]
    assert difference(old, old[:-4]) == old[:-4]
    assert difference(None, new) == new


def test_the_schema_has_type_and_shape() -> None:
    fields = pixels_game.GAME.schema()["classes"]["Pixels"]["fields"]
    assert fields["picture"] == {"type": "array", "doc": "Brightness.", "dtype": "float32", "shape": [84, 84]}
    assert fields["history"]["shape"] == [None]


def test_a_bot_reads_numbers_without_a_library() -> None:
    game = pixels_game.GAME
    chance = Seeded("bot")
    state: Any = game.start({}, chance)
    world = World(parse_schema(game.schema()), lambda _: Result())
    start = {"type": "start", "seq": 0, "view": state.view(0)}
    world.apply(wire.unpack(wire.pack(start), "referee")["view"])
    picture = world.game.picture
    assert picture.shape == (84, 84)
    assert picture.readonly
    for column in (7, 77, 7):
        mark = state.push(state.to_move()[0], {"type": "brighten", "column": column}, chance)
        delta = state.delta(mark, 0)
        assert len(msgpack.packb(delta)) < 1_000
        over = {"type": "over", "outcome": {}, "delta": delta, "events": [], "players": []}
        world.apply(wire.unpack(wire.pack(over), "referee")["delta"])
    assert world.game.picture.tobytes() == state.picture
    assert world.game.picture[83, 7] == pytest.approx(memoryview(state.picture).cast("f", (84, 84))[83, 7])
    assert list(world.game.history) == [7, 77, 7]
    assert picture[83, 7] == 0, "a value that a bot keeps does not change"
    assert game.state_from_view(world.view(), state.options).picture == state.picture


class Chart(Entity):
    """A part of the ground that a player has drawn, of its own height."""

    owner: int = field("The player.")
    height: int = field("Rows.", 1)
    seen: Annotated[bytes, Array("uint16", ("height", "width"))] = field("What was seen.", bytes(6), secret="owner")


class Ground(State):
    """A board that grows by a column in each turn, whose size the options decide."""

    classes = (Chart,)
    grid = ("width", "height")

    hill: Annotated[bytes, Array("uint8", ("height", "width"))] = field("Heights.", b"")
    height: int = field("Rows.", 2)
    width: int = field("Columns.", 3)
    charts: tuple[Chart, ...] = field("Both.", ())
    hidden_information = True

    def setup(self) -> None:
        self.hill = bytes(range(self.height * self.width))
        self.charts = tuple(self.create(Chart, f"c{owner}", owner=owner) for owner in range(2))

    @action
    def grow(self) -> None:
        """Add a column."""
        self.width += 1
        self.hill = bytes(range(self.height * self.width))
        for chart in self.charts:
            chart.height = self.width % 2 + 1
            chart.seen = bytes(2 * chart.height * self.width)

    def to_move(self) -> tuple[int, ...]:
        return () if self.width >= self.options.widest else (self.width % 2,)

    def turn_number(self) -> int:
        return self.width

    def legal_actions(self, player: int | None = None) -> list[dict[str, Any]]:
        return [{"type": "grow"}] if self.to_move() and player in (None, *self.to_move()) else []

    def outcome(self) -> Outcome | None:
        return None if self.to_move() else Outcome(None, "wide")

    @classmethod
    def determinize(cls, view: list[Any], player: int, rng: Any, options: Any) -> Any:
        state = cls.from_view(view, options)
        other = state.charts[1 - player]
        other.seen = bytes(2 * other.height * state.width)
        state.commit()
        return state

    def to_document(self) -> dict[str, Any]:
        charts = [[chart.height, chart.seen.hex()] for chart in self.charts]
        return {"width": self.width, "hill": self.hill.hex(), "charts": charts}

    def load(self, document: dict[str, Any]) -> None:
        self.width, self.hill = document["width"], bytes.fromhex(document["hill"])
        self.charts = tuple(
            self.create(Chart, f"c{owner}", owner=owner, height=height, seen=bytes.fromhex(seen))
            for owner, (height, seen) in enumerate(document["charts"])
        )


GROUND = GameSpec(
    name="ground", title="Ground", version="1", state=Ground, options=(Option("widest", "int", 9, "Columns.", 5, 9),)
)


def test_sizes_are_in_fields_of_the_class_or_of_the_state() -> None:
    assert GROUND.schema()["classes"]["Ground"]["fields"]["hill"]["shape"] == ["height", "width"]
    assert "uint16, height x width" in generate(GROUND.schema())
    assert "(uint8, height x width, row by row)" in classes(GROUND.schema(), "cpp")
    check_game(GROUND, games=2)
    state: Any = GROUND.start({}, Seeded("1"))
    world = World(parse_schema(GROUND.schema()), lambda _: Result())
    world.apply(state.view(0))
    first, mine = world.game.hill, world.objects["c0"].seen
    assert (first.shape, mine.shape, world.objects["c1"].seen) == ((2, 3), (1, 3), None)
    assert first.tolist() == [[0, 1, 2], [3, 4, 5]]
    world.apply(state.delta(state.push(1, {"type": "grow"}), 0))
    assert (world.game.hill.shape, world.objects["c0"].seen.shape) == ((2, 4), (1, 4))
    state.push(0, {"type": "grow"})
    mark = state.mark
    state.hill = state.hill[:-1] + b"\xff"
    world.apply(state.delta(0, 0))
    assert world.objects["c0"].seen.shape == (2, 5)
    assert world.game.hill[1, 4] == 255
    assert first.tolist() == [[0, 1, 2], [3, 4, 5]], "a value that a bot keeps does not change"
    assert GROUND.state_from_view(state.view(), state.options).digest() == state.digest()
    state.pop(mark)
    with pytest.raises(PlayerError, match="does not fit"):
        world.apply(["game", "width", 6])


def test_an_array_of_the_boards_size_is_written_row_by_row() -> None:
    schema = parse_schema(GROUND.schema())
    state: Any = GROUND.start({}, Seeded("1"))
    before = things_of(state.view(0))
    text = position(schema, before)
    assert "hill:\n0 1 2\n3 4 5\n" in f"{text}\n"
    assert "hill uint8, height x width" in card(schema)
    state.hill = b"\0\1\2\3\7\5"
    assert news(schema, before, things_of(state.view(0))) == "game: hill @1,1 7"
    state.hill = b"\1\2\3\4\7\5"
    assert news(schema, before, things_of(state.view(0))) == "game: hill [1 2 3 4 7 5]"


class Short(Ground):
    """Forgets a column."""

    @action
    def grow(self) -> None:
        """Add a column."""
        self.width += 1


def test_the_check_finds_an_array_of_another_size_than_its_fields_say() -> None:
    spec = replace(GROUND, state=Short)
    with pytest.raises(AssertionError, match="holds 6 bytes, but its type is an array of uint8, height x width, and"):
        check_game(spec, games=2)


class Nameless(State):
    """Its array has sizes that are no fields, or no numbers that everybody knows."""

    classes = ()
    depth: int = field("A secret.", 1, secret=True)
    length: int | None = field("Or none.", 1)
    word: str = field("A word.", "")


@pytest.mark.parametrize(
    ("size", "why"), [("breadth", "neither"), ("depth", "never"), ("length", "int"), ("word", "int")]
)
def test_a_size_is_a_number_that_all_players_know(size: str, why: str) -> None:
    content = {"__annotations__": {"some": Annotated[bytes, Array("int8", (size,))]}, "some": field("x", b"")}
    state = type("Wrong", (Nameless,), content)
    with pytest.raises(GameError, match=f"some has an array with the size '{size}', but .*{why}"):
        GameSpec(name="wrong", title="", version="", state=state).schema()


def test_the_typed_module_names_a_memoryview() -> None:
    source = generate(pixels_game.GAME.schema())
    assert "picture: memoryview" in source
    assert "float32, 84 x 84" in source


def test_clients_cannot_send_bytes() -> None:
    data = msgpack.packb({"type": "act", "seq": 1, "actions": [{"type": "brighten", "column": b"\0"}]})
    with pytest.raises(wire.WireError, match="not a message") as caught:
        wire.unpack(data, "client")
    assert caught.value.code == "garbled"


@pytest.mark.parametrize("delta", [["game", "picture", [3, b"\0" * 30_000]], ["game", "picture", [-1, b"\0"]]])
def test_a_span_outside_of_an_array_is_refused(delta: list[Any]) -> None:
    game = pixels_game.GAME
    world = World(parse_schema(game.schema()), lambda _: Result())
    view = game.start({}, Seeded("1")).view()
    world.apply(view)
    with pytest.raises(Exception, match="does not fit"):
        world.apply(delta)
    with pytest.raises(ValueError, match="outside"):
        patched(view[view.index("picture") + 1], delta[2])


def declared(annotation: Any) -> type[State]:
    return type("Wrong", (State,), {"__annotations__": {"some": annotation}, "some": field("x", b""), "classes": ()})


@pytest.mark.parametrize(
    ("annotation", "message"),
    [
        (Annotated[bytes, Array("float16", (3,))], "must be one of int8"),
        (Annotated[bytes, Array("int8", ())], "shape"),
        (Annotated[bytes, Array("int8", (3, None))], "shape"),
        (Annotated[bytes, Array("int8", "ab")], "Write a tuple"),  # type: ignore[arg-type]
        (tuple[Annotated[bytes, Array("int8", (3,))], ...], "cannot be in a tuple"),
        (bytes, "Annotated"),
    ],
)
def test_wrong_declarations_are_named(annotation: Any, message: str) -> None:
    with pytest.raises(GameError, match=message):
        GameSpec(name="wrong", title="", version="", state=declared(annotation)).schema()


@pytest.mark.parametrize("value", [b"\0" * 3, [1, 2], "text"])
def test_a_wrong_value_is_named_where_it_would_be_sent(value: Any) -> None:
    state: Any = pixels_game.GAME.start({}, Seeded("1"))
    state.picture = value
    with pytest.raises(GameError, match="an array of float32, 84 x 84, and was set to"):
        state.view()


class Broken(pixels_game.Pixels):
    """Writes a number that is none."""

    def light(self, column: int, light: float) -> None:
        super().light(column, light)
        self.picture = struct.pack("<f", float("nan")) + self.picture[4:]


def test_the_check_finds_numbers_that_are_none() -> None:
    spec = GameSpec(name="broken", title="", version="1", state=Broken, options=(pixels_game.STEPS,))
    with pytest.raises(AssertionError, match="without NaN"):
        check_game(spec, games=2)
