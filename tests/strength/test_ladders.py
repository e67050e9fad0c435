"""The ladders of the games, and the setting that makes any bot weaker."""

import pytest

from arena.bots.bot import load_bot
from arena.bots.references import name_with_settings
from arena.errors import ArenaError
from arena.match.lookup import find_game
from arena.play.memory import MatchInMemory


@pytest.mark.parametrize(("name", "rungs"), [("saloon", 11), ("laser_flag", 10), ("derelict", 11), ("snakes", 11)])
def test_the_rungs_of_a_ladder_can_be_loaded(name, rungs):
    game = find_game(name)
    bots = {name_with_settings(load_bot(reference, game).name, reference) for reference in game.ladder}
    assert len(bots) == len(game.ladder) >= rungs
    assert {bot.name for bot in game.bots} <= bots


def played(first):
    match = MatchInMemory("saloon", [first, "builtin:pianist"], seed=3, options={"max_turns": 20}, raises=True)
    match.play()
    return match.state.to_document()


def test_a_bot_plays_some_turns_at_random():
    plain = played("builtin:pianist")
    some = played("builtin:pianist?at_random=40")
    assert played("builtin:pianist?at_random=0") == plain
    assert some == played("builtin:pianist?at_random=40")
    assert len({str(plain), str(some), str(played("builtin:pianist?at_random=100"))}) == 3


def test_a_bot_that_declares_parameters_can_play_at_random_too():
    bot = load_bot("builtin:search?playouts=4&at_random=30", find_game("saloon"))
    assert dict(bot.settings) == {"playouts": "4", "at_random": "30"}


@pytest.mark.parametrize("share", ["101", "-1", "often"])
def test_an_impossible_share_is_refused(share):
    with pytest.raises(ArenaError, match="at_random must be a number from 0 to 100"):
        load_bot(f"builtin:pianist?at_random={share}", find_game("saloon"))
