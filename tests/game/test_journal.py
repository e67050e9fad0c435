"""One journal gives undo, deltas and frames."""

from __future__ import annotations

import pickle
from copy import deepcopy
from dataclasses import replace
from random import Random
from typing import Any

import cellar_game as cellar
import gem_run_game as gem_run
import pytest
import sealed_orders_game as sealed_orders
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.game import Entity, GameError, GameSpec, IllegalAction, Seeded, field
from arena.study.checks.contract.fold import FoldError, fold
from arena.study.checks.contract.trial import fingerprint

STEPS = ["push", "push", "push", "pop", "clone", "copy", "refuse"]
GAMES = [sealed_orders.GAME, cellar.GAME, gem_run.GAME]


def test_an_entity_must_be_new_whole_and_known() -> None:
    state: Any = gem_run.GAME.start(chance=Seeded(1))
    mark = state.mark
    with pytest.raises(GameError, match="without its field worth"):
        state.create(gem_run.Gem, "g9")
    with pytest.raises(GameError, match="no field weight"):
        state.create(gem_run.Gem, "g9", worth=1, weight=3)
    with pytest.raises(GameError, match="An object with the id r0 exists already"):
        state.create(gem_run.Gem, "r0", worth=1)
    assert state.mark == mark
    with pytest.raises(GameError, match="not declared with shared"):
        state.share(tables=1)


def test_only_declared_fields_can_be_written() -> None:
    state: Any = gem_run.GAME.start(chance=Seeded(1))
    with pytest.raises(AttributeError):
        state.speed = 3
    assert state.mark == 0


def test_a_refused_action_leaves_no_trace_even_if_it_has_written() -> None:
    state: Any = gem_run.GAME.start(chance=Seeded(1))

    class Hasty(gem_run.GemRun):
        """Writes before it checks."""

        def admit(self, player: int, action: Any) -> Any:
            self.turn += 5
            self.create(gem_run.Rock, "s9", x=0, y=0)
            self.remove(self.rocks_in_order()[0])
            raise IllegalAction("never")

        def rocks_in_order(self) -> list[Any]:
            return sorted(self.rocks, key=lambda rock: rock.id)

    hasty = Hasty.from_view(state.view(), state.options)
    before = fingerprint(hasty)
    with pytest.raises(IllegalAction):
        hasty.push(0, {"type": "rest"})
    assert fingerprint(hasty) == before


def test_undoing_a_removal_keeps_the_order_of_the_view() -> None:
    state: Any = gem_run.GAME.start(chance=Seeded(1))
    before = state.view()
    mark = state.mark
    gem = state.gems[0]
    state.gems = state.gems[1:]
    state.remove(gem)
    assert state.delta(mark)[-3:] == [gem.id, "-", None]
    state.pop(mark)
    assert state.view() == before


def test_asking_for_the_delta_of_a_player_does_not_reorder_the_state() -> None:
    state: Any = cellar.GAME.start(chance=Seeded(1))
    card = next(one for one in state.legal_actions() if one["type"] == "play")
    mark = state.push(0, card, Seeded(2))
    after = state.view()
    for player in (0, 1):
        state.delta(mark, player)
    assert state.view() == after


def test_a_delta_holds_each_change_once_and_nothing_that_changed_back() -> None:
    state: Any = gem_run.GAME.start(chance=Seeded(1))
    mark = state.mark
    state.turn = 9
    state.turn = 8
    runner = state.runners[0]
    runner.mood = "tired"
    runner.mood = "fresh"
    assert state.delta(mark) == ["game", "turn", 8]


def test_writing_the_value_that_a_field_has_leaves_no_trace() -> None:
    state: Any = gem_run.GAME.start(chance=Seeded(1))
    runner = state.runners[0]
    mark = state.mark
    state.turn = state.turn
    state.turn = 10**6
    state.turn = int("1000000")
    runner.mood = "".join(["fr", "esh"])
    state.gems = (*state.gems,)
    assert state.mark == mark + 1
    assert state.delta(mark) == ["game", "turn", 10**6]


