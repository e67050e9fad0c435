"""What a player can learn from a match: mistakes that are planted in good bots, and what they cost."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from time import monotonic
from typing import Any

import pytest

from arena.errors import ArenaError
from arena.game import Mistake
from arena.match.lookup import find_game
from arena.play.memory import play_in_memory
from arena.study.coach.habits import gave_no_orders, left_a_unit_idle
from arena.study.coach.lessons import detect
from arena.study.coach.playing_bots import bot_class
from arena.study.coach.playouts import has_all, leaving_out
from arena.study.coach.prices import FRESH, MOST_PAIRS, PAIRS, Pricing, shown
from arena.study.coach.process_pool import ProcessPool
from arena.study.coach.recorded_match import RecordedMatch
from arena.study.coach.turns import turns_of

SALOON = find_game("saloon")
OPTIONS = {"width": 12, "height": 8, "max_turns": 40}
FIRST, LAST = 10, 20
"""The turns without orders, as the game numbers them from 0."""
BOT = "builtin:sheriff"


@pytest.fixture(scope="module")
def lost(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A match of sheriff against itself, in which the first one gives no order for some turns."""
    path = tmp_path_factory.mktemp("lessons") / "lost.arena"

    class Absent(bot_class(SALOON, BOT)):
        def run_turn(self) -> None:
            if not FIRST <= self.turn <= LAST:
                super().run_turn()

    play_in_memory("saloon", [Absent, BOT], seed=1, options=OPTIONS, replay=path)
    return path


def test_the_turns_of_a_player_follow_each_other(lost: Path) -> None:
    match = RecordedMatch.of_file(lost)
    turns = turns_of(match, 0)
    assert [turn.number for turn in turns] == list(range(1, match.turns + 1, 2))
    for turn, following in pairwise(turns):
        assert turn.later is following.before
        assert turn.before.to_move() == (0,)
        assert turn.after.to_move() == (1,)
    assert turns[-1].later.outcome() is not None


def test_turns_without_orders_are_found_and_cost_what_playouts_confirm(lost: Path) -> None:
    match = RecordedMatch.of_file(lost)
    numbers = [turn.number for turn in turns_of(match, 0) if FIRST < turn.number <= LAST + 1]
    [mistake] = gave_no_orders(turns_of(match, 0))
    assert (list(mistake.turns), mistake.missing) == (numbers, {})
    assert list(gave_no_orders(turns_of(match, 1))) == []
    with ProcessPool(lost) as pool:
        kinds = [kind for kind in detect(match, 0) if kind.name == "gave_no_orders"]
        pricing = Pricing(match, pool, kinds, BOT)
        for _ in pricing.run(monotonic() + 60):
            pass
    lesson = next(one for one in pricing.documents() if one["kind"] == "gave_no_orders")
    assert (lesson["player"], lesson["from_turn"], lesson["to_turn"]) == (0, numbers[0], numbers[-1])
    assert lesson["price"]["low"] > 0
    assert lesson["text"] == "You gave no order in 6 turns running. Use every turn."


def test_a_mistake_that_costs_nothing_is_no_lesson(lost: Path) -> None:
    match = RecordedMatch.of_file(lost)

    def played_as_it_was(turns):
        yield Mistake("You did what you did.", [turns[0].number], better=turns[0].actions)

    match.game = replace(match.game, lessons=(played_as_it_was,))
    with ProcessPool(lost) as pool:
        kinds = [kind for kind in detect(match, 1) if kind.name == "played_as_it_was"]
        pricing = Pricing(match, pool, kinds, BOT)
        for _ in pricing.run(monotonic() + 60):
            pass
    assert len(pricing.kinds) == 1
    assert pricing.playouts
    assert pricing.documents() == []


