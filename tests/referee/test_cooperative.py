"""Cooperative matches: whose program fails leaves, also in a match of two, and the score counts."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from driver import Driver

from arena.game import Option, Outcome
from arena.match.result import MatchResult, PlayerResult


def start(players: int, monkeypatch: Any) -> Driver:
    monkeypatch.syspath_prepend(Path(__file__).parents[2] / "docs" / "examples")
    import lanterns_game

    driver = Driver(replace(lanterns_game.spec(), options=(Option("players", "int", players, "How many.", 2, 5),)))
    driver.start()
    return driver


def play_on(driver: Driver, player: int) -> None:
    while driver.match.outcome is None:
        driver.act(player, next(one for one in driver.match.state.legal_actions() if one["type"] == "play"))


def test_the_partner_of_a_failed_program_plays_on(monkeypatch: Any) -> None:
    driver = start(2, monkeypatch)
    driver.match.on_exit(0, "crashed", "exited with code 1")
    driver.collect()
    assert driver.endings() == ["crashed", None]
    play_on(driver, 1)
    assert driver.endings() == ["crashed", "finished"]
    outcome = driver.match.outcome
    assert outcome is not None
    assert outcome.common == sum(driver.match.state.lit)
    assert outcome.reason == "mistakes"


def test_a_match_that_everybody_left_has_the_score_reached(monkeypatch: Any) -> None:
    driver = start(2, monkeypatch)
    for player in (0, 1):
        driver.match.on_exit(player, "crashed", "exited with code 1")
        driver.collect()
    assert driver.match.outcome == Outcome.together("forfeit", sum(driver.match.state.lit))
    assert driver.endings() == ["crashed", "crashed"]


def test_a_void_match_that_is_not_repeated_counts_what_was_reached(monkeypatch: Any) -> None:
    driver = start(2, monkeypatch)
    driver.match.void("host_late")
    assert driver.match.outcome is not None
    assert driver.endings() == ["void", "void"]
    late = PlayerResult("void", detail="was late")
    result = MatchResult((late, PlayerResult("void")), driver.match.outcome)
    assert not result.has_verdict
    counted = result.without_void()
    assert [player.ending for player in counted.players] == ["timed_out", "finished"]
    assert counted.outcome == Outcome.together("forfeit", 0)


def test_an_outcome_with_a_common_score() -> None:
    outcome = Outcome.from_document(Outcome.together("over", 3).to_document())
    assert (outcome.common, outcome.points(0), outcome.verdict(0), outcome.place(0)) == (3.0, 3.0, "finished", "")
    assert outcome.headline(["Ann", "Bob"]) == "Together 3"
    assert outcome.behind({0: 3}, 3) is outcome
