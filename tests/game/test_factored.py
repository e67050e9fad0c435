"""Actions with lists: decoding, forms, refusals that name the item, the check, and a match of typed bots."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Annotated, Any, Literal, NamedTuple

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from arena.bots.builtin import module_source
from arena.cli import cli
from arena.game import (
    AtMost,
    Entity,
    GameError,
    GameSpec,
    IllegalAction,
    MalformedAction,
    Outcome,
    State,
    Tile,
    action,
    field,
    sample,
)
from arena.game.forms import covers, filled, spread
from arena.game.records import list_reader, record_reader
from arena.play.memory import MatchInMemory
from arena.study.checks.verification import verify
from arena.testing import check_game, inspect_game
from arena_replays import Reader

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"
SMALL = {"units": 3, "size": 20, "turns": 24}


@pytest.fixture
def frontier(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(EXAMPLES)
    import frontier_game

    return frontier_game


@pytest.mark.slow
def test_the_worked_game_keeps_the_contract(frontier: Any) -> None:
    check_game(frontier.spec(), games=2, options=SMALL)


class Cart(Entity):
    """A cart."""

    load: int = field("Its load.", 0)


class Load(NamedTuple):
    """What is put on a cart."""

    cart: Cart
    weight: int
    where: Literal["front", "Back"]
    spot: Tile
    label: str | None


class Yard(State):
    """One player puts loads on carts."""

    classes = (Cart,)
    grid = ("width", "height")
    width: int = field("Columns.", 4)
    height: int = field("Rows.", 4)
    seen: Any = field("The last orders.", ())
    numbers: Any = field("The last numbers.", ())

    def setup(self) -> None:
        self.create(Cart, "c1")
        self.create(Cart, "c2")

    @action
    def put(
        self, loads: Annotated[tuple[Load, ...], AtMost(3)], numbers: Annotated[tuple[int, ...], AtMost(2)] = ()
    ) -> None:
        """Put loads."""
        self.seen = tuple((load.cart.id, load.weight, load.where, load.spot, load.label) for load in loads)
        self.numbers = numbers

    def to_move(self) -> tuple[int, ...]:
        return (0,)

    def outcome(self) -> Outcome | None:
        return None


def yard() -> Any:
    return GameSpec(name="yard", title="Yard", version="1", state=Yard).start()


GOOD = ["c1", 3, "BACK", [1, 2], None]


def test_records_arrive_typed() -> None:
    state = yard()
    state.push(0, {"type": "put", "loads": [GOOD, ["c2", 0, "front", [0, 0], "x"]], "numbers": [4, 5]})
    assert state.seen == (("c1", 3, "Back", Tile(1, 2), None), ("c2", 0, "front", Tile(0, 0), "x"))
    assert state.numbers == (4, 5)
    state.push(0, {"type": "put", "loads": []})
    assert (state.seen, state.numbers) == ((), ())


PARTS = st.one_of(
    st.sampled_from(["u0_0", "u1_1", "south", "South", "up", "game"]),
    st.integers(),
    st.none(),
    st.just([]),
    st.booleans(),
)


@given(st.lists(st.one_of(st.lists(PARTS, max_size=3), st.tuples(PARTS, PARTS).map(list), PARTS), max_size=4))
def test_the_quick_reader_of_records_agrees_with_the_careful_one(rows: list[Any]) -> None:
    state: Any = orders_game().start(SMALL)
    (march,) = state.plan().actions
    kind = march.parameters[0].kind
    found: list[Any] = []
    for read in (
        lambda: list_reader(kind, "orders", ignore_case=True)(rows, state._entities, state.tile),
        lambda: tuple(record_reader(kind.record, True)(row, state._entities, state.tile) for row in rows),
    ):
        try:
            found.append(read())
        except MalformedAction as error:
            found.append(error.kind)
    assert found[0] == found[1]
    assert isinstance(found[0], str) or all(type(one) is kind.record.cls for one in found[0])


def orders_game() -> Any:
    sys.path.insert(0, str(EXAMPLES))
    import frontier_game

    return frontier_game.spec()


@pytest.mark.parametrize(
    ("loads", "kind", "key"),
    [
        ("c1", "wrong_kind", "loads"),
        ([GOOD] * 4, "wrong_kind", "loads"),
        ([GOOD, "c1"], "wrong_kind", "loads[1]"),
        ([GOOD, GOOD[:4]], "wrong_kind", "loads[1]"),
        ([GOOD, GOOD, ["c9", *GOOD[1:]]], "unknown_id", "loads[2].cart"),
        ([["c1", True, *GOOD[2:]]], "wrong_kind", "loads[0].weight"),
        ([["c1", 3, "top", *GOOD[3:]]], "wrong_kind", "loads[0].where"),
        ([["c1", 3, "front", [1, 9], None]], "off_map", "loads[0].spot"),
        ([["c1", 3, "front", [1], None]], "wrong_kind", "loads[0].spot"),
        ([["c1", 3, "front", [1, 1], 7]], "wrong_kind", "loads[0].label"),
        ([["c1", 3, "front", {"x": 1}, "a"]], "wrong_kind", "loads[0].spot"),
    ],
)
def test_a_wrong_item_is_named(loads: Any, kind: str, key: str) -> None:
    state = yard()
    with pytest.raises(MalformedAction) as caught:
        state.decode({"type": "put", "loads": loads})
    assert (caught.value.kind, caught.value.key) == (kind, key)
    with pytest.raises(IllegalAction, match="bad value for loads"):
        state.push(0, {"type": "put", "loads": loads})


def test_a_refusal_of_the_rules_names_the_item(frontier: Any) -> None:
    state = frontier.spec().start(SMALL)
    before = state.digest()
    for orders, code, item in (
        ([["u0_0", "south"], ["u1_0", "north"]], "not_yours", 1),
        ([["u0_0", "north"]], "off_map", 0),
        ([["u0_1", "south"], ["u0_0", "south"], ["u0_1", "south"]], "twice", 2),
    ):
        with pytest.raises(IllegalAction, match=f"item {item}: ") as caught:
            state.push(0, {"type": "march", "orders": orders})
        assert caught.value.code == code
    assert state.digest() == before


def test_a_form_stands_for_its_selections(frontier: Any) -> None:
    state = frontier.spec().start(SMALL)
    (form,) = state.legal_actions(0)
    rng = Random(1)
    seen = {len(sample([form], rng)["orders"]) for _ in range(100)}
    assert seen == {0, 1, 2, 3}
    for _ in range(50):
        chosen = sample([form], rng)
        assert covers(form, chosen)
        state.pop(state.push(0, chosen))
    assert filled(form) == {"type": "march", "orders": []} == state.fallback_action(0)
    assert covers(form, {"type": "march", "orders": [["u0_1", "south"], ["u0_0", "south"]]})
    assert not covers(form, {"type": "march", "orders": [["u0_1", "south"], ["u0_1", "east"]]})
    assert not covers(form, {"type": "march", "orders": [["u0_1", "north"]]})
    assert not covers(form | {"orders": {**form["orders"], "all": True}}, chosen | {"orders": [["u0_1", "south"]]})


def test_people_choose_from_a_form_one_item_at_a_time(frontier: Any) -> None:
    state = frontier.spec().start(SMALL)
    (form,) = state.legal_actions(0)
    listed = spread([{"type": "other"}, form])
    groups = form["orders"]["choices"]
    assert listed[:2] == [{"type": "other"}, {"type": "march", "orders": []}]
    assert [one["orders"] for one in listed[2:]] == [[item] for group in groups for item in group]
    whole = spread([form | {"orders": {**form["orders"], "all": True}}])
    assert len(whole) == 1 + sum(len(group) - 1 for group in groups)
    for one in (*listed[1:], *whole):
        assert covers(form, one)
        state.pop(state.push(0, one))
    assert {len(one["orders"]) for one in whole} == {3}


def annotated(annotation: Any) -> Any:
    def put(self: Any, loads: Any) -> None:
        """Put."""

    put.__annotations__ = {"loads": annotation}
    return type("Wrong", (Yard,), {"put": action(put), "__module__": __name__})


@pytest.mark.parametrize(
    ("annotation", "words"),
    [
        (tuple[int, ...], "State how many items"),
        (Annotated[int, AtMost(3)], "AtMost is for tuples"),
        (Annotated[tuple[int, int], AtMost(3)], "AtMost is for tuples"),
        (Annotated[tuple[int, ...], AtMost(0)], "at least one item"),
        (frozenset[int], "State how many items"),
        (Annotated[tuple[NamedTuple("Many", [("x", tuple[int, ...])]), ...], AtMost(3)], "Many.x must be one value"),
        (Annotated[tuple[NamedTuple("Bad", [("x", list[int])]), ...], AtMost(3)], "Bad.x has the type list"),
    ],
)
def test_lists_that_cannot_work_are_refused_with_file_and_line(annotation: Any, words: str) -> None:
    with pytest.raises(GameError, match=r"test_factored.py, line \d+\)$") as caught:
        annotated(annotation).plan()
    assert words in str(caught.value)


def listing(change: Callable[[Any], Any]) -> Any:
    def legal_actions(self: Any, player: int | None = None) -> list[dict[str, Any]]:
        import frontier_game

        return [change(one) for one in frontier_game.Frontier.legal_actions(self, player)]

    return legal_actions


def no_east(form: Any) -> Any:
    groups = [[item for item in group if item[1] != "east"] for group in form["orders"]["choices"]]
    return {"type": "march", "orders": {"choices": groups}}


def off_map(form: Any) -> Any:
    return {
        "type": "march",
        "orders": {"choices": [[*group, [group[0][0], "north"]] for group in form["orders"]["choices"]]},
    }


@pytest.mark.parametrize(
    ("changes", "rule", "words"),
    [
        ({"legal_actions": listing(no_east)}, "unlisted_accepted", "is accepted, but not listed"),
        ({"legal_actions": listing(off_map)}, "listed_refused", "is listed, but refused"),
        (
            {"legal_actions": listing(lambda form: {**form, "orders": {"choices": [[], *form["orders"]["choices"]]}})},
            "players",
            "a group of orders has no items",
        ),
        (
            {"legal_actions": listing(lambda form: {**form, "turn": {"choices": [[1]]}})},
            "players",
            "turn is not a list",
        ),
        (
            {"legal_actions": listing(lambda form: {**form, "orders": {"choices": form["orders"]["choices"] * 99}})},
            "players",
            "AtMost is 200",
        ),
        (
            {"fallback_action": lambda self, player: {"type": "march", "orders": [["u0_0", "up"]]}},
            "players",
            "fallback",
        ),
        ({"derive": lambda self: None}, "private", "derive() does not give what the rules have kept"),
    ],
)
def test_defects_of_factored_games_are_named(frontier: Any, changes: dict[str, Any], rule: str, words: str) -> None:
    state = type("Broken", (frontier.Frontier,), {"__doc__": "Has a defect.", **changes})
    if rule == "private":
        state.setup = lambda self: (frontier.Frontier.setup(self), frontier.Frontier.derive(self))
    report = inspect_game(frontier.spec(state), games=1, limit=20, options=SMALL)
    assert [one for one in report.findings if one.rule == rule and words in one.message], report


BOT = """
from frontier import AI, Order

