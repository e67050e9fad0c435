"""The check for leaks: correct games raise no alarm, and each planted leak is named."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import kuhn_poker_game
import kuhn_poker_leaks
import leduc_poker_game
import liars_dice_game
import liars_dice_leaks
import lowest_bid_game
import lowest_bid_leaks
import pytest
import sealed_orders_game

from arena.game import Entity, GameSpec, action, field
from arena.study.checks.contract.leaks import Run, find_leak
from arena.testing import check_game, inspect_game

pytestmark = pytest.mark.slow

SOUND = [
    kuhn_poker_game.spec(),
    leduc_poker_game.spec(),
    leduc_poker_game.spec(leduc_poker_game.NeverShown),
    liars_dice_game.spec(),
    lowest_bid_game.spec(),
]
LEAKS = [
    (game.spec(state), words)
    for game, leaks in (
        (kuhn_poker_game, kuhn_poker_leaks),
        (leduc_poker_game, leduc_poker_game),
        (liars_dice_game, liars_dice_leaks),
        (lowest_bid_game, lowest_bid_leaks),
    )
    for state, words in leaks.LEAKS
]


@pytest.mark.parametrize("game", SOUND, ids=lambda game: game.state.__name__)
@pytest.mark.parametrize("seed", range(2))
def test_a_correct_game_raises_no_alarm(game: GameSpec, seed: int) -> None:
    check_game(game, games=1, seed=seed)


@pytest.mark.kill  # checks with two to six players
def test_liars_dice_keeps_the_contract_with_any_number_of_players() -> None:
    check_game(liars_dice_game.spec(), games=6, options=[{"players": players} for players in (3, 6)])


@pytest.mark.parametrize(("game", "words"), LEAKS, ids=[game.state.__name__ for game, _ in LEAKS])
def test_every_leak_is_found_and_named(game: GameSpec, words: str) -> None:
    messages: list[str] = []
    for seed in range(10):
        report = inspect_game(game, games=1, seed=seed)
        messages += [finding.message for finding in report.findings if finding.rule == "secret"]
        if any(words in message for message in messages):
            return
    pytest.fail(str(messages))


class Fan(Entity):
    """Someone who always says the same."""

    hand: str = field("The hand that they like.", "rock")


class TwoHands(sealed_orders_game.Rounds):
    """The choice is between two texts, and one of them is always shown somewhere else."""

    classes = (sealed_orders_game.Player, Fan)

    def setup(self):
        super().setup()
        self.create(Fan, "fan")

    def load(self, document):
        super().load(document)
        self.create(Fan, "fan")

    @action
    def choose(self, hand: Literal["rock", "paper"]) -> None:
        """Choose one of two hands.

        Args:
            hand: What to show.
        """
        super().choose(hand)

    def legal_actions(self, player=None):
        return super().legal_actions(player)[:2]


def test_a_text_that_is_always_shown_does_not_reveal_that_it_was_chosen() -> None:
    check_game(replace(sealed_orders_game.GAME, state=TwoHands), games=1)


def runs(*pairs: tuple[str, str]) -> list[Run]:
    return [Run({(("c", "rank"),): secret}, {("events", 0, "x"): shown}) for secret, shown in pairs]


def test_a_value_that_agrees_by_accident_is_no_leak() -> None:
    few = [("1", "a"), ("2", "b")] * 3
    assert find_leak(runs(*few), 2) is None
    assert find_leak(runs(*few * 6), 2) is not None
    assert find_leak(runs(*few * 6, ("1", "b")), 2) is None


def test_a_consequence_with_few_values_is_no_leak() -> None:
    hit_or_miss = [(str(place), str(place == 3)) for place in range(5)] * 8
    assert find_leak(runs(*hit_or_miss), 2) is None
    two_known = [("1", "won"), ("3", "lost")] * 20
    assert find_leak(runs(*two_known), 4) is None


def test_a_secret_shown_literally_is_a_leak_with_two_values() -> None:
    assert find_leak(runs(*[("'low'", "'low'"), ("'high'", "'high'")] * 20), 4) is not None