def test_a_mistake_with_bad_luck_in_the_screening_is_played_again(lost: Path) -> None:
    class Lucky:
        processes = 1

        def ask(self, questions, deadline):
            for number, (*_, seeds) in enumerate(questions):
                gains = [0.3 if seed >= FRESH else (-0.6 if seed == 0 else 0.05) for seed in seeds]
                yield number, [((0.5, 0.5), (0.5 + gain, 0.5 - gain)) for gain in gains]

    match = RecordedMatch.of_file(lost)
    kinds = [kind for kind in detect(match, 0) if kind.name == "gave_no_orders"]
    pricing = Pricing(match, Lucky(), kinds, BOT)
    for _ in pricing.run(monotonic() + 60):
        pass
    assert pricing.price(0, fresh=False).all.value < 0
    assert [one["kind"] for one in pricing.documents()] == ["gave_no_orders"]


@pytest.mark.parametrize(("results", "is_clear"), [((0.5, 0.5), True), ((0.0, 1.0), False)])
def test_equal_results_are_less_certain_if_playouts_are_won_or_lost(lost: Path, results, is_clear) -> None:
    class Equal:
        processes = 1

        def ask(self, questions, deadline):
            for number, (*_, seeds) in enumerate(questions):
                yield number, [(results, results) for _ in seeds]

    match = RecordedMatch.of_file(lost)
    kinds = [kind for kind in detect(match, 0) if kind.name == "gave_no_orders"]
    pricing = Pricing(match, Equal(), kinds, BOT)
    rounds = list(pricing.confirm([0], monotonic() + 60))
    assert (len(rounds) == 1) == is_clear
    assert len(rounds) < MOST_PAIRS // PAIRS


def test_harmless_mistakes_do_not_hide_a_dear_one(lost: Path) -> None:
    match = RecordedMatch.of_file(lost)
    chosen = turns_of(match, 0)[:6]

    def erred(_):
        for turn in chosen:
            yield Mistake("You erred.", [turn.number])

    class Fixed:
        processes = 1

        def ask(self, questions, deadline):
            for number, (_, index, *_, seeds) in enumerate(questions):
                gain = 0.2 if match.parts[index].turn == chosen[2].number else -0.2
                yield number, [((0.4, 0.6), (0.4 + gain, 0.6 - gain)) for _ in seeds]

    match.game = replace(match.game, lessons=(erred,))
    pricing = Pricing(match, Fixed(), [kind for kind in detect(match, 0) if kind.name == "erred"], BOT)
    for _ in pricing.run(monotonic() + 60):
        pass
    [lesson] = pricing.documents()
    assert (lesson["turns"], lesson["count"]) == ([chosen[2].number], 1)
    assert lesson["price"]["value"] == pytest.approx(0.2)


