"""The lessons of Derelict: each in a position that has the mistake, and in one that does not."""

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
from arena_derelict.lessons import (
    LESSONS,
    came_no_nearer,
    fought_hand_to_hand,
    left_a_door_open,
    no_overwatch,
    overwatch_too_early,
    shot_own_men,
    stood_in_the_lane,
    watched_a_wall,
)

DERELICT = find_game("derelict")
CORRIDOR = ["##########", "#........#", "#........#", "##########"]
PASS = {"type": "pass"}
WATCH = {"type": "overwatch"}
STEP_DECIDED_BY_DICE = {"no_active_unit", "no_target_there", "not_your_turn", "choice_not_open_now", "not_enough_AP"}
Document = dict[str, Any]


def at(kind: str, x: int, y: int) -> Document:
    return {"type": kind, "x": x, "y": y}


def marine(x: int, y: int, facing: str = "East") -> Document:
    return {"type": "marine", "x": x, "y": y, "facing": facing}


def alien(x: int, y: int) -> Document:
    return {"type": "alien", "x": x, "y": y, "facing": "West"}


def turns_with(
    marines: list[Document],
    aliens: list[Document],
    actions: list[Document],
    answers: list[Document] = (),
    dice: list[int] = (),
    jammed: bool = False,
    **mission: Any,
) -> tuple[PlayerTurn, PlayerTurn]:
    """A turn of the marines, and the turn of the aliens after it."""
    mission = {
        "format": "derelict_mission",
        "version": 1,
        "name": "lesson",
        "ruleset": "core",
        "rows": CORRIDOR,
        "marines": marines,
        "aliens": aliens,
        "turn_limit": 0,
        **mission,
    }
    start = DERELICT.start(DERELICT.resolve_options({"mission": mission}), Seeded("lessons"))
    document = start.to_document()
    document["units"][0]["jam"] = jammed
    before = DERELICT.load(document, start.options)
    chance, after = Scripted(dice), before.clone()
    for action in actions:
        after.push(0, action, chance)
    later = after.clone()
    for action in answers:
        later.push(1, action, chance)
    return PlayerTurn(1, 0, actions, before, after, later), PlayerTurn(2, 1, answers, after, later, later)