class Typed(AI):
    def run_turn(self):
        mine = [unit for unit in self.game.units if unit.owner == self.index]
        step = "south" if self.index == 0 else "north"
        wrong = self.game.march([Order(mine[0], step), (mine[0], step)])
        assert not wrong and wrong.code == "twice" and wrong.message.startswith("item 1: "), wrong
        free = [unit for unit in mine if 0 < unit.y < 19 or (unit.y == 0) == (step == "south")]
        assert self.game.march([(unit, step) for unit in free])
"""
RANDOM = """
from arena_player import AI

class Any(AI):
    wants_legal_actions = True
    def run_turn(self):
        self.act(self.random_action())
"""


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Put Frontier on the path of this process and its children, as an installer would."""
    info = tmp_path / "site" / "frontier-1.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: frontier\nVersion: 1\n")
    (info / "entry_points.txt").write_text("[arena.games]\nfrontier = installed_frontier:GAME\n")
    (info.parent / "installed_frontier.py").write_text("from frontier_game import spec\nGAME = spec()\n")
    shutil.copy(EXAMPLES / "frontier_game.py", info.parent)
    monkeypatch.setenv("PYTHONPATH", str(info.parent))
    monkeypatch.syspath_prepend(info.parent)


@pytest.mark.slow
def test_a_match_of_200_units_a_side_is_recorded_whole(frontier: Any, installed: None, tmp_path: Path) -> None:
    rng, path, orders = Random(1), tmp_path / "large.arena", 0
    match = MatchInMemory("frontier", [None, None], seed=1, replay=path)
    while match.player is not None:
        (form,) = match.legal_actions(match.player)
        chosen = [rng.choice(group) for group in form["orders"]["choices"]]
        match.act(match.player, {"type": "march", "orders": chosen})
        orders += len(chosen)
    assert orders > 90_000
    found = verify(path)
    assert (found.ok, found.problem, found.complete, found.actions) == (True, "", True, 500)
    reader = Reader(path)
    assert not reader.truncated
    assert [bool(turn.digest) for turn in reader.turns] == [at % 8 == 0 for at in range(500)]


@pytest.mark.kill  # a large match of programs
@pytest.mark.process
def test_typed_bots_play_a_match_that_is_verified(frontier: Any, installed: None, tmp_path: Path) -> None:
    from arena.testing import play_match

    for name, source in (("typed", BOT), ("any", RANDOM)):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "bot.py").write_text(source)
        (folder / "frontier.py").write_text(module_source(frontier.spec()))
    replay = tmp_path / "match.arena"
    bots = [tmp_path / "typed" / "bot.py", tmp_path / "any" / "bot.py"]
    result = play_match("frontier", bots, seed=1, options=SMALL, replay=replay)
    assert {player.ending for player in result.players} <= {"won", "lost", "drawn"}, result
    assert [player.refusals for player in result.players] == [{"twice": 12}, {}]
    found = verify(replay)
    assert (found.ok, found.complete, found.actions) == (True, True, 24)
    ran = CliRunner().invoke(cli, ["rerun", str(replay), str(bots[0]), "--json"])
    assert ran.exit_code == 0, ran.output
    checked = CliRunner().invoke(cli, ["bot", "check", str(bots[1]), "--game", "frontier"])
    assert checked.exit_code == 0, checked.output