def test_orders_that_are_left_out_turn_after_turn_are_one_habit(lost: Path) -> None:
    match = RecordedMatch.of_file(lost)

    def never_played(turns):
        for turn in turns[FIRST // 2 + 1 : LAST // 2 + 1]:
            yield Mistake("You did not play.", [turn.number], better=[{"type": "play"}, *turn.actions])

    match.game = replace(match.game, lessons=(never_played,))
    [kind] = [kind for kind in detect(match, 0) if kind.name == "never_played"]
    [(habit, part)] = kind.mistakes
    assert (habit.missing, list(habit.turns)) == ({"type": "play"}, [13, 15, 17, 19, 21])
    assert part.turn == 13
    assert habit.text == "You did not play. It was the same in 5 of your turns."


def test_orders_are_left_out_up_to_a_turn(tmp_path: Path) -> None:
    path = tmp_path / "match.arena"
    bot = leaving_out(bot_class(SALOON, BOT), {"type": "call_in"}, LAST)
    play_in_memory("saloon", [bot, BOT], seed=1, options=OPTIONS, replay=path)
    match = RecordedMatch.of_file(path)
    called = {
        player: [
            part.number
            for part in match.parts
            if part.player == player
            for one in part.actions
            if has_all(one, {"type": "call_in"})
        ]
        for player in (0, 1)
    }
    assert min(called[1]) < LAST < min(called[0])


def test_a_habit_of_some_units_names_them(lost: Path) -> None:
    match = RecordedMatch.of_file(lost)
    order = {"type": "move", "cowboy": "c1", "x": 1, "y": 1}
    busy = [turn for turn in turns_of(match, 0) if any(one["type"] == "move" for one in turn.actions)]

    def stayed(_):
        for turn in busy[:3]:
            yield Mistake("c9 stayed.", [turn.number], better=[{**order, "cowboy": "c9"}, *turn.actions])

    match.game = replace(match.game, lessons=(stayed,))
    [kind] = [kind for kind in detect(match, 0) if kind.name == "stayed"]
    assert kind.mistakes[0][0].missing == {"type": "move", "cowboy": ["c9"]}
    assert has_all({**order, "cowboy": "c9"}, kind.mistakes[0][0].missing)
    assert not has_all(order, kind.mistakes[0][0].missing)


def test_a_unit_is_not_called_idle_beside_a_lesson_of_the_game_that_says_so(lost: Path) -> None:
    match = RecordedMatch.of_file(lost)
    numbers = [turn.number for turn in turns_of(match, 0)]

    def called_nobody(_):
        yield Mistake("You called nobody in.", numbers, missing={"type": "call_in"})

    def idle(_):
        yield Mistake("The young gun was idle.", numbers, missing={"young_gun": "g0"})

    match.game = replace(match.game, lessons=(idle,))
    assert "idle" in [kind.name for kind in detect(match, 0)]
    match.game = replace(match.game, lessons=(called_nobody, idle))
    assert "idle" not in [kind.name for kind in detect(match, 0)]


def test_what_a_turn_should_not_have_had_is_left_out_together(lost: Path) -> None:
    match = RecordedMatch.of_file(lost)
    [turn, *_] = [turn for turn in turns_of(match, 0) if len(turn.actions) >= 4]

    def did_too_much(_):
        for action in turn.actions[:3]:
            yield Mistake("Too much.", [turn.number], better=turn.without(action), units=["a"])

    match.game = replace(match.game, lessons=(did_too_much,))
    [kind] = [kind for kind in detect(match, 0) if kind.name == "did_too_much"]
    [(mistake, _)] = kind.mistakes
    assert mistake.better == turn.actions[3:]
    assert (mistake.text, list(mistake.units)) == ("Too much. It was 3 times the same in this turn.", ["a"])


def test_a_lesson_that_matters_is_told_before_what_a_bot_chose() -> None:
    def lesson(name: str, turn: int, price: float, *, recovered: bool = False) -> dict[str, Any]:
        about = {"kind": name, "player": 0, "from_turn": turn, "to_turn": turn, "price": {"value": price}}
        return about | {"count": 1, "recovered": recovered}

    found = [lesson("forgiven", 5, 0.4, recovered=True), lesson("dear", 1, 0.1), lesson("cheap", 2, 0.04)]
    choices = [lesson("chosen", 3, 0.3), lesson("same turn", 2, 0.2), lesson("chosen too", 4, 0.03)]
    assert [one["kind"] for one in shown(found, choices)] == ["dear", "chosen", "cheap", "chosen too", "forgiven"]


def test_a_unit_without_orders_is_named_with_its_turns(tmp_path: Path) -> None:
    path = tmp_path / "match.arena"
    play_in_memory("saloon", ["builtin:pianist", BOT], seed=1, replay=path)
    match = RecordedMatch.of_file(path)
    found = list(left_a_unit_idle(match, turns_of(match, 0)))
    assert found
    for mistake in found:
        [unit] = mistake.units
        assert f" {unit} had no order" in mistake.text
        assert mistake.missing == {"cowboy": unit}
        stretch = [turn for turn in turns_of(match, 0) if turn.number in mistake.turns]
        assert all(turn.actions and all(one.get("cowboy") != unit for one in turn.actions) for turn in stretch)


def test_a_detector_with_an_error_is_named(lost: Path) -> None:
    match = RecordedMatch.of_file(lost)

    def broken(turns):
        yield Mistake(turns[0].nothing, [1])

    match.game = replace(match.game, lessons=(broken,))
    with pytest.raises(ArenaError, match="The detector broken of saloon failed: AttributeError"):
        detect(match, 0)