@pytest.mark.parametrize(("old", "new"), [(1, True), (0, False), (1, 1.0), (0.0, -0.0), ((1,), (True,)), ((), None)])
def test_an_equal_value_of_another_kind_is_written(old: Any, new: Any) -> None:
    state: Any = gem_run.GAME.start(chance=Seeded(1))
    state.collected = old
    mark = state.mark
    state.collected = new
    assert state.mark == mark + 1
    assert repr(state.collected) == repr(new)
    state.pop(mark)
    assert repr(state.collected) == repr(old)


def test_every_entity_knows_its_game() -> None:
    state: Any = gem_run.GAME.start(chance=Seeded(1))
    copy = state.clone()
    restored = type(state).from_view(state.view(), state.options)
    for one in (state, copy, restored):
        assert one.game is one
        assert all(runner.game is one for runner in one.runners)


def test_a_field_cannot_be_named_game() -> None:
    with pytest.raises(GameError, match="the framework uses this name"):
        type(Entity)("Thing", (Entity,), {"game": field("A game.")})


def test_what_came_and_went_is_not_in_the_delta() -> None:
    state: Any = gem_run.GAME.start(chance=Seeded(1))
    mark = state.mark
    gem = state.create(gem_run.Gem, "g9", worth=1)
    gem.x = 3
    state.remove(gem)
    assert state.delta(mark) == []


def test_the_id_of_an_entity_that_was_removed_since_the_last_commit_is_refused() -> None:
    state: Any = gem_run.GAME.start(chance=Seeded(1))
    mark = state.mark
    gem = state.gems[0]
    state.gems = state.gems[1:]
    state.remove(gem)
    with pytest.raises(GameError, match=f"An object with the id {gem.id} was removed. Give the new Gem an id of its"):
        state.create(gem_run.Gem, gem.id, worth=1)
    state.pop(mark)
    assert state.entity(gem.id) is gem
    brief = state.create(gem_run.Gem, "g9", worth=1)
    state.remove(brief)
    state.pop(mark)
    state.create(gem_run.Gem, "g9", worth=1)  # undone: no entity has had this id


def test_true_and_one_are_different_values() -> None:
    state: Any = cellar.GAME.start(chance=Seeded(1))
    mark = state.mark
    state.turn = True
    assert state.delta(mark) == ["game", "turn", True]
    assert state.delta(mark, 0) == ["game", "turn", True]


def test_references_travel_as_ids_and_frozensets_sorted() -> None:
    state: Any = gem_run.GAME.start(chance=Seeded(1))
    root = fold({}, state.view())["game"]
    assert root["runners"] == ["r0", "r1"]
    assert root["rocks"] == ["s0", "s1"]


def test_the_value_of_an_action_and_its_clone() -> None:
    state: Any = cellar.GAME.start(chance=Seeded(1))
    state.push(0, {"type": "stash", "card": "k1"}, Seeded(2))
    assert state.value is state.entity("k7")
    assert state.clone().value is None


def test_what_a_player_sees_of_a_card_that_goes_into_the_cellar() -> None:
    state: Any = cellar.GAME.start(chance=Seeded(1))
    mark = state.push(0, {"type": "stash", "card": "k1"}, Seeded(2))
    seen = state.delta(mark, 1)
    assert seen[-3:] == ["k1", "-", None]
    assert seen[:3] == ["k7", "+", "Card"]
    assert seen[seen.index("rank") + 1] is None
    assert state.events(mark, 1) == []
    assert state.events(mark, 0) == state.events(mark) != []


