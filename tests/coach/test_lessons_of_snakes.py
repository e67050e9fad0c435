"""The lessons of Snakes: each in a position that has the mistake, and in one that does not."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.game import Mistake, PlayerTurn, Seeded
from arena.match.lookup import find_game
from arena.play.memory import play_in_memory
from arena.study.coach.recorded_match import RecordedMatch
from arena.study.coach.turns import turns_of
from arena_snakes.lessons import (
    LESSONS,
    entered_a_pocket,
    gave_up_space,
    hit_something,
    met_a_longer_head,
    spared_a_shorter_head,
    starved,
)

SNAKES = find_game("snakes")
ROOM = [[3, 3], [3, 4], [3, 5]]


def turn_of(way: str, body: list[list[int]], other: list[list[int]], theirs: str = "up", **more: object) -> PlayerTurn:
    """A turn on a board of 7 x 7, in which both snakes move at the same time."""
    start = SNAKES.start({"players": 2, "size": 7, "food_spawn_chance": 0, "minimum_food": 0}, Seeded("lessons"))
    document = start.to_document()
    document["food"] = more.get("food", [])
    for snake, tiles in zip(document["snakes"], (body, other), strict=True):
        snake["body"] = tiles
    document["snakes"][0]["health"] = more.get("health", 100)
    before = SNAKES.load(document, start.options)
    after, actions = before.clone(), []
    for player, direction in enumerate((way, theirs)):
        actions.append({"type": "move", "snake": before.snakes[player].id, "direction": direction})
        after.push(player, actions[-1], Seeded("dice"))
    return PlayerTurn(1, 0, actions[:1], before, after, after)


FAR = [[6, 6], [6, 5], [6, 4]]
CURLED = [[1, 0], [1, 1], [1, 2], [0, 2], [0, 3], [1, 3], [2, 3]]
"""Left of the head are two tiles between the wall and the body; right of it is the board."""
PLANTED = [
    (hit_something, turn_of("left", [[0, 3], [0, 4], [0, 5]], FAR, "left"), "You left the board. Right was free."),
    (hit_something, turn_of("down", ROOM, FAR, "left"), "You ran into your own body."),
    (
        met_a_longer_head,
        turn_of("right", ROOM, [[5, 3], [5, 2], [5, 1], [5, 0]], "left"),
        "the head of a snake of 4",
    ),
    (
        entered_a_pocket,
        turn_of("left", CURLED, FAR, "left"),
        "left into a space of 2 tiles that you reach before the others, with a body of 7",
    ),
    (
        gave_up_space,
        turn_of("up", [[3, 1], [2, 1], [2, 0]], [[1, 2], [1, 1], [1, 0], [0, 0], [0, 1], [0, 2], [0, 3]], "left"),
        "You went up, where you reach 8 tiles before the others. Down had 26.",
    ),
    (
        spared_a_shorter_head,
        turn_of("right", [[1, 1], [1, 2], [1, 3], [1, 4]], [[0, 0], [0, 1], [0, 2]], "right"),
        "The only way of a snake of 3 led to the tile up of your head",
    ),
]


def found_in(detector, turn: PlayerTurn) -> list[Mistake]:
    return list(detector([turn]))


@pytest.mark.parametrize(("detector", "turn", "text"), PLANTED)
def test_a_planted_mistake_is_named_with_a_better_move(detector, turn: PlayerTurn, text: str) -> None:
    [mistake] = found_in(detector, turn)
    assert text in mistake.text
    assert (list(mistake.turns), list(mistake.units)) == ([1], [turn.before.snakes[0].id])
    [better] = mistake.better
    assert better in turn.before.legal_actions(0)
    assert better != turn.actions[0]


@pytest.mark.parametrize("detector", LESSONS)
@pytest.mark.parametrize("way", ["up", "left", "right"])
def test_a_move_in_the_open_is_no_mistake(detector, way: str) -> None:
    assert found_in(detector, turn_of(way, ROOM, FAR, "left")) == []


def test_a_snake_that_starved_learns_where_it_passed_food() -> None:
    passed = turn_of("up", ROOM, FAR, "left", food=[[1, 3]], health=3)
    dead = turn_of("up", ROOM, FAR, "left", health=1)
    [mistake] = starved([passed, dead])
    assert mistake.text == "You starved. In this turn, with 3 health, food was 2 moves away, left."
    assert mistake.better[0]["direction"] == "left"
    assert list(starved([turn_of("left", ROOM, FAR, "left", food=[[1, 3]], health=3), dead])) == []


def test_the_better_moves_of_a_recorded_match_are_legal(tmp_path: Path) -> None:
    path = tmp_path / "match.arena"
    play_in_memory("snakes", ["builtin:hatchling", "builtin:forager"], seed=1, replay=path)
    match = RecordedMatch.of_file(path)
    found = 0
    for player in (0, 1):
        turns = turns_of(match, player)
        starts = {turn.number: turn.before for turn in turns}
        for mistake in [mistake for detector in LESSONS for mistake in detector(turns)]:
            found += 1
            state = starts[mistake.turns[0]].clone()
            for action in mistake.better:
                state.push(player, action, Seeded("better"))
    assert found
