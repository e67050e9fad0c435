"""The check for leaks: correct games raise no alarm, and each planted leak is named."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import kuhn_poker_game
import kuhn_poker_leaks
import lanterns_game
import leduc_poker_game
import liars_dice_game
import liars_dice_leaks
import lowest_bid_game
import lowest_bid_leaks
import masks_game
import mission_game
import pytest
import sealed_orders_game
from shortened import shortened

from arena.game import Entity, GameSpec, action, field
from arena.study.checks.contract.evidence import Run, find_leak
from arena.testing import check_game, inspect_game

pytestmark = pytest.mark.slow

SOUND = [
    kuhn_poker_game.spec(),
    leduc_poker_game.spec(),
    leduc_poker_game.spec(leduc_poker_game.NeverShown),
    liars_dice_game.spec(),
    lowest_bid_game.spec(),
    mission_game.spec(),
]
LEAKS = [
    *(
        (game.spec(state), words)
        for game, leaks in (
            (kuhn_poker_game, kuhn_poker_leaks),
            (leduc_poker_game, leduc_poker_game),
            (liars_dice_game, liars_dice_leaks),
            (lowest_bid_game, lowest_bid_leaks),
        )
        for state, words in leaks.LEAKS
    ),
    *shortened((mission_game.spec(state), words) for state, words in mission_game.LEAKS),
]


@pytest.mark.parametrize("game", SOUND, ids=lambda game: game.state.__name__)
@pytest.mark.parametrize("seed", shortened(range(2)))
def test_a_correct_game_raises_no_alarm(game: GameSpec, seed: int) -> None:
    check_game(game, games=1, seed=seed)


def test_liars_dice_keeps_the_contract_with_six_players() -> None:
    check_game(liars_dice_game.spec(), games=1, options={"players": 6, "dice": 1})


@pytest.mark.kill  # dear checks of games in which what resolves a turn opens, replaces or passes on secrets
@pytest.mark.parametrize(
    ("game", "players"),
    [
        (liars_dice_game.spec(), (3, 6)),
        (masks_game.spec(), (3, 5)),
        (lanterns_game.spec(), (2, 5)),
        (lowest_bid_game.spec(), (3, 4)),
    ],
    ids=lambda value: value.name if isinstance(value, GameSpec) else "",
)
@pytest.mark.parametrize("seed", range(6))
def test_a_game_for_many_raises_no_alarm(game: GameSpec, players: tuple[int, ...], seed: int) -> None:
    check_game(game, games=2, seed=seed, options=[{"players": number} for number in players])


@pytest.mark.parametrize(
    ("game", "words"), LEAKS, ids=lambda value: value.state.__name__ if isinstance(value, GameSpec) else ""
)
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


def test_what_only_some_worlds_show_counts_where_all_secrets_are_mixed() -> None:
    def worlds(is_mixed: bool) -> list[Run]:
        without = [Run({(("c", "role"),): role}, {}, is_mixed) for role in ("'a'", "'b'")]
        shown = [Run({(("c", "role"),): role}, {("events", 0, "role"): role}, is_mixed) for role in ("'a'", "'b'")]
        return (without + shown) * 20

    assert find_leak(worlds(False), 4) is None
    assert find_leak(worlds(True), 4) is not None


def test_a_secret_shown_literally_is_a_leak_with_two_values() -> None:
    assert find_leak(runs(*[("'low'", "'low'"), ("'high'", "'high'")] * 20), 4) is not None
