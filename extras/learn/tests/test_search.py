"""builtin:search: it plays every game, in the sandbox and in memory, within its budget."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from random import Random
from typing import Any

import frontier_game
import kuhn_poker_game
import lanterns_game
import liars_dice_game
import lowest_bid_game
import masks_game
import pytest

from arena.game import GameSpec, Sampled, Seeded, load
from arena.play.memory import MatchInMemory, bot_class, play_in_memory, settings_of
from arena.study.coach.playing_bots import required_bots
from arena.study.coach.playouts import PlayoutPolicy, play_on
from arena.testing import play_match
from arena_learn.search.bot.engine import BadBudget, Budget, Searcher
from arena_learn.search.bot.engine.bots import Bots
from arena_learn.search.bot.engine.budget import Meter
from arena_learn.search.bot.engine.plans import Planner
from arena_learn.search.bot.engine.tree import Arm, Table
from arena_learn.search.bot.engine.values import value_of_scores
from arena_learn.search.policy import SearchPolicy, guess
from arena_player import AI

WORKED = (frontier_game, kuhn_poker_game, lanterns_game, liars_dice_game, lowest_bid_game, masks_game)
SMALL: dict[str, dict[str, Any]] = {
    "saloon": {"max_turns": 8},
    "snakes": {"players": 3},
    "frontier": {"units": 2, "turns": 6},
}


def play_some(game: GameSpec, settings: dict[str, int], actions: int) -> list[Any]:
    """Let the search play all seats for some actions, and return the actions."""
    options = {
        name: value for name, value in SMALL.get(game.name, {}).items() if name in {o.name for o in game.options}
    }
    players = game.players_in(game.resolve_options(options))
    policies = [SearchPolicy(settings, Random(player)) for player in range(players)]
    match = MatchInMemory(game, policies, seed=3, options=options, raises=True)
    steps = 0
    while match.player is not None and steps < actions:
        match.step()
        steps += 1
    return [match.state.to_document()]


@pytest.mark.parametrize("name", ["saloon", "laser_flag", "derelict", "snakes"])
def test_it_plays_our_games(name: str) -> None:
    game = load(name)
    assert play_some(game, {"playouts": 3}, 4) == play_some(game, {"playouts": 3}, 4)


@pytest.mark.parametrize("module", WORKED, ids=lambda module: str(module.__name__))
def test_it_plays_the_games_of_the_documents(module: Any) -> None:
    """They hide cards, bid at the same time, list forms, have teams and payoffs, or are cooperative."""
    play_some(module.spec(), {"playouts": 6}, 12)


def test_nobody_folds_the_best_card_and_nobody_calls_with_the_worst() -> None:
    """Both are mistakes whatever the opponent holds. The search guesses that card, and rolls the later ones."""
    game = kuhn_poker_game.spec()
    seen = set()
    for seed in range(12):
        state = game.start({"hands": 2}, Sampled(Random(seed)))
        state.push(0, {"type": "bet"})
        card = state.seats[1].card
        if card in seen or card == 2:
            continue
        seen.add(card)
        fork = partial(guess, game, state, 1)
        choice = Searcher(game, 1, 2, Budget(playouts=150), Random(1)).choose(fork)
        assert choice is not None
        assert choice.action == {"type": "bet" if card == 3 else "pass"}
    assert seen == {1, 3}


def test_the_bot_plays_as_the_policy_does_within_the_rules() -> None:
    result = play_in_memory(
        "saloon", ["builtin:search?playouts=5", "builtin:rowdy"], seed=1, options={"max_turns": 6}, raises=True
    )
    assert result.turns == 6
    assert result.players[0].clock.turns == 3
    assert not result.players[0].refusals


@pytest.mark.process
@pytest.mark.sandbox
def test_it_plays_in_the_sandbox_with_its_settings() -> None:
    bots = ["builtin:search?playouts=5", "builtin:search"]
    result = play_match("saloon", bots, seed=1, options={"max_turns": 2})
    for player in result.players:
        assert player.ending in ("won", "lost", "drawn"), player.stderr
        assert not player.refusals


def test_the_search_cannot_see_what_is_hidden() -> None:
    """A guess differs from the truth in what the player does not see."""
    game = kuhn_poker_game.spec()
    state = game.start({}, Sampled(Random(2)))
    player = state.to_move()[0]
    guesses = [guess(game, state, player, Random(number)) for number in range(12)]
    assert all(one.view(player) == state.view(player) for one in guesses)
    assert len({str(one.view(1 - player)) for one in guesses}) > 1


def test_it_plays_on_for_explanations_of_a_game_without_bots() -> None:
    game = replace(load("snakes"), bots=())
    [reference] = required_bots(game)
    policy = PlayoutPolicy(game, (bot_class(game, reference),), 0.0, (settings_of(game, reference),))
    state = game.start({"players": 2, "size": 7}, Seeded(1))
    assert sum(play_on(policy, state, 1)) == pytest.approx(1)
    assert policy.settings_of([None, None]) == [{"playouts": "4"}] * 2


# -- the parts ---------------------------------------------------------------------------------------


def test_a_budget_is_shared_by_the_actions_of_a_turn() -> None:
    meter = Meter(Budget(playouts=100), actions=5)
    counts = []
    for _ in range(4):
        meter.allow(None)
        count = 0
        while not meter.is_empty:
            meter.count()
            count += 1
        counts.append(count)
    assert counts[0] == 40
    assert counts == sorted(counts, reverse=True)
    assert sum(counts) <= 100


def test_a_turn_of_one_action_gets_the_whole_budget() -> None:
    meter = Meter(Budget(playouts=100), actions=1)
    meter.allow(None)
    for _ in range(100):
        assert not meter.is_empty
        meter.count()
    assert meter.is_empty


def test_the_clock_limits_the_time_but_not_the_playouts() -> None:
    meter = Meter(Budget(seconds=1000), actions=1)
    meter.allow(0.0)
    assert meter.is_empty
    meter = Meter(Budget(playouts=10), actions=1)
    meter.allow(0.0)
    assert not meter.is_empty


def test_a_budget_that_is_used_up_stays_so() -> None:
    """The clock is not read at each call, but whoever asks a second time gets the same answer."""
    meter = Meter(Budget(seconds=1e-9), actions=1)
    for _ in range(10_000):
        meter.count()
    meter.allow(None)
    assert meter.is_empty
    assert meter.is_empty


@pytest.mark.parametrize("text", ["0", "-1", "many", "inf", "nan"])
def test_an_impossible_budget_is_refused(text: str) -> None:
    with pytest.raises(BadBudget, match=f"playouts must be a number above 0, not {text}"):
        Budget.of({"playouts": text})


def test_scores_become_shares() -> None:
    assert value_of_scores((6, 2), (), 2) == pytest.approx((0.5 + 0.5 * 4 / 9, 0.5 - 0.5 * 4 / 9))
    assert value_of_scores((1, 9), (1,), 2) == (1.0, 0.0)
    assert value_of_scores((), (), 3) == (0.5, 0.5, 0.5)


def test_an_untried_action_is_tried_and_a_better_one_is_kept() -> None:
    table, rng = Table(), Random(1)
    for key in "abc":
        table.arms[key] = Arm({"type": key}, key)
    for _ in range(300):
        arm = table.select(rng, 0.5, 0.3)
        table.learn(arm, {"a": 0.2, "b": 0.8, "c": 0.4}[arm.key])
    assert table.best(0.5).key == "b"
    assert all(arm.visits for arm in table.arms.values())


def planner_of(name: str, options: dict[str, Any], player: int = 0) -> Planner:
    """Return a planner of the first turn of a match."""
    game, rng = load(name), Random(2)
    state = game.start(game.resolve_options(options), Sampled(rng))
    return Planner(player, 2, Bots(game, 2), lambda: state, rng)


def test_a_plan_is_a_turn_of_a_bot_that_changes_only_for_a_better_one() -> None:
    planner = planner_of("saloon", {})
    first = planner.best
    assert first.actions[-1] == {"type": "end_turn"}
    for _ in range(60):
        planner.improve()
    assert planner.best is not first
    assert sum(planner.best.gains(first)) > 0


def test_a_plan_of_two_players_at_once_is_one_action() -> None:
    planner = planner_of("snakes", {"players": 2})
    for _ in range(10):
        planner.improve()
    assert len(planner.best.actions) == 1


def test_a_plan_is_never_empty() -> None:
    planner = planner_of("snakes", {"players": 2})
    assert all(plan.actions for _ in range(40) if (plan := planner._changed()))


def test_a_better_plan_must_be_better_in_several_scenarios_if_there_are_dice() -> None:
    planner = planner_of("snakes", {"players": 2})
    first = planner.best
    for _ in range(80):
        planner.improve()
    assert planner.best is first or len(planner.best.values) >= 4


def test_a_bot_that_fails_in_a_playout_plays_fallback_actions() -> None:
    class Failing(AI):
        def run_turn(self) -> None:
            raise RuntimeError

    game = load("snakes")
    bots = Bots(game, 2)
    bots.classes = (Failing,)
    state = game.start(game.resolve_options({"players": 2}), Sampled(Random(2)))
    before = state.turn_number()
    assert bots.turn(Failing, state.clone(), 1, Sampled(Random(1))) == [state.fallback_action(1)]
    bots.play_on(state, Sampled(Random(1)), 4)
    assert state.turn_number() == before + 2


def test_the_rest_of_a_plan_is_played_while_nothing_unexpected_happens() -> None:
    game = load("saloon")
    state = game.start(game.resolve_options({}), Sampled(Random(2)))
    searcher = Searcher(game, 0, 2, Budget(playouts=4), Random(1))
    counts = []
    while 0 in state.to_move() and state.turn_number() == 0:
        choice = searcher.choose(partial(guess, game, state, 0))
        assert choice is not None
        counts.append(choice.playouts)
        state.push(0, choice.action)
    assert len(counts) > 1
    assert counts == [4] + [0] * (len(counts) - 1)
