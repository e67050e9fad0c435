import kuhn_poker_game
import lowest_bid_game

from arena.game import load
from arena_learn.spaces.probe import probe


def test_the_probe_finds_how_many_objects_there_are_and_who_acts_with_them() -> None:
    game = load("saloon")
    found = probe(game, game.resolve_options({}), matches=2)
    assert (found.width, found.height) == (22, 12)
    assert found.owners == {"Cowboy": "owner", "YoungGun": "owner"}
    assert found.counts["YoungGun"][""] == {0: 2}
    assert found.counts["YoungGun"]["owner"] == {0: 1, 1: 1}
    assert found.fields["Cowboy"]["health"].high == 10
    assert set(found.parameters["move"]["tile"].offsets) == {(0, 1), (1, 0), (0, -1), (-1, 0)}


def test_the_probe_finds_the_same_each_time() -> None:
    game = load("snakes")
    options = game.resolve_options({"players": 3})
    assert probe(game, options) == probe(game, options)


def test_numbers_of_actions_and_cards() -> None:
    bids = lowest_bid_game.spec()
    number = probe(bids, bids.resolve_options({})).parameters["choose"]["number"]
    assert (number.low, number.high) == (1, 5)
    poker = kuhn_poker_game.spec()
    cards = probe(poker, poker.resolve_options({})).fields["Seat"]["card"]
    assert (cards.low, cards.high) == (1, 3)
