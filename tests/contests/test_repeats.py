"""Games that went exactly the same way are found by the course of the game, whoever played them again."""

import json
from dataclasses import replace

import tallest
from contests_toys import result_of, stage_played
from driver import Driver

from arena.contests.config import StageConfig
from arena.match.result import MatchResult, different_games


def course(*actions):
    driver = Driver(tallest.GAME, {"rounds": 3})
    driver.start()
    for player, action in enumerate(actions):
        driver.act(player, action)
    return driver.match.live.course


def test_the_same_start_actions_and_draws_give_the_same_course():
    keep, leave = {"type": "keep"}, {"type": "pass"}
    assert course(keep, keep) == course(keep, keep)
    assert len({course(), course(keep), course(leave), course(keep, keep), course(keep, leave)}) == 5


def test_a_game_counts_once_for_the_same_bots_in_the_same_seats_and_with_the_same_endings():
    specs = [spec for spec, _ in stage_played(2, StageConfig("all", "round_robin", rounds=4)).matches()]
    again = replace(result_of(0), course="abc")
    played = [(spec, again) for spec in specs]
    assert different_games(played) == [played[0], played[1]]  # the second with swapped seats
    crashed = replace(result_of(0, ("won", "crashed")), course="abc")
    assert different_games([*played, (specs[0], crashed)]) == [played[0], played[1], (specs[0], crashed)]


def test_results_of_earlier_versions_are_all_different():
    specs = [spec for spec, _ in stage_played(2, StageConfig("all", "round_robin", rounds=4)).matches()]
    played = [(spec, result_of(0)) for spec in specs]
    assert different_games(played) == played
    document = result_of(0).to_document()
    del document["course"]
    assert MatchResult.from_document(json.loads(json.dumps(document))).course == ""
