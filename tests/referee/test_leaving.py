"""Matches of more than two players, in memory: who fails leaves, and the others play on."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
import tallest
from driver import CLOCK, Driver

from arena.match.limits import Policy
from arena.play.referee.outputs import ActionEntry, LeaveEntry, SeatEntry, TurnEntry

KEEP = {"type": "keep"}
PASS = {"type": "pass"}


def table(**settings: Any) -> Driver:
    driver = Driver(tallest.GAME, {"rounds": 3}, **settings)
    driver.start()
    return driver


def play_round(driver: Driver, *players: int) -> None:
    for player in players:
        driver.act(player, KEEP)


def test_a_crash_ends_the_game_of_one_player_only() -> None:
    driver = table()
    driver.match.on_exit(0, "crashed", "exited with code 1")
    driver.collect()
    assert driver.endings() == ["crashed", None, None, None]
    for _ in range(3):
        play_round(driver, 1, 2, 3)
    assert driver.match.outcome is not None
    assert driver.match.outcome.reason == "rounds_played"
    assert driver.match.outcome.ranks[0] == 4
    assert driver.match.outcome.place(0) == "4th of 4"
    passes = [entry for entry in driver.entries_of(ActionEntry) if entry.player == 0]
    assert [entry.action for entry in passes] == [PASS] * 3
    assert [type(entry) for entry in driver.entries[:3]] == [SeatEntry, LeaveEntry, ActionEntry]


def test_those_who_leave_rank_behind_all_others_and_the_later_one_better() -> None:
    driver = table()
    driver.match.on_violation(0, "sent nonsense")
    play_round(driver, 1, 2, 3)
    driver.pass_time(3.2)
    assert driver.endings() == ["bad_message", "timed_out", None, None]
    play_round(driver, 2, 3)
    play_round(driver, 2, 3)
    assert driver.match.outcome is not None
    assert driver.match.outcome.ranks[:2] == (4, 3)
    assert sorted(driver.match.outcome.ranks[2:]) == [1, 2]
    assert [driver.match.outcome.points(player) for player in (0, 1)] == [0.0, 1 / 3]


def test_the_match_ends_when_one_player_is_left() -> None:
    driver = table()
    for player in (0, 1, 2):
        driver.match.on_exit(player, "crashed", "exited with code 1")
        driver.collect()
    outcome = driver.match.outcome
    assert outcome is not None
    assert outcome.to_document() == {"winner": 3, "reason": "forfeit", "ranks": [1 + 1] * 3 + [1]}
    assert driver.endings() == ["crashed"] * 3 + ["won"]
    assert [outcome.place(player) for player in (0, 3)] == ["2nd (tied)", "1st of 4"]


def test_a_program_that_ends_while_others_are_asked_counts_when_its_player_is_asked_next() -> None:
    driver = table()
    driver.match.on_exit(2, "crashed", "exited with code 1")
    driver.collect()
    assert driver.endings() == [None] * 4
    assert driver.hung_up == [2]
    play_round(driver, 0, 1)
    assert driver.endings() == [None, None, "crashed", None]


def test_a_program_that_ends_after_its_last_move_changes_nothing() -> None:
    driver = table()
    play_round(driver, 0, 1, 2, 3)
    play_round(driver, 0, 1, 2, 3)
    driver.act(0, KEEP)
    driver.match.on_exit(0, "crashed", "exited with code 0")
    play_round(driver, 1, 2, 3)
    assert driver.match.seats[0].ending in ("won", "lost")
    assert not driver.entries_of(SeatEntry, LeaveEntry)


def test_the_others_play_without_a_program_that_does_not_start() -> None:
    driver = Driver(tallest.GAME, {"rounds": 1})
    driver.match.on_exit(0, "crashed", "exited with code 1")
    driver.collect()
    for player in (1, 2, 3):
        driver.hello(player)
        driver.say(player, "ready", seq=1)
    assert driver.endings() == ["no_start", None, None, None]
    play_round(driver, 1, 2, 3)
    assert driver.match.outcome is not None
    assert driver.match.outcome.ranks[0] == 4


def test_a_match_without_two_programs_that_start_ends_at_once() -> None:
    driver = Driver(tallest.GAME)
    for player in range(3):
        driver.match.on_exit(player, "crashed", "exited with code 1")
    driver.hello(3)
    driver.say(3, "ready", seq=1)
    assert driver.endings() == ["no_start"] * 3 + ["won"]
    assert not driver.match.playing


def test_too_many_refusals_end_the_game_of_one_player() -> None:
    driver = table(policy=Policy(refusals_per_turn=2))
    for _ in range(3):
        driver.say(0, "act", seq=driver.seq(0), actions=[{"type": "shout"}])
    assert driver.endings() == ["refused_too_often", None, None, None]
    assert driver.kinds(1)[-1] == "turn"


def test_a_policy_makes_a_match_void_that_a_program_leaves() -> None:
    driver = table(policy=Policy(crash="void"))
    driver.match.on_exit(0, "crashed", "exited with code 1")
    assert driver.endings() == ["crashed", "void", "void", "void"]
    driver = table(policy=Policy(crash="void"))
    driver.match.on_violation(0, "sent nonsense")
    assert driver.endings() == ["bad_message", None, None, None]


class Pairs(tallest.Rounds):
    """Players 0 and 2 play together, and so do 1 and 3."""

    def team_of(self, player: int) -> int:
        return player % 2


@pytest.mark.parametrize(
    ("failing", "ranks", "endings"),
    [
        ((0, 1, 2), [2, 1, 2, 1], ["crashed", "crashed", "crashed", "won"]),
        ((1, 3), [1, 2, 1, 2], ["won", "crashed"] * 2),
    ],
)
def test_a_match_of_teams_ends_when_one_team_is_left(
    failing: tuple[int, ...], ranks: list[int], endings: list[str]
) -> None:
    driver = Driver(replace(tallest.GAME, state=Pairs), {"rounds": 9})
    driver.start()
    for player in range(4):
        if player in failing:
            assert not driver.match.over
            driver.match.on_exit(player, "crashed", "exited with code 1")
            driver.collect()
        elif not driver.match.over:
            driver.act(player, KEEP)
    outcome = driver.match.outcome
    assert outcome is not None
    assert outcome.to_document() == {"winner": None, "reason": "forfeit", "ranks": ranks, "teams": [[0, 2], [1, 3]]}
    assert driver.endings() == endings


def test_a_turn_that_only_the_referee_plays_is_recorded_for_those_who_left() -> None:
    driver = table(clock=CLOCK)
    driver.match.on_exit(0, "crashed", "exited with code 1")
    driver.collect()
    play_round(driver, 1, 2, 3)
    turns = driver.entries_of(TurnEntry)
    assert [turn.player for turn in turns] == [0, 1, 2, 3]
    play_round(driver, 1, 2, 3)
    assert driver.entries_of(TurnEntry)[4].player == 0
    assert driver.entries_of(TurnEntry)[4].wall_us == 0


def test_a_program_that_ended_makes_the_match_void_when_its_player_is_asked() -> None:
    driver = table(policy=Policy(crash="void"))
    driver.match.on_exit(1, "crashed", "exited with code 1")
    driver.collect()
    assert not driver.match.over, "it counts when its player is asked"
    driver.act(0, KEEP)
    assert driver.endings() == ["void", "crashed", "void", "void"]
