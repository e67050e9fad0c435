"""The lessons of Saloon: each in a position that has the mistake, and in one that does not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from arena.game import PlayerTurn, Seeded
from arena.match.lookup import find_game
from arena.play.memory import play_in_memory
from arena.study.coach.recorded_match import RecordedMatch
from arena.study.coach.turns import turns_of
from arena_saloon.lessons import (
    LESSONS,
    called_nobody_in,
    crushed_own_man,
    hit_own_men,
    left_piano_silent,
    punched_own_man,
    stayed_in_a_line,
    stood_under_a_young_gun,
    walked_into_a_shot,
)

SALOON = find_game("saloon")
END = {"type": "end_turn"}


def cowboy(owner: int, job: str, x: int, y: int, focus: int = 0) -> dict[str, Any]:
    fields = {"owner": owner, "job": job, "x": x, "y": y, "health": 10, "focus": focus, "turns_busy": 0}
    return {**fields, "is_dead": False, "can_move": True, "is_drunk": False, "drunk_direction": ""}


def move(id_: str, x: int, y: int) -> dict[str, Any]:
    return {"type": "move", "cowboy": id_, "x": x, "y": y}


def act(id_: str, x: int, y: int, drunk_direction: str = "") -> dict[str, Any]:
    return {"type": "act", "cowboy": id_, "x": x, "y": y, "drunk_direction": drunk_direction}


def call_in(gun: str, job: str) -> dict[str, Any]:
    return {"type": "call_in", "young_gun": gun, "job": job}


PLAY = {"type": "play", "cowboy": "c1", "furnishing": "f1"}


def turn_of(
    cowboys: list[dict[str, Any]], actions: list[dict[str, Any]], *answers: dict[str, Any], number: int = 1
) -> PlayerTurn:
    """A turn of player 0 on a floor with one piano at (10, 1), and the answers of player 1.

    His young gun lands men on (1, 1), the other one on (20, 10).
    """
    start = SALOON.start({}, Seeded("lessons"))
    document = start.to_document()
    piano = {"id": "f1", "x": 10, "y": 1, "health": 48, "is_piano": True, "is_playing": False, "is_destroyed": False}
    document |= {
        "cowboys": [{"id": f"c{index}", **one} for index, one in enumerate(cowboys, 1)],
        "furnishings": [piano],
        "hazards": [],
        "next_id": {"cowboy": 50, "furnishing": 50, "bottle": 50},
    }
    before = SALOON.load(document, start.options)
    after = before.clone()
    for action in actions:
        after.push(0, action, Seeded("dice"))
    later = after.clone()
    for action in answers or [END]:
        later.push(1, action, Seeded("dice"))
    return PlayerTurn(number, 0, actions, before, after, later)


GUNMAN = cowboy(0, "Sharpshooter", 5, 5, focus=4)
ENEMY = cowboy(1, "Sharpshooter", 5, 5, focus=4)
FIRE = (act("c1", 6, 5), END)
MINE = cowboy(0, "Bartender", 8, 6)
CALL = call_in("g0", "Brawler")
LANDED = (call_in("g1", "Brawler"), END)
PLANTED = [
    (
        crushed_own_man,
        turn_of([cowboy(0, "Sharpshooter", 1, 1)], [CALL, move("c50", 2, 1), END]),
        "You called in a Brawler onto your own man, Sharpshooter c1, who died with 10 health.",
        [END],
        ["c1"],
    ),
    (
        hit_own_men,
        turn_of([GUNMAN, cowboy(0, "Brawler", 8, 5)], [act("c1", 6, 5), CALL, END]),
        "The shot of your Sharpshooter c1 hit your own gang: Brawler c2, who lost 4 health.",
        [CALL, END],
        ["c1", "c2"],
    ),
    (
        hit_own_men,
        turn_of([cowboy(0, "Bartender", 5, 5), cowboy(0, "Brawler", 7, 5)], [act("c1", 6, 5, "North"), END]),
        "The bottle of your Bartender c1 hit your own gang: Brawler c2, who got drunk.",
        [END],
        ["c1", "c2"],
    ),
    (
        punched_own_man,
        turn_of([cowboy(0, "Brawler", 5, 5), cowboy(0, "Bartender", 5, 7)], [move("c2", 5, 6), CALL, END]),
        "You moved Bartender c2 beside your own man, Brawler c1, and at the end of the turn c1 punched c2.",
        [CALL, END],
        ["c1", "c2"],
    ),
    (
        left_piano_silent,
        turn_of([cowboy(0, "Bartender", 8, 1)], [move("c1", 9, 1), CALL, END]),
        "Bartender c1 stood idle beside piano f1 at the end of your turn.",
        [move("c1", 9, 1), CALL, PLAY, END],
        ["c1"],
    ),
    (
        walked_into_a_shot,
        turn_of([ENEMY, MINE], [CALL, move("c2", 8, 5), END], *FIRE),
        "You moved Bartender c2 to (8, 5), into the line of the enemy's Sharpshooter c1 with focus 4, "
        "and he lost 4 health.",
        [CALL, END],
        ["c2", "c1"],
    ),
    (
        stayed_in_a_line,
        turn_of([ENEMY, cowboy(0, "Bartender", 8, 5)], [CALL, END], *FIRE),
        "Bartender c2 stayed on (8, 5), in the line of the enemy's Sharpshooter c1 with focus 4, and lost 4 health.",
        [CALL, move("c2", 8, 4), END],
        ["c2", "c1"],
    ),
    (
        stood_under_a_young_gun,
        turn_of([cowboy(0, "Bartender", 20, 9)], [move("c1", 20, 10), END], *LANDED),
        "Bartender c1 ended your turn on (20, 10), where the enemy's next man lands, and was dead a turn later.",
        [END],
        ["c1"],
    ),
    (
        stood_under_a_young_gun,
        turn_of([cowboy(0, "Bartender", 20, 10)], [CALL, END], *LANDED),
        "Bartender c1 ended your turn on (20, 10)",
        [CALL, move("c1", 20, 9), END],
        ["c1"],
    ),
]
SILENT = [
    (crushed_own_man, turn_of([cowboy(0, "Sharpshooter", 1, 1)], [move("c1", 2, 1), CALL, END])),
    (crushed_own_man, turn_of([cowboy(1, "Sharpshooter", 1, 1)], [CALL, END])),
    (hit_own_men, turn_of([GUNMAN, cowboy(1, "Brawler", 8, 5)], [act("c1", 6, 5), END])),
    (hit_own_men, turn_of([GUNMAN, cowboy(0, "Brawler", 10, 5)], [act("c1", 6, 5), END])),
    (punched_own_man, turn_of([cowboy(0, "Brawler", 5, 5), MINE], [move("c2", 7, 6), END])),
    (punched_own_man, turn_of([cowboy(0, "Brawler", 5, 5), cowboy(1, "Bartender", 5, 6)], [END])),
    (left_piano_silent, turn_of([cowboy(0, "Bartender", 9, 1)], [PLAY, END])),
    (left_piano_silent, turn_of([cowboy(0, "Bartender", 8, 1)], [END])),
    (walked_into_a_shot, turn_of([ENEMY, MINE], [move("c2", 8, 5), END])),
    (walked_into_a_shot, turn_of([ENEMY, MINE], [move("c2", 9, 6), END], *FIRE)),
    (stood_under_a_young_gun, turn_of([cowboy(0, "Bartender", 20, 10)], [END])),
    (stood_under_a_young_gun, turn_of([cowboy(0, "Bartender", 20, 10)], [move("c1", 20, 9), END], *LANDED)),
]


@pytest.mark.parametrize(("detector", "turn", "text", "better", "units"), PLANTED)
def test_a_planted_mistake_is_named_with_better_actions(
    detector, turn: PlayerTurn, text: str, better: list, units: list
) -> None:
    [mistake] = detector([turn])
    assert text in mistake.text
    assert (list(mistake.turns), mistake.better, list(mistake.units)) == ([1], better, units)
    assert mistake.missing is None
    state = turn.before.clone()
    for action in better:
        state.push(0, action, Seeded("better"))


@pytest.mark.parametrize(("detector", "turn"), SILENT)
def test_a_turn_without_the_mistake_is_silent(detector, turn: PlayerTurn) -> None:
    assert list(detector([turn])) == []


def test_turns_without_a_call_in_are_a_mistake_only_in_a_row() -> None:
    gang = [cowboy(0, "Brawler", 5, 5), cowboy(0, "Brawler", 7, 5), cowboy(0, "Bartender", 9, 5)]
    idle = [turn_of(gang, [END], number=number) for number in (1, 3, 5)]
    [mistake] = called_nobody_in(idle)
    assert mistake.text.startswith("You called nobody in for 3 of your turns in a row.")
    assert mistake.text.endswith("there was room for another Sharpshooter or Bartender.")
    assert (list(mistake.turns), mistake.missing, mistake.better) == ([1, 3, 5], {"type": "call_in"}, None)
    called = turn_of(gang, [call_in("g0", "Bartender"), END], number=5)
    assert list(called_nobody_in([*idle[:2], called, *idle[:2]])) == []
    full = [cowboy(0, job, x, 5) for x, job in enumerate(["Brawler", "Bartender", "Sharpshooter"] * 2, 5)]
    assert list(called_nobody_in([turn_of(full, [END])] * 4)) == []
    assert list(called_nobody_in([turn_of([cowboy(0, "Brawler", 1, 1)], [END])] * 4)) == []


def test_the_better_actions_of_a_recorded_match_are_legal(tmp_path: Path) -> None:
    path = tmp_path / "match.arena"
    play_in_memory("saloon", ["builtin:rowdy", "builtin:pianist"], seed=1, replay=path)
    match = RecordedMatch.of_file(path)
    found = set()
    for player in (0, 1):
        turns = turns_of(match, player)
        starts = {turn.number: turn.before for turn in turns}
        for detector in LESSONS:
            for mistake in detector(turns):
                found.add(detector.__name__)
                state = starts[mistake.turns[0]].clone()
                for action in mistake.better or []:
                    state.push(player, action, Seeded("better"))
    assert {"left_piano_silent", "called_nobody_in", "punched_own_man"} <= found