def test_sealed_orders_stay_sealed_until_both_have_chosen() -> None:
    state: Any = sealed_orders.GAME.start()
    first = state.push(0, {"type": "choose", "hand": "rock"})
    assert state.to_move() == (1,)
    assert state.delta(first, 1) == []
    assert state.delta(first, 0) == ["p0", "sealed", "rock"]
    second = state.push(1, {"type": "choose", "hand": "scissors"})
    assert state.events(second, 1) == [{"kind": "shown", "hands": ["rock", "scissors"]}]
    assert state.scores() == (1.0, 0.0)


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
@settings(max_examples=25)
@given(data=st.data())
def test_any_walk_of_pushes_and_pops_and_copies(game: GameSpec, data: st.DataObject) -> None:
    """Walk up and down at random; every mark must bring back exactly what was there when it was made.

    A copy takes over in the middle of the walk, with the marks of its original.
    """
    state = game.start(chance=Seeded(data.draw(st.integers(0, 5))))
    stack: list[tuple[int, Any]] = []
    for step in data.draw(st.lists(st.sampled_from(STEPS), max_size=12)):
        if step == "push" and state.to_move():
            player = data.draw(st.sampled_from(state.to_move()))
            action = data.draw(st.sampled_from(state.legal_actions(player)))
            stack.append((state.mark, fingerprint(state)))
            state.push(player, action, Seeded(data.draw(st.integers(0, 9))))
        elif step == "pop" and stack:
            level = data.draw(st.integers(0, len(stack) - 1))
            mark, before = stack[level]
            del stack[level:]
            state.pop(mark)
            assert fingerprint(state) == before
        elif step == "clone":
            assert fingerprint(state.clone()) == fingerprint(state)
        elif step == "copy":
            copy = data.draw(st.sampled_from([deepcopy, lambda state: pickle.loads(pickle.dumps(state))]))(state)
            for level in stack[-1:]:
                assert copy.delta(level[0]) == state.delta(level[0])
                assert copy.events(level[0]) == state.events(level[0])
            assert fingerprint(copy) == fingerprint(state)
            state = copy
        elif step == "refuse":
            before = fingerprint(state)
            with pytest.raises(IllegalAction):
                state.push(0, {"type": "sing"}, Seeded(Random(1).random().hex()))
            assert fingerprint(state) == before


@pytest.mark.parametrize(
    ("delta", "words"),
    [
        (["a"], "not a multiple of three"),
        (["a", "+", "A", "a", "+", "A"], "sets a.+ twice".replace("+", r"\+")),
        (["a", "x", 1], "a does not exist"),
        (["a", "+", "A", "a", "x", 1, "a", "x", 2], "a.x twice"),
        (["a", "+", "A", "a", "x", float("nan")], "JSON does not have"),
        (["a", "+", "A", "a", "x", 2**63], "64 bits"),
        (["a", "+", "A", "a", "x", {1}], "cannot be sent"),
        (["a", "+", "A", "a", "x", {1: 2}], "which is not a string"),
    ],
)
def test_deltas_that_contradict_themselves(delta: list[Any], words: str) -> None:
    with pytest.raises(FoldError, match=words):
        fold({}, delta)


def test_values_of_any_kind_travel_as_lists() -> None:
    class Bag(cellar.GAME.state):  # type: ignore[misc,name-defined]
        mixed: tuple[int, str] = field("Values of two kinds.", (1, "a"))
        anything: Any = field("Sets and tuples within each other.", (frozenset({3, 1}), (2,)))

    view = replace(cellar.GAME, name="bag", state=Bag).start({}, Seeded(1)).view()
    found = dict(zip(view[1::3], view[2::3], strict=False))
    assert found["mixed"] == [1, "a"]
    assert found["anything"] == [[1, 3], [2]]


def test_a_clone_keeps_none_in_a_field_of_entities() -> None:
    class Party(cellar.GAME.state):  # type: ignore[misc,name-defined]
        guests: tuple[cellar.Player, ...] | None = field("The guests; None before they are known.", None)
        rivals: frozenset[cellar.Player] = field("The rivals; None until the rules set them.")

    state = replace(cellar.GAME, name="party", state=Party).start({}, Seeded(1))
    copy = state.clone()
    assert (copy.guests, copy.rivals) == (None, None)
    state.guests = tuple(state.players)
    assert [guest.id for guest in state.clone().guests] == [player.id for player in state.players]
