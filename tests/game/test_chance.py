"""Where dice come from: seeds, scripts, samples, and all the ways they can fall."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any

import broken_games
import cellar_game as cellar
import gem_run_game as gem_run
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.game import (
    Chance,
    Integers,
    NoChance,
    Normal,
    Real,
    Sampled,
    Scripted,
    ScriptError,
    Seeded,
    enumerate_chance,
)
from arena_player.fork import state_of_view

DIE = Integers(1, 6)


def test_two_dice_fall_in_36_ways_of_equal_probability() -> None:
    sums: Counter[int] = Counter()
    for probability, total in enumerate_chance(lambda chance: chance.draw(DIE) + chance.draw(DIE)):
        assert probability == pytest.approx(1 / 36)
        sums[total] += 1
    assert sums[7] == 6
    assert sums[2] == sums[12] == 1
    assert sum(sums.values()) == 36


def test_a_draw_that_depends_on_another_gets_its_own_branch() -> None:
    def run(chance: Chance) -> tuple[int, ...]:
        first = chance.draw(Integers(0, 1))
        return (first, chance.draw(Integers(0, 2))) if first else (first,)

    assert list(enumerate_chance(run)) == [
        (0.5, (0,)),
        (0.5 / 3, (1, 0)),
        (0.5 / 3, (1, 1)),
        (0.5 / 3, (1, 2)),
    ]


def test_without_a_draw_there_is_one_way() -> None:
    assert list(enumerate_chance(lambda _: "done")) == [(1.0, "done")]


def test_real_numbers_cannot_be_enumerated() -> None:
    for distribution in (Real(), Normal(0, 1)):
        with pytest.raises(ScriptError, match="cannot be enumerated"):
            list(enumerate_chance(lambda chance, one=distribution: chance.draw(one)))


@given(st.lists(st.integers(1, 4), max_size=4))
def test_probabilities_add_up_to_one(sizes: list[int]) -> None:
    def run(chance: Chance) -> list[int]:
        return [chance.draw(Integers(1, size)) for size in sizes]

    outcomes = list(enumerate_chance(run))
    assert sum(probability for probability, _ in outcomes) == pytest.approx(1)
    assert len({tuple(values) for _, values in outcomes}) == len(outcomes)


def test_all_falls_of_the_dice_of_an_action_leave_the_state_as_it_was() -> None:
    state = cellar.GAME.start(chance=Seeded(1))
    before = state.digest()
    raid = next(one for one in state.legal_actions() if one["type"] == "raid")

    def run(chance: Chance) -> bool:
        mark = state.push(0, raid, chance)
        taken = state.entity(raid["card"]).owner.index == 0
        state.pop(mark)
        return bool(taken)

    assert sum(probability for probability, taken in enumerate_chance(run) if taken) == pytest.approx(1 / 3)
    assert state.digest() == before


def test_a_script_that_is_too_short_says_for_what() -> None:
    chance = Scripted([3])
    assert chance.draw(DIE, "luck") == 3
    with pytest.raises(ScriptError, match="no value left for the draw luck"):
        chance.draw(DIE, "luck")


@pytest.mark.parametrize(
    ("distribution", "value"),
    [
        (DIE, 0),
        (DIE, 7),
        (DIE, True),
        (DIE, 2.0),
        (DIE, "3"),
        (DIE, None),
        (Real(), 1),
        (Real(), -0.1),
        (Real(), False),
        (Normal(0, 1), "0"),
        (Normal(0, 1), True),
    ],
)
def test_a_script_with_an_impossible_value(distribution: Any, value: Any) -> None:
    chance = Scripted([value])
    with pytest.raises(ScriptError, match="cannot come from"):
        chance.draw(distribution)
    assert chance.left == 1
    assert chance.draws == []


def test_draws_are_recorded_and_taken() -> None:
    chance = Seeded(3)
    value = chance.draw(DIE, "secret die", public=False)
    (draw,) = chance.take()
    assert (draw.label, draw.distribution, draw.value, draw.public) == ("secret die", DIE, value, False)
    assert chance.take() == []


@pytest.mark.parametrize(
    ("public", "hides", "sent"),
    [(None, False, True), (None, True, False), (True, True, True), (False, False, False)],
)
def test_a_draw_is_secret_where_anything_is_hidden_unless_it_is_declared_public(
    public: bool | None, hides: bool, sent: bool
) -> None:
    chance = Seeded(3)
    chance.draw(DIE, "die", public=public)
    assert chance.take()[0].is_sent(hides) is sent


def test_the_same_seed_gives_the_same_values_and_another_seed_others() -> None:
    values = [[chance.draw(Real()) for _ in range(5)] for chance in (Seeded(1), Seeded(1), Seeded("1/x"))]
    assert values[0] == values[1] != values[2]


@given(st.integers(-100, 100), st.integers(0, 100), st.integers(0, 2**32))
def test_samples_come_from_their_distribution(low: int, span: int, seed: int) -> None:
    chance = Sampled(Random(seed))
    for distribution in (Integers(low, low + span), Real(), Normal(low, span + 1)):
        assert distribution.holds(chance.draw(distribution))


def test_rules_that_draw_where_no_chance_was_passed() -> None:
    state = cellar.GAME.start(chance=Seeded(1))
    play = next(one for one in state.legal_actions() if one["type"] == "play")
    state.use_chance(NoChance())
    before = state.digest()
    with pytest.raises(ScriptError, match="no chance was passed"):
        state.push(0, play)
    assert state.digest() == before
    with pytest.raises(ScriptError, match=r"rules made a draw \(spot\)"):
        gem_run.GAME.start()


def test_a_state_keeps_no_dice() -> None:
    state = broken_games.spec(broken_games.Pile).start(chance=Seeded(1))
    state.push(0, {"type": "take", "count": 2}, Seeded(2))
    for one in (state, state.clone()):
        assert isinstance(one.chance, NoChance)


def lucks(state: Any, count: int = 4) -> list[Any]:
    """Play cards and return what was rolled."""
    rolled = []
    for _ in range(count):
        player = state.to_move()[0]
        mark = state.push(player, next(one for one in state.legal_actions() if one["type"] == "play"))
        rolled.append(next(event["roll"] for event in state.events(mark)))
    return rolled


def test_the_dice_of_the_start_stay_with_the_state() -> None:
    one, other, third = (cellar.GAME.start(chance=Seeded(seed)) for seed in (1, 1, 2))
    assert lucks(one) == lucks(other) != lucks(third)


def test_a_clone_has_dice_of_its_own_that_reveal_nothing() -> None:
    alone, copied = (cellar.GAME.start(chance=Seeded(1)) for _ in range(2))
    clones = [copied.clone() for _ in range(20)]
    rolls = [lucks(clone) for clone in clones]
    assert len({tuple(one) for one in rolls}) > 10, "clones would all be played with the same dice"
    own = lucks(copied)
    assert own == lucks(alone), "the clones have used the dice of the original"
    assert rolls.count(own) < 3
    assert [lucks(cellar.GAME.start(chance=Seeded(1)).clone()) for _ in range(2)] == [rolls[0]] * 2


def test_a_search_with_dice_works_as_in_the_tutorial() -> None:
    start = cellar.GAME.start(chance=Seeded(1))
    state = state_of_view(cellar.GAME, start.options.to_document(), start.view(0), 0, Random(3))
    before = state.digest()
    for one in state.legal_actions():
        state.pop(state.push(0, one))
    assert state.digest() == before
    assert len({lucks(state.clone(), 1)[0] for _ in range(40)}) > 3
