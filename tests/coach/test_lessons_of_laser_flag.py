"""The lessons of Laser Flag: each in a position that has the mistake, and in one that does not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from arena.game import IllegalAction, PlayerTurn, Seeded
from arena.game.chance import Scripted
from arena.match.lookup import find_game
from arena.play.memory import play_in_memory
from arena.study.coach.recorded_match import RecordedMatch
from arena.study.coach.turns import turns_of
from arena_laser_flag.lessons import (
    LESSONS,
    ended_in_reach,
    laser_left_off,
    moved_into_overwatch,
    no_shot,
    off_in_the_line_of_fire,
    walked_past_a_shot,
    watched_an_empty_lane,
)

LASER_FLAG = find_game("laser_flag")
END = {"type": "end_turn"}
DICE_DECIDE = {"", "laser_deactivated", "no_such_unit", "no_such_target", "no_such_action", "game_over"}
MARGIN = ["#" * 11] * 4
OPEN = [".......####"] * 7 + MARGIN
WALLED = [*OPEN[:2], "#.#########", *OPEN[3:]]
BASE = [{"x": 6, "y": 6}]


def move(unit: str, x: int, y: int) -> dict[str, Any]:
    return {"type": "move", "unit": unit, "x": x, "y": y}


def fire(unit: str, target: str) -> dict[str, Any]:
    return {"type": "fire", "unit": unit, "target": target}


def turn_of(
    tiles: list[str],
    units: list[tuple[int, int, int]],
    actions: list[dict[str, Any]],
    dice: list[int] = (),
    answers: list[dict[str, Any]] = (),
    **fields: Any,
) -> PlayerTurn:
    """A turn of player 0, whose units are listed first, and the answers of player 1 with the rest of the dice.

    The fields are for all units of player 1, such as `overwatch`; `laser` is for unit 0.
    """
    mapped = {
        "format": "laser_flag_map",
        "version": 1,
        "name": "Lesson",
        "ruleset": "alpha",
        "tiles": tiles,
        "bases": BASE,
        "units": [{"player": player, "class": "grunt", "x": x, "y": y} for player, x, y in units],
    }
    start = LASER_FLAG.start({"ruleset": "alpha", "map": mapped, "rules": {"opening_overwatch": False}})
    document = start.to_document()
    document["units"][0]["laser"] = fields.pop("laser", "charged")
    for unit in document["units"]:
        if unit["player"] == 1:
            unit.update(fields)
    before = LASER_FLAG.load(document, start.options)
    chance = Scripted(dice)
    after = before.clone()
    for action in actions:
        after.push(0, action, chance)
    later = after.clone()
    for action in answers:
        later.push(1, action, chance)
    return PlayerTurn(1, 0, actions, before, after, later)


STEP_OUT = [move("u0", 1, 4), END]
TWO = [(0, 3, 0), (1, 0, 6), (1, 3, 6)]
ALONE = [(0, 1, 0), (1, 5, 6)]
WATCH = {"overwatch": 1, "overwatch_mode": "snap"}
HIT = {"dice": [6, 6], "answers": [fire("u1", "u0"), END]}
MISS = {"dice": [1, 1, 1, 1], "answers": [fire("u1", "u0"), END]}
PLANTED = [
    (
        ended_in_reach,
        turn_of(WALLED, TWO, STEP_OUT, **HIT),
        "Grunt u0 on (1, 4), in reach of 2 enemy lasers",
        [END],
    ),
    (
        moved_into_overwatch,
        turn_of(WALLED, [(0, 5, 0), (1, 5, 6)], [move("u0", 3, 1), move("u0", 1, 4), END], dice=[6, 6], **WATCH),
        "You moved Grunt u0 in sight of 1 enemy on overwatch, and it was hit.",
        [END],
    ),
    (
        no_shot,
        turn_of(OPEN, ALONE, [move("u0", 1, 1), END]),
        "You did not shoot with Grunt u0 at Grunt u1 in sight, with 58 % to hit.",
        [move("u0", 1, 1), fire("u0", "u1"), END],
    ),
    (
        walked_past_a_shot,
        turn_of(OPEN, ALONE, [move("u0", 1, 1), move("u0", 1, 2), move("u0", 1, 3), END]),
        "You spent all AP of Grunt u0 on moves. With one move less it could have shot at Grunt u1, with 58 %",
        [move("u0", 1, 1), move("u0", 1, 2), fire("u0", "u1"), END],
    ),
    (
        laser_left_off,
        turn_of(OPEN, [(0, 6, 2), (1, 0, 0)], [move("u0", 5, 2), END], laser="deactivated"),
        "You left lasers off: Grunt u0, with a base 1 move away on (6, 6).",
        [move("u0", 6, 6), END],
    ),
    (
        watched_an_empty_lane,
        turn_of(WALLED, [(0, 3, 0), (1, 1, 6)], [END]),
        "You kept the AP of Grunt u0 for overwatch where it saw no enemy.",
        [move("u0", 2, 0), fire("u0", "u1"), END],
    ),
    (
        off_in_the_line_of_fire,
        turn_of(WALLED, [(0, 1, 3), (1, 1, 6)], [END], laser="deactivated"),
        "Grunt u0, whose laser is off, ended your turn in the line of fire of 1 enemy laser.",
        [move("u0", 3, 1), END],
    ),
]
SILENT = [
    (ended_in_reach, turn_of(WALLED, TWO, STEP_OUT, **MISS)),
    (moved_into_overwatch, turn_of(WALLED, [(0, 5, 0), (1, 5, 6)], [move("u0", 6, 1), END], **WATCH)),
    (no_shot, turn_of(OPEN, ALONE, [fire("u0", "u1"), END], dice=[1, 1])),
    (no_shot, turn_of(OPEN, ALONE, [END], laser="charging")),
    (walked_past_a_shot, turn_of(OPEN, ALONE, [move("u0", 1, 1), fire("u0", "u1"), END], dice=[1, 1])),
    (laser_left_off, turn_of(OPEN, [(0, 6, 2), (1, 0, 0)], [move("u0", 6, 6), END], laser="deactivated")),
    (laser_left_off, turn_of(OPEN, [(0, 6, 2), (1, 6, 6)], [END], laser="deactivated")),
]


@pytest.mark.parametrize(("detector", "turn", "text", "better"), PLANTED)
def test_a_planted_mistake_is_named_with_better_actions(detector, turn: PlayerTurn, text: str, better: list) -> None:
    [mistake] = detector([turn])
    assert text in mistake.text
    assert list(mistake.turns) == [1]
    assert mistake.units[0] == "u0"
    assert mistake.missing is None
    assert mistake.better == better
    state = turn.before.clone()
    for action in better:
        state.push(0, action, Seeded("better"))


@pytest.mark.parametrize(("detector", "turn"), SILENT)
def test_a_turn_without_the_mistake_is_silent(detector, turn: PlayerTurn) -> None:
    assert list(detector([turn])) == []


@pytest.mark.parametrize("seed", [1, 2])
def test_the_better_actions_of_a_recorded_match_are_legal(tmp_path: Path, seed: int) -> None:
    path = tmp_path / "match.arena"
    play_in_memory("laser_flag", ["builtin:sergeant", "builtin:rookie"], seed=seed, replay=path)
    match = RecordedMatch.of_file(path)
    for player in (0, 1):
        turns = turns_of(match, player)
        starts = {turn.number: turn.before for turn in turns}
        for mistake in [mistake for detector in LESSONS for mistake in detector(turns)]:
            state = starts[mistake.turns[0]].clone()
            for action in mistake.better or []:
                assert _refusal(state, player, action) in DICE_DECIDE, (mistake, action)


def _refusal(state: Any, player: int, action: dict[str, Any]) -> str:
    try:
        state.push(player, action, Seeded("better"))
    except IllegalAction as refusal:
        return refusal.code
    return ""
