"""Who is out is a fact that bots, matches in memory and environments read."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
import tallest
from driver import Driver

from arena.game import Seeded
from arena.game import load as load_game
from arena.play.memory import MatchInMemory
from arena.testing import inspect_game


def turns(driver: Driver, player: int) -> list[dict[str, Any]]:
    return [message for message in driver.sent[player] if message["type"] == "turn"]


def test_bots_are_sent_who_has_failed() -> None:
    driver = Driver(tallest.GAME, {"rounds": 3})
    driver.start()
    assert "out" not in turns(driver, 0)[-1]
    driver.act(0, {"type": "keep"})
    driver.match.on_exit(1, "crashed", "exited with code 1")
    driver.collect()
    for player in (2, 3):
        driver.act(player, {"type": "keep"})
    assert turns(driver, 2)[-1].get("out") == [1]
    assert turns(driver, 0)[-1]["out"] == [1]


def test_the_rules_say_who_is_eliminated() -> None:
    game = load_game("snakes")
    state = game.start({"players": 4}, Seeded(1))
    assert state.out() == ()
    while not state.out():
        for player in state.to_move():
            state.push(player, state.fallback_action(player))
    assert not {*state.out()} & {*state.to_move()}


def test_a_match_in_memory_says_who_is_out() -> None:
    match = MatchInMemory("snakes", [None] * 4, seed=1)
    seen: list[tuple[int, ...]] = []
    while not match.over:
        match.act(match.player, match.legal_actions(match.player)[0])
        seen.append(match.out)
    assert len(set(seen)) > 1
    assert all(set(before) <= set(after) for before, after in pairwise(seen))


@pytest.mark.parametrize(
    ("out", "words"),
    [(lambda state: state.to_move(), "player 0 is to move"), (lambda _: (7,), "there are 4 players")],
)
def test_the_check_names_players_who_are_out_and_to_move(out: Any, words: str) -> None:
    state = type("Broken", (tallest.GAME.state,), {"__doc__": "Has a defect.", "out": out})
    from dataclasses import replace

    report = inspect_game(replace(tallest.GAME, state=state), games=1, limit=10)
    assert [one for one in report.findings if one.rule == "players" and words in one.message], report