PAIR = [marine(1, 1), marine(1, 2, "West")]
KILL = {"answers": [at("activate", 4, 1), at("move", 3, 1), at("move", 2, 1), at("assault", 1, 1), PASS]}
KILLED = {**KILL, "dice": [6, 5, 4, 1]}
ROLLED = [1, 2, 6, 5, 4, 1, 1, 2]
LANE = [marine(1, 1), marine(2, 2)]
IN_LANE = [at("activate", 1, 1), WATCH, at("activate", 2, 2), at("move", 3, 1), PASS]
KILL_IN_LANE = [at("activate", 5, 1), at("move", 4, 1), at("assault", 3, 1), PASS]
"""Marine m1 sees the attacker beside m2, and shoots after each of its actions."""
SHOT = at("shoot", 5, 1)
FIGHT = [at("activate", 1, 1), at("assault", 2, 1), PASS]
BLIP = alien(8, 2) | {"type": "blip_2"}
GATHERED = [
    *(at("activate", 8, 1), *(at("move", x, 1) for x in range(7, 1, -1))),
    *(at("activate", 8, 2), *(at("move", x, 2) for x in range(7, 2, -1))),
    PASS,
]
TURNED = [at("activate", 1, 1), {"type": "turn_left"}, WATCH, PASS]
OPEN_DOOR = {"doors": [{"x": 2, "y": 1, "open": True}]}
CLOSED_DOOR = {"doors": [{"x": 2, "y": 1, "open": False}]}
OPENED = [at("activate", 1, 1), at("door", 2, 1), WATCH, PASS]
BESIDE = [marine(1, 1) | {"type": "marine_flame"}, marine(4, 2)]
BURNED = [at("activate", 1, 1), at("shoot", 2, 1), PASS]
PLANTED = [
    (
        shot_own_men,
        turns_with(
            BESIDE,
            [alien(5, 1)],
            BURNED,
            dice=[1, 6],
            ruleset="full",
            sections=["..........", ".ABBBBBBB.", ".ABBBBBBB.", ".........."],
        )[0],
        "Your shot at (2, 1) killed your own m2.",
        [at("activate", 1, 1), PASS],
    ),
    (
        no_overwatch,
        turns_with(PAIR, [alien(4, 1)], [PASS], **KILLED)[0],
        "acts in sight. Before your next turn, m1 was killed.",
        [at("activate", 1, 2), WATCH, at("activate", 1, 1), WATCH, PASS],
    ),
    (
        no_overwatch,
        turns_with(PAIR, [alien(4, 1)], [at("activate", 1, 1), PASS])[0],
        "You left marine m1 and m2 without overwatch, with 8 action points unused.",
        [at("activate", 1, 1), WATCH, at("activate", 1, 2), WATCH, PASS],
    ),
    (
        overwatch_too_early,
        turns_with([marine(1, 1)], [alien(5, 1), alien(8, 2)], [at("activate", 1, 1), WATCH, PASS])[0],
        "You put marine m1 on overwatch with 4 action points, and alien a1 in sight.",
        [at("activate", 1, 1), SHOT, SHOT, WATCH, PASS],
    ),
    (
        fought_hand_to_hand,
        turns_with(PAIR, [alien(2, 1), alien(8, 1)], FIGHT, dice=[6, 1, 1, 1])[0],
        "You attacked alien a1 hand to hand with marine m1",
        [at("activate", 1, 1), at("shoot", 2, 1), PASS],
    ),
    (
        stood_in_the_lane,
        turns_with(LANE, [alien(5, 1)], IN_LANE, KILL_IN_LANE, ROLLED)[0],
        "You moved marine m2 into the lane of marine m1 on overwatch, and hid",
        [at("activate", 1, 1), WATCH, PASS],
    ),
    (
        watched_a_wall,
        turns_with([marine(1, 1)], [alien(8, 1)], TURNED)[0],
        "You put on overwatch marine m1 facing north, where it sees 1 cell, and east 15. Turn to the open side first.",
        [at("activate", 1, 1), WATCH, PASS],
    ),
    (
        watched_a_wall,
        turns_with([marine(1, 1, "North")], [alien(8, 1)], [at("activate", 1, 1), WATCH, PASS])[0],
        "facing north, where it sees 1 cell, and east 15. Turn to the open side first.",
        [at("activate", 1, 1), {"type": "turn_right"}, WATCH, PASS],
    ),
    (
        left_a_door_open,
        turns_with([marine(1, 1)], [alien(8, 1)], OPENED, **CLOSED_DOOR)[0],
        "You opened the door on (2, 1) with contacts behind it.",
        [at("activate", 1, 1), WATCH, PASS],
    ),
    (
        left_a_door_open,
        turns_with([marine(1, 1)], [alien(8, 1)], [PASS], **OPEN_DOOR)[0],
        "You left the door on (2, 1) open before marine m1, with 4 action points unused.",
        [at("activate", 1, 1), at("door", 2, 1), PASS],
    ),
    (
        came_no_nearer,
        turns_with([marine(1, 1, "West"), PAIR[1]], [alien(8, 1), BLIP], [PASS], [PASS])[1],
        "You brought alien a1 and blip a2 no nearer to the marines, with 11 free steps that none on overwatch sees.",
        GATHERED,
    ),
]
SILENT = [
    (shot_own_men, turns_with([marine(1, 1)], [alien(5, 1)], [at("activate", 1, 1), SHOT, PASS], dice=[1, 2])[0]),
    (watched_a_wall, turns_with([marine(1, 1)], [alien(8, 1)], [at("activate", 1, 1), WATCH, PASS])[0]),
    (left_a_door_open, turns_with([marine(1, 1)], [alien(8, 1)], [PASS], **CLOSED_DOOR)[0]),
    (left_a_door_open, turns_with([marine(1, 1, "West")], [alien(8, 1)], [PASS], **OPEN_DOOR)[0]),
    (stood_in_the_lane, turns_with(LANE, [alien(5, 1)], IN_LANE, [PASS])[0]),
    (came_no_nearer, turns_with(PAIR[:1], [alien(8, 1)], [at("activate", 1, 1), WATCH, PASS], [PASS])[1]),
    (came_no_nearer, turns_with(PAIR[1:], [alien(8, 1)], [PASS], [at("activate", 8, 1), at("move", 7, 1), PASS])[1]),
    (no_overwatch, turns_with(PAIR[:1], [alien(4, 1)], [at("activate", 1, 1), WATCH, PASS])[0]),
    (overwatch_too_early, turns_with([marine(1, 1, "West")], [alien(5, 1)], [at("activate", 1, 1), WATCH, PASS])[0]),
    (
        fought_hand_to_hand,
        turns_with([marine(1, 1)], [alien(5, 1)], [at("activate", 1, 1), SHOT, PASS], dice=[1, 2])[0],
    ),
]


@pytest.mark.parametrize(("detector", "turn", "text", "better"), PLANTED)
def test_a_planted_mistake_is_named_with_better_actions(detector, turn: PlayerTurn, text: str, better: list) -> None:
    [mistake] = detector([turn])
    assert text in mistake.text
    assert list(mistake.turns) == [turn.number]
    assert mistake.missing is None
    assert mistake.better == better
    state = turn.before.clone()
    for action in better:
        state.push(turn.player, action, Seeded("better"))


@pytest.mark.parametrize(("detector", "turn"), SILENT)
def test_a_turn_without_the_mistake_is_silent(detector, turn: PlayerTurn) -> None:
    assert list(detector([turn])) == []


@pytest.mark.parametrize("bots", [("castaway", "veteran"), ("veteran", "veteran")])
def test_the_better_actions_of_a_recorded_match_are_legal(tmp_path: Path, bots: tuple[str, str]) -> None:
    path = tmp_path / "match.arena"
    play_in_memory("derelict", [f"builtin:{bot}" for bot in bots], seed=1, replay=path)
    match = RecordedMatch.of_file(path)
    for player in (0, 1):
        turns = turns_of(match, player)
        # The parts of a turn have the same number: each mistake has to be legal in one of them.
        for mistake in [mistake for detector in LESSONS for mistake in detector(turns)]:
            starts = [turn.before for turn in turns if turn.number == mistake.turns[0]]
            assert any(_is_legal(start, player, mistake.better or []) for start in starts), mistake


def _is_legal(start: Any, player: int, actions: list[Document]) -> bool:
    state, dice = start.clone(), Seeded("lessons")
    for action in actions:
        try:
            state.push(player, action, dice)
        except IllegalAction as refusal:
            if refusal.code not in STEP_DECIDED_BY_DICE:
                return False
    return True
