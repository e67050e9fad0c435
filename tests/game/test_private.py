"""Private fields and tables: never sent, never recorded, undone by pop, copied by clone."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.game import Entity, GameError, GameSpec, IllegalAction, Outcome, State, Tile, action, field, table
from arena.testing import check_game, inspect_game


class Frog(Entity):
    """A frog on a line of stones."""

    owner: int = field("0 or 1.")
    x: int = field("The stone.")
    y: int = field("Always 0.", 0)
    hops: int = field("How often it has hopped.", 0)
    tired: bool = field("Whether it has hopped three times.", False, private=True)

    @action
    def hop(self, tile: Tile) -> None:
        """Hop to a free stone.

        Args:
            tile: A stone one or two further.
        """
        game: Pond = self.game
        if self.owner != game.actor:
            raise IllegalAction("not_yours")
        if self.tired or tile.x - self.x not in (1, 2) or tile in game.standing:
            raise IllegalAction("no_stone")
        del game.standing[Tile(self.x, 0)]
        self.x = tile.x
        self.hops += 1
        self.tired = self.hops >= 3
        game.standing[tile] = self
        game.moves += 1

    @action
    def wait(self) -> None:
        """Stay."""
        if self.owner != self.game.actor:
            raise IllegalAction("not_yours")
        self.game.moves += 1


class Pond(State):
    """The frogs."""

    classes = (Frog,)
    grid = ("width", "height")
    width: int = field("Stones.", 9)
    height: int = field("One row.", 1)
    moves: int = field("Moves made.", 0)
    frogs: tuple[Frog, ...] = field("All frogs.", ())
    standing: dict[Tile, Frog] = table("Who sits on each stone.")

    def setup(self) -> None:
        self.frogs = tuple(self.create(Frog, f"f{index}", owner=index % 2, x=index) for index in range(4))
        self.derive()

    def derive(self) -> None:
        for frog in self.frogs:
            self.standing[Tile(frog.x, 0)] = frog
            frog.tired = frog.hops >= 3

    def to_move(self) -> tuple[int, ...]:
        return (self.moves % 2,) if self.moves < 20 else ()

    def turn_number(self) -> int:
        return self.moves

    def legal_actions(self, player: int | None = None) -> list[dict[str, Any]]:
        may = self.to_move()
        if not may or player not in (None, *may):
            return []
        found: list[dict[str, Any]] = []
        for frog in self.frogs:
            if frog.owner != may[0]:
                continue
            found.append({"type": "wait", "frog": frog.id})
            for x in (frog.x + 1, frog.x + 2):
                if x < 9 and not frog.tired and Tile(x, 0) not in self.standing:
                    found.append({"type": "hop", "frog": frog.id, "x": x, "y": 0})
        return found

    def outcome(self) -> Outcome | None:
        return None if self.to_move() else Outcome(None, "dusk")

    def to_document(self) -> dict[str, Any]:
        return {"moves": self.moves, "frogs": [[frog.x, frog.hops] for frog in self.frogs]}

    def load(self, document: dict[str, Any]) -> None:
        self.setup()
        self.standing.clear()
        self.moves = document["moves"]
        for frog, (x, hops) in zip(self.frogs, document["frogs"], strict=True):
            frog.x, frog.hops = x, hops


def spec(state: Any = Pond) -> GameSpec:
    return GameSpec(name="pond", title="Pond", version="1", state=state)


def where(state: Any) -> dict[int, str]:
    return {x: state.standing[Tile(x, 0)].id for x in range(9) if Tile(x, 0) in state.standing}


def test_the_game_keeps_the_contract() -> None:
    check_game(spec(), games=4)


def test_nobody_is_sent_or_told_of_private_fields() -> None:
    state: Any = spec().start()
    mark = state.push(0, {"type": "hop", "frog": "f2", "x": 4, "y": 0})
    for text in (str(state.view()), str(state.delta(mark)), str(spec().schema()), str(state.events(mark))):
        assert "standing" not in text
        assert "tired" not in text


def test_clones_have_tables_of_their_own_frogs() -> None:
    state: Any = spec().start()
    clone: Any = state.clone()
    assert clone.standing[Tile(3, 0)] is clone.entity("f3")
    mark = clone.push(0, {"type": "hop", "frog": "f2", "x": 4, "y": 0})
    assert where(state) == {0: "f0", 1: "f1", 2: "f2", 3: "f3"}
    clone.pop(mark)
    assert where(clone) == where(state)


class Fog(Pond):
    """Nobody sees the frogs of others, so that each delta needs the position at its mark."""

    hidden_information = True

    def sees(self, player: int, entity: Entity) -> bool:
        return not isinstance(entity, Frog) or entity.owner == player


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.one_of(
            st.tuples(st.sampled_from(["set", "setdefault", "update"]), st.integers(0, 8), st.integers(0, 3)),
            st.tuples(st.sampled_from(["del", "pop", "clear", "mark", "mark", "undo", "look"]), st.integers(0, 8)),
        ),
        max_size=40,
    ),
)
def test_pop_restores_every_change_of_a_table(steps: list[tuple[Any, ...]]) -> None:
    state: Any = spec(Fog).start()
    marks = [(state.mark, where(state))]
    for step, x, *index in steps:
        key, frog = Tile(x, 0), state.frogs[index[0] if index else 0]
        if step == "set":
            state.standing[key] = frog
        elif step == "setdefault":
            state.standing.setdefault(key, frog)
        elif step == "update":
            state.standing.update({key: frog})
        elif step == "clear":
            state.standing.clear()
        elif step == "pop":
            state.standing.pop(key, None)
        elif step == "mark":
            marks.append((state.mark, where(state)))
        elif step == "undo":
            mark, before = marks[x % len(marks)]
            del marks[x % len(marks) + 1 :]
            state.pop(mark)
            assert where(state) == before
        elif step == "look":
            before = where(state)
            state.delta(marks[x % len(marks)][0], 0)  # goes back to the mark, and forth
            assert where(state) == before
        elif step == "del" and key in state.standing:
            del state.standing[key]
    for mark, before in reversed(marks):
        state.pop(mark)
        assert where(state) == before


def test_the_journal_has_one_entry_for_a_key_between_two_marks() -> None:
    state: Any = spec().start()
    before, mark = where(state), state.mark
    for index in (0, 1, 2):
        state.standing[Tile(7, 0)] = state.frogs[index]
    del state.standing[Tile(7, 0)]
    assert len(state._journal) - mark == 1
    other = state.mark
    state.standing[Tile(7, 0)] = state.frogs[3]
    assert len(state._journal) - other == 1
    state.pop(mark)
    assert where(state) == before


@pytest.mark.parametrize("use", [list, sorted, lambda one: one.items(), lambda one: one.popitem()])
def test_a_table_has_no_order(use: Any) -> None:
    state: Any = spec().start()
    with pytest.raises(GameError, match="no order"):
        use(state.standing)


class Forgetful(Pond):
    """Does not compute its table."""

    def derive(self) -> None:
        if not self.moves:
            super().derive()


class Replacing(Pond):
    """Sets the table instead of changing it."""

    def setup(self) -> None:
        super().setup()
        self.standing = {}


@pytest.mark.parametrize(("state", "rule"), [(Forgetful, "private"), (Replacing, "mutable_field")])
def test_the_check_names_a_wrong_table(state: Any, rule: str) -> None:
    assert rule in {finding.rule for finding in inspect_game(spec(state), games=1, limit=60).findings}


class Wrong(Entity):
    """Has a field that cannot be sent."""

    bag: list[int] = field("A bag.")


class Named(Entity):
    """Its action has a parameter with the name of its receiver."""

    @action
    def join(self, named: str) -> None:
        """Join.

        Args:
            named: A name.
        """


class Unknown(Entity):
    """Names a type that does not exist."""

    thing: Nothing = field("A thing.")  # type: ignore[name-defined]  # noqa: F821


@pytest.mark.parametrize(
    ("cls", "words", "code"),
    [
        (Wrong, "Wrong.bag has the type list", "bag: list[int]"),
        (Named, "the parameter named needs the key that the acting entity has", "@action"),
        (Unknown, "Unknown.thing: its type 'Nothing' cannot be read", "thing: Nothing"),
    ],
)
def test_what_cannot_work_is_refused_with_file_and_line(cls: Any, words: str, code: str) -> None:
    state = type("Broken", (Pond,), {"classes": (Frog, cls), "__module__": __name__})
    with pytest.raises(GameError, match=r"\(.*test_private.py, line \d+\)$") as caught:
        spec(state).state.plan()
    message = str(caught.value)
    assert words in message
    line = int(message.rstrip(")").rpartition(" ")[2])
    with open(__file__, encoding="utf-8") as file:
        assert code in file.read().splitlines()[line - 1]
